package journal

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// pageBytes is the approximate maximum size of a page of calls.
const pageBytes = 8 << 20

// callMemory is how many times more memory calls need while they are rendered than in
// their stored form.
const callMemory = 2

// matchingCalls is the query for the calls that a filter selects, and one more if there
// are more.
const matchingCalls = `
	select *
	from calls
	where tenant_id = @tenant_id
	and (not @paged or xid <= @xid::bigint::text::xid8) -- the conditions on both columns would not use the index
	and (not @paged or (xid, seq) < (@xid::bigint::text::xid8, @seq))
	and (@route in ('', '*', route) or split_part(route, ' ', 2) = @route)
	and @method in ('', method)
	and status between @lowest and @highest
	and @tx_id in ('', tx_id)
	and @client_id in ('', client_id)
	and (@q = '' or strpos(lower(path), lower(@q)) > 0)
	and (@since::timestamptz is null or at >= @since)
	and (@until::timestamptz is null or at < @until)
	order by xid desc, seq desc
	limit @limit + 1`

// pageSize returns the size in bytes of the page of calls that the filter selects, as
// they are stored.
func pageSize(ctx context.Context, db storage.DB, filter pgx.StrictNamedArgs) (size int64, err error) {
	if err := db.QueryRow(ctx, `
		select least(coalesce(sum(size), 0), @bytes)::bigint
		from (`+matchingCalls+`) matching`, filter).Scan(&size); err != nil {
		return 0, fmt.Errorf("measure calls: %w", err)
	}
	return size, nil
}

// List is `GET /tenants/{t}/requests`, the tenant's calls, and `GET /requests`, the
// calls that cannot be attributed to a tenant; both newest first.
func List(db storage.DB, budget *api.Budget) api.Handler {
	type page struct {
		Requests []callBody `json:"requests"`
		Before   string     `json:"before,omitempty"` // where the next page begins
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenantID, err := ownerInPath(r, db)
		if err != nil {
			return err
		}
		filter, err := readCallFilter(r.URL.Query())
		if err != nil {
			return err
		}
		args := pgx.StrictNamedArgs{
			"tenant_id": tenantID, "paged": filter.before != feed.Cursor{},
			"xid": int64(filter.before.XID), "seq": int64(filter.before.Seq), "route": filter.route, "method": filter.method,
			"lowest": filter.lowest, "highest": filter.highest, "tx_id": filter.txID, "client_id": filter.clientID, "q": filter.inPath,
			"since": filter.since, "until": filter.until, "limit": filter.limit, "bytes": pageBytes,
		}
		size, err := pageSize(r.Context(), db, args)
		if err != nil {
			return err
		}
		room, err := budget.Reserve(r.Context(), tenantID, callMemory*size)
		if err != nil {
			return err
		}
		defer room.Release()
		found, err := storage.All[struct {
			recordedCall
			Matched int // one more than the limit if there are more
		}](r.Context(), db, `
			select `+filter.columns()+`, matched
			from (
				select *, sum(size) over (order by xid desc, seq desc) - size as before, count(*) over () as matched
				from (`+matchingCalls+`) matching
			) counted
			where before <= @bytes
			order by xid desc, seq desc`,
			args)
		if err != nil {
			return fmt.Errorf("list calls: %w", err)
		}
		response := page{Requests: make([]callBody, min(len(found), filter.limit))}
		for i := range response.Requests {
			response.Requests[i] = newCallBody(found[i].recordedCall)
			if filter.withoutBodies {
				response.Requests[i].Fidelity = "" // it can depend on the bodies
			}
			if found[i].Matched > len(response.Requests) {
				response.Before = feed.Cursor{XID: found[i].XID, Seq: found[i].Seq}.String()
			}
		}
		return api.Write(w, http.StatusOK, response)
	}
}

// Read is `GET /tenants/{t}/requests/{id}`, and `GET /requests/{id}` for calls that
// cannot be attributed to a tenant: the call whose response had the X-Request-Id.
func Read(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenantID, err := ownerInPath(r, db)
		if err != nil {
			return err
		}
		id, err := uuid.Parse(r.PathValue("id"))
		if err != nil {
			return callNotFound()
		}
		found, err := storage.One[recordedCall](r.Context(), db, `
			select `+recordedCallColumns+`
			from calls
			where tenant_id = @tenant_id
			and last_id >= @id
			and first_id <= @id
			and id = @id`,
			pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
		if errors.Is(err, pgx.ErrNoRows) {
			return callNotFound()
		}
		if err != nil {
			return fmt.Errorf("find call: %w", err)
		}
		return api.Write(w, http.StatusOK, newCallBody(found))
	}
}

// ownerInPath returns the id of the tenant named in the path; unattributed if the path
// names none.
func ownerInPath(r *http.Request, db storage.DB) (uuid.UUID, error) {
	if r.PathValue("t") == "" {
		return unattributed, nil
	}
	tenant, err := auth.TenantInPath(r, db)
	return tenant.ID, err
}

func callNotFound() *api.Error { return api.NewControlError(http.StatusNotFound, "Request not found") }

func newCallBody(r recordedCall) callBody {
	body := callBody{
		ID: r.ID, At: api.Time(r.At), DurationMs: float64(r.Duration.Microseconds()) / 1000, ClientID: r.ClientID,
		Method: r.Method, Path: r.Path, Route: r.Route, Reason: r.Reason, TxID: r.TxID, ExpiredToken: r.TokenExpired, Faults: r.Faults, Outcome: r.Outcome,
		Request:  newMessageBody(r.RequestHeaders, r.RequestBody, r.RequestSize),
		Response: newMessageBody(r.ResponseHeaders, r.ResponseBody, r.ResponseSize),
	}
	if r.Status != 0 {
		body.Status = &r.Status
		body.Fidelity = r.fidelityLabel()
	}
	body.Hint = r.Hint
	body.Request.Parts = r.Parts
	if r.OutcomeCompany != "" {
		body.OutcomeMatch = &matchBody{r.OutcomeCompany}
	}
	if r.RequestSHA256 != nil {
		body.Request.File = &fileBody{r.Filename, r.ContentType, hex.EncodeToString(r.RequestSHA256)}
	}
	return body
}

// isTruncated reports whether only the start of a body of the given size is stored.
func isTruncated(body []byte, size int64) bool {
	return len(body) > 0 && (size > MaxBody || size > api.SmallBody && len(body) <= api.SmallBody)
}

func newMessageBody(headers json.RawMessage, body []byte, size int64) messageBody {
	message := messageBody{Headers: http.Header{}, Body: strings.ToValidUTF8(string(body), "\uFFFD"), Size: size, Truncated: isTruncated(body, size)}
	json.Unmarshal(headers, &message.Headers) // fails only if masking has cut an escape sequence
	return message
}

// callFilter selects calls. Empty fields select all.
type callFilter struct {
	route, method, txID string
	clientID            string
	inPath              string // a part of the path, in any case
	withoutBodies       bool   // the calls have no headers and bodies
	lowest, highest     int    // status; 0 = no response
	since, until        *time.Time
	limit               int
	before              feed.Cursor
}

func readCallFilter(query url.Values) (callFilter, error) {
	f := callFilter{highest: 999, limit: 100}
	text := func(to *string) func(string) bool {
		return func(value string) bool { *to = value; return true }
	}
	err := api.ReadQuery(query, map[string]func(string) bool{
		"route":     text(&f.route),
		"method":    text(&f.method),
		"tx_id":     text(&f.txID),
		"q":         text(&f.inPath),
		"client_id": text(&f.clientID),
		"bodies":    func(value string) bool { f.withoutBodies = value == "false"; return f.withoutBodies || value == "true" },
		"status":    api.ParseStatuses(&f.lowest, &f.highest),
		"since":     api.ParseInstant(&f.since),
		"until":     api.ParseInstant(&f.until),
		"limit":     api.ParseLimit(&f.limit),
		"before":    func(value string) (ok bool) { f.before, ok = feed.ParseCursor(value); return ok },
	})
	f.method = strings.ToUpper(f.method)
	return f, err
}

// columns returns the columns of recordedCall. Without bodies, neither they nor the
// headers are read.
func (f callFilter) columns() string {
	if !f.withoutBodies {
		return recordedCallColumns
	}
	return strings.NewReplacer(
		"request_headers", "'{}' as request_headers", "request_body", "''::bytea as request_body",
		"response_headers", "'{}' as response_headers", "response_body", "''::bytea as response_body",
	).Replace(recordedCallColumns)
}
