package control

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

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

// listedTransaction is an element of a list of submissions.
type listedTransaction struct {
	transactionBody
	Company string `json:"company"` // name of the insured; "" if it is unknown
}

func newListedTransaction(t universal.Transaction) listedTransaction {
	return listedTransaction{newTransactionBody(t), t.Company}
}

// Transactions is `GET /tenants/{t}/transactions`, a page of submissions, newest first.
// The parameters are status, q, limit and before.
func Transactions(db storage.DB, budget *api.Budget) api.Handler {
	type response struct {
		Transactions []listedTransaction `json:"transactions"`
		Before       string              `json:"before,omitempty"` // cursor of the next page
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		filter, err := readTransactionFilter(r.URL.Query())
		if err != nil {
			return err
		}
		found, more, err := filter.List(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		body := response{Transactions: make([]listedTransaction, len(found))}
		for i, t := range found {
			body.Transactions[i] = newListedTransaction(t)
			if more {
				body.Before = universal.TransactionCursor{CreatedAt: t.CreatedAt, TxID: t.TxID}.String()
			}
		}
		return api.WriteWithin(w, r, budget, tenant.ID, body)
	}
}

// readTransactionFilter reads the parameters of Transactions.
func readTransactionFilter(query url.Values) (universal.TransactionFilter, error) {
	filter := universal.TransactionFilter{Limit: 100}
	err := api.ReadQuery(query, map[string]func(string) bool{
		"status": func(value string) bool { filter.Status = value; return slices.Contains(transactionStates, value) },
		"q":      func(value string) bool { filter.Search = value; return true },
		"limit":  api.ParseLimit(&filter.Limit),
		"before": func(value string) bool {
			before, ok := universal.ParseTransactionCursor(value)
			filter.Before = &before
			return ok
		},
	})
	return filter, err
}

// Transaction is `GET /tenants/{t}/transactions/{tx_id}`: a submission with its timeline
// and the values extracted from its document.
func Transaction(db storage.DB, budget *api.Budget) api.Handler {
	type stateReached struct {
		Status string    `json:"status"`
		At     api.Time  `json:"at"`
		RealAt *api.Time `json:"real_at,omitempty"` // real time; only if it is requested, since it differs from one run to the next
	}
	type response struct {
		transactionBody
		Timeline   []stateReached  `json:"timeline"`
		Extraction json.RawMessage `json:"extraction"`
		Company    string          `json:"company"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		first, most, withRealTimes := 0, math.MaxInt, false
		err = api.ReadQuery(r.URL.Query(), map[string]func(string) bool{
			"real_times": api.ParseFlag(&withRealTimes), "locations_from": parseNumber(&first), "locations": parseNumber(&most),
		})
		if err != nil {
			return err
		}
		found, err := universal.ReadTransaction(r.Context(), db, tenant.ID, r.PathValue("tx_id"))
		if err != nil {
			return err
		}
		timeline := make([]stateReached, len(found.Timeline))
		for i, move := range found.Timeline {
			timeline[i] = stateReached{Status: move.Status, At: api.Time(move.At)}
			if withRealTimes {
				at := api.Time(move.RealAt)
				timeline[i].RealAt = &at
			}
		}
		body := response{newTransactionBody(found.Transaction), timeline, found.Extraction, found.Company}
		if !found.HasLocations {
			return api.WriteWithin(w, r, budget, tenant.ID, body)
		}
		room, err := budget.Reserve(r.Context(), tenant.ID, storage.BatchMemory(found.ExtractionSize))
		if err != nil {
			return err
		}
		defer room.Release()
		return api.WriteArray(w, r, http.StatusOK, body, "locations", universal.ExtractedLocations(r.Context(), db, found.TxID, first, most, room))
	}
}

// parseNumber returns a function for api.ReadQuery that parses a non-negative number.
func parseNumber(to *int) func(string) bool {
	return func(value string) (ok bool) {
		n, err := strconv.Atoi(value)
		*to = n
		return err == nil && n >= 0
	}
}

// timeOrNone returns a time in the format of responses, and the zero time for nil.
func timeOrNone(t *time.Time) api.Time {
	if t == nil {
		return api.Time{}
	}
	return api.Time(*t)
}
