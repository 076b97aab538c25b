package control

import (
	"encoding/hex"
	"encoding/json"
	"math"
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
		query := r.URL.Query()
		limit, err := readLimit(query)
		if err != nil {
			return err
		}
		filter := universal.TransactionFilter{Status: query.Get("status"), Search: query.Get("q"), Limit: limit}
		if query.Has("status") && !slices.Contains(transactionStates, filter.Status) {
			return api.BadRequest("status: want %s", strings.Join(transactionStates, " or "))
		}
		if query.Has("before") {
			before, ok := universal.ParseTransactionCursor(query.Get("before"))
			if !ok {
				return api.BadRequest("before: want the value of before in the previous page")
			}
			filter.Before = &before
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

// readFlag reads a parameter that is true or false; the default is false.
func readFlag(query url.Values, name string) (bool, error) {
	switch given := query.Get(name); {
	case !query.Has(name), given == "false":
		return false, nil
	case given == "true":
		return true, nil
	}
	return false, api.BadRequest("%s: want true or false", name)
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
		found, err := universal.ReadTransaction(r.Context(), db, tenant.ID, r.PathValue("tx_id"))
		if err != nil {
			return err
		}
		withRealTimes, err := readFlag(r.URL.Query(), "real_times")
		if err != nil {
			return err
		}
		timeline := make([]stateReached, len(found.Timeline))
		for i, move := range found.Timeline {
			timeline[i] = stateReached{Status: move.Status, At: api.Time(move.At)}
			if withRealTimes {
				at := timeOrNone(move.RealAt)
				timeline[i].RealAt = &at
			}
		}
		body := response{newTransactionBody(found.Transaction), timeline, found.Extraction, found.Company}
		if !found.HasLocations {
			return api.WriteWithin(w, r, budget, tenant.ID, body)
		}
		first, most, err := readLocationWindow(r.URL.Query())
		if err != nil {
			return err
		}
		room, err := budget.Reserve(r.Context(), tenant.ID, storage.BatchMemory(found.ExtractionSize))
		if err != nil {
			return err
		}
		defer room.Release()
		return api.WriteArray(w, r, http.StatusOK, body, "locations", universal.ExtractedLocations(r.Context(), db, found.TxID, first, most, room))
	}
}

// readLocationWindow reads which of the extracted locations are shown; all by default.
func readLocationWindow(query url.Values) (first, most int, err error) {
	most = math.MaxInt
	for name, to := range map[string]*int{"locations_from": &first, "locations": &most} {
		if !query.Has(name) {
			continue
		}
		if *to, err = strconv.Atoi(query.Get(name)); err != nil || *to < 0 {
			return 0, 0, api.BadRequest("%s: want a number from 0", name)
		}
	}
	return first, most, nil
}
