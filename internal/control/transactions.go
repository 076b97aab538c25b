package control

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// transactionBody is a submission as the control API shows it.
type transactionBody struct {
	TxID            uuid.UUID `json:"tx_id"`
	UserID          uuid.UUID `json:"user_id"`
	Filename        string    `json:"filename"`
	Status          string    `json:"status"`
	Review          bool      `json:"review"` // version 4 shows Review_required
	CreatedAt       api.Time  `json:"created_at"`
	UploadExpiresAt api.Time  `json:"upload_expires_at"`
	UploadedAt      api.Time  `json:"uploaded_at"`
	TxStartTime     api.Time  `json:"tx_start_time"`
	TxEndTime       api.Time  `json:"tx_end_time"`
	Size            *int64    `json:"size"`
	SHA256          string    `json:"sha256"`
	Failure         string    `json:"failure"` // reason of the failure; "" if it did not fail
	CReportID       string    `json:"c_report_id"`
	LReportID       string    `json:"l_report_id"`
}

func newTransactionBody(t universal.Transaction) transactionBody {
	return transactionBody{
		TxID: t.TxID, UserID: t.UserID, Filename: t.Filename, Status: t.Status, Review: t.Review,
		CreatedAt:       api.Time(t.CreatedAt),
		UploadExpiresAt: api.Time(t.UploadExpiresAt),
		UploadedAt:      timeOrNone(t.UploadedAt),
		TxStartTime:     timeOrNone(t.StartedAt),
		TxEndTime:       timeOrNone(t.FinishedAt),
		Size:            t.Size,
		SHA256:          hex.EncodeToString(t.SHA256),
		Failure:         textOrNone(t.Failure),
		CReportID:       textOrNone(t.CReportID),
		LReportID:       textOrNone(t.LReportID),
	}
}

func textOrNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// transactionStates are the states by which transactions can be listed.
var transactionStates = []string{
	universal.Pending, universal.InProgress, universal.Scheduled, universal.Started, universal.Completed, universal.Failed,
}

// Transactions is `GET /tenants/{t}/transactions`, newest first. The parameters are
// status and limit.
func Transactions(db storage.DB, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		query := r.URL.Query()
		limit, err := readLimit(query)
		if err != nil {
			return err
		}
		status := query.Get("status")
		if query.Has("status") && !slices.Contains(transactionStates, status) {
			return api.BadRequest("status: want %s", strings.Join(transactionStates, " or "))
		}
		found, err := universal.Transactions(r.Context(), db, tenant.ID, status, limit)
		if err != nil {
			return err
		}
		bodies := make([]transactionBody, len(found))
		for i, t := range found {
			bodies[i] = newTransactionBody(t)
		}
		return api.WriteWithin(w, r, budget, tenant.ID, map[string]any{"transactions": bodies})
	}
}

// readLimit reads the parameter limit; the default is 100.
func readLimit(query url.Values) (int, error) {
	if !query.Has("limit") {
		return 100, nil
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit < 1 || limit > 1000 {
		return 0, api.BadRequest("limit: want 1 to 1000")
	}
	return limit, nil
}

// Transaction is `GET /tenants/{t}/transactions/{tx_id}`: a submission with its timeline
// and the values extracted from its document.
func Transaction(db storage.DB, budget *api.Budget) api.Handler {
	type stateReached struct {
		Status string   `json:"status"`
		At     api.Time `json:"at"`
	}
	type response struct {
		transactionBody
		Timeline   []stateReached  `json:"timeline"`
		Extraction json.RawMessage `json:"extraction"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		found, err := universal.ReadTransaction(r.Context(), db, tenant.ID, r.PathValue("tx_id"))
		if err != nil {
			return err
		}
		timeline := make([]stateReached, len(found.Timeline))
		for i, move := range found.Timeline {
			timeline[i] = stateReached{move.Status, api.Time(move.At)}
		}
		body := response{newTransactionBody(found.Transaction), timeline, found.Extraction}
		if !found.HasLocations {
			return api.WriteWithin(w, r, budget, tenant.ID, body)
		}
		room, err := budget.Reserve(r.Context(), tenant.ID, storage.BatchMemory(found.ExtractionSize))
		if err != nil {
			return err
		}
		defer room.Release()
		return api.WriteArray(w, r, http.StatusOK, body, "locations", universal.ExtractedLocations(r.Context(), db, found.TxID, room))
	}
}
