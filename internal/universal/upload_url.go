package universal

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/quota"
	"understudy.example/internal/universal/uploadurl"
)

// uploadLifetime is how long an upload URL is valid (service.md, "Limits").
const uploadLifetime = 5 * time.Minute

// UploadURL is `POST …/universal-submit/file-upload-url` (service.md, endpoint
// 2). baseURL returns where the client of a request reaches the server, without a final
// slash.
func UploadURL(db storage.DB, gate *auth.Gate, rt route.Route, uploadKey []byte, baseURL func(*http.Request) string) api.Handler {
	type response struct {
		TxID      uuid.UUID `json:"tx_id"`
		UploadURL string    `json:"upload_url"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		if err := quota.InTurn(r.Context(), db, caller.Tenant(), func() error {
			return quota.CheckSubmissions(r.Context(), db, caller.Tenant())
		}); err != nil {
			return err
		}
		body, err := api.Read(r, api.MessageErrors)
		if err != nil {
			return err
		}
		filename, err := readFilename(body)
		if err != nil {
			return err
		}
		submission, err := newSubmission(r.Context(), db, caller, filename)
		if err != nil {
			return err
		}
		err = quota.InTurn(r.Context(), db, caller.Tenant(), func() error {
			return quota.Within(r.Context(), db, caller.Tenant(), func(db storage.DB, tenant auth.Tenant) (err error) {
				submission, err = createSubmission(r.Context(), db, tenant, submission, gate.Now())
				return err
			})
		})
		if err != nil {
			return err
		}
		record := call.From(r.Context())
		record.TxID, record.Filename = submission.TxID.String(), filename
		return api.Write(w, http.StatusOK, response{
			TxID: submission.TxID,
			UploadURL: baseURL(r) + "/file-transfer/upload-file?data=" + uploadurl.Sign(uploadKey, uploadurl.Target{
				TxID: submission.TxID, Nonce: submission.UploadNonce, CreatedAt: submission.CreatedAt,
			}),
		})
	}
}

// readFilename returns the filename of the body. Its error is an *api.Error.
func readFilename(body api.Object) (string, error) {
	filename, isText := body.Text("filename")
	switch given, ok := body["filename"]; {
	case ok && string(given) == "null":
		return "", filenameRequired("filename is null: send the file's name, with its extension")
	case !ok:
		return "", filenameRequired(`the body has no key "filename": send the file's name, with its extension`)
	case !isText:
		return "", filenameNotString()
	}
	return filename, nil
}

// newSubmission returns a submission of the caller that is not in the database yet.
// The error is an *api.Error if the file name is not acceptable.
func newSubmission(ctx context.Context, db storage.DB, caller auth.Caller, filename string) (submission, error) {
	switch {
	case strings.TrimSpace(filename) == "":
		return submission{}, filenameRequired("the filename is blank: send the file's name, with its extension")
	case len(filename) > 255:
		return submission{}, filenameTooLong()
	}
	txID, err := auth.NewID(ctx, db, auth.TransactionID, caller.Tenant())
	if err != nil {
		return submission{}, err
	}
	nonce := make([]byte, uploadurl.NonceSize)
	rand.Read(nonce) // never fails
	return submission{
		TxID: txID, TenantID: caller.TenantID, UserID: caller.UserID, Filename: filename, Status: Pending,
		CreatedAt: caller.Now, UploadExpiresAt: caller.Now.Add(uploadLifetime), UploadNonce: nonce,
	}, nil
}

// createSubmission inserts a new submission, which has no file yet, and returns it. If
// its id is taken, the submission gets another one: a submission that was imported, or was created
// during a reset of a tenant with an id seed, keeps its id, and the same id is assigned
// again after the reset. now is the real time. The submission is created at the time that the
// tenant's clock shows in the database: another server may have moved it since the caller was
// checked, and the upload URL would expire too early. The error is an *api.Error if the
// tenant has too many submissions.
func createSubmission(ctx context.Context, db storage.DB, tenant auth.Tenant, s submission, now time.Time) (submission, error) {
	if err := quota.CheckSubmissions(ctx, db, tenant); err != nil {
		return submission{}, err
	}
	for attempts := range auth.IDAttempts {
		err := db.QueryRow(ctx, `
			insert into submissions (tx_id, tenant_id, user_id, filename, search, created_at, upload_expires_at, upload_nonce, aged_from)
			select @tx_id, @tenant_id, @user_id, @filename, @search, tenant.time, tenant.time + @lifetime, @nonce, @now
			from (
				select coalesce((select least(@now, frozen_at) + clock_offset from find_tenant(@tenant_id)), @created_at) as time
			) as tenant
			on conflict (tx_id) do nothing
			returning created_at, upload_expires_at`,
			pgx.StrictNamedArgs{
				"tx_id": s.TxID, "tenant_id": s.TenantID, "user_id": s.UserID,
				"filename": s.Filename, "search": SearchText(s.Filename, ""), "created_at": s.CreatedAt, "lifetime": uploadLifetime, "nonce": s.UploadNonce, "now": now,
			}).Scan(&s.CreatedAt, &s.UploadExpiresAt)
		if !errors.Is(err, pgx.ErrNoRows) {
			if err != nil {
				err = fmt.Errorf("create submission: %w", err)
			}
			return s, err
		}
		if s.TxID, err = auth.NewIDAfter(ctx, db, auth.TransactionID, tenant, attempts+1); err != nil {
			return submission{}, err
		}
	}
	return submission{}, errors.New("create submission: no unused id found")
}

// isTarget reports whether an upload URL with the target belongs to the submission.
func (s submission) isTarget(target uploadurl.Target) bool {
	return target.TxID == s.TxID && target.CreatedAt.Equal(s.CreatedAt) && (s.UploadNonce == nil || bytes.Equal(target.Nonce, s.UploadNonce))
}
