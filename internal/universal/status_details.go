package universal

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/extract"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// StatusDetails is `GET …/universal-submit/status/{tx_id}/details` of version 4: the
// status with the files of the submission and the tenant's data packages. It counts
// as a status poll. wake wakes the background steps.
func StatusDetails(submissions *Finder, db, transitions storage.DB, gate *auth.Gate, budget *api.Budget, rt route.Route, wake func(Work)) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, submission, err := pollStatus(r, submissions, transitions, gate, rt, wake)
		if err != nil {
			return err
		}
		status := newStatusBodyV4(submission, caller)
		files, err := filesOf(r.Context(), db, submission)
		if err != nil {
			return err
		}
		packages, err := data.Packages(r.Context(), db, caller.TenantID)
		if err != nil {
			return err
		}
		bodies := make([]packageStatus, len(packages))
		for i, p := range packages {
			bodies[i] = packageStatus{p.ID, status.TxStatus, status.TxStartTime, status.TxEndTime}
		}
		return api.WriteWithin(w, r, budget, caller.TenantID, struct {
			statusBodyV4
			Files        []fileStatus    `json:"files"`
			DataPackages []packageStatus `json:"data_packages"`
		}{status, files, bodies})
	}
}

// fileStatus is the upload or a file that was found inside it.
type fileStatus struct {
	Filename string `json:"filename"`
	Format   string `json:"format"` // "" until the file has been read
	Status   string `json:"status"`
	Note     string `json:"note"` // why the file was not read, or not in full
}

// packageStatus is the state of the data that a data package shows.
type packageStatus struct {
	DataPackageID string `json:"data_package_id"`
	TxStatus      string `json:"tx_status"`
	TxStartTime   string `json:"tx_start_time"`
	TxEndTime     string `json:"tx_end_time"`
}

// incomplete is the status of a file that was skipped or read only in part.
const incomplete = "INCOMPLETE"

// filesOf returns the upload, if it has arrived, and the files that were found inside
// it.
func filesOf(ctx context.Context, db storage.DB, s submission) ([]fileStatus, error) {
	files := []fileStatus{}
	if s.ObjectKey == nil {
		return files, nil
	}
	row, err := storage.One[struct {
		Failure *string
		Parts   []extract.Part
	}](ctx, db, `
		select failure, coalesce(parts, extraction -> 'parts', '[]') as parts
		from submissions s
		where tx_id = @tx_id
		and `+ofTenant,
		pgx.StrictNamedArgs{"tenant_id": s.TenantID, "tx_id": s.TxID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, transactionNotFound() // deleted in the meantime
	}
	if err != nil {
		return nil, fmt.Errorf("read files of submission: %w", err)
	}
	if len(row.Parts) == 0 {
		row.Parts = []extract.Part{{}}
	}
	for _, part := range row.Parts {
		status := states[s.Status].txStatus
		if part.Note != "" {
			status = incomplete
		}
		files = append(files, fileStatus{part.Name, part.Format, status, part.Note})
	}
	files[0].Filename = s.Filename
	if row.Failure != nil {
		files[0].Note = *row.Failure
	}
	return files, nil
}
