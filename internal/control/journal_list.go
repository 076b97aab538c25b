package control

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// answerBytes is about how much one answer of the journal holds.
const answerBytes = 8 << 20

// Requests is `GET /tenants/{t}/requests`: the calls of the tenant, newest
// first.
func Requests(db storage.DB) api.Handler {
	type answer struct {
		Requests []callAnswer `json:"requests"`
		Before   string       `json:"before,omitempty"` // where the next page begins
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		wanted, err := readFilter(r.URL.Query())
		if err != nil {
			return err
		}
		if _, err := trim(r.Context(), db, tenant.ID); err != nil {
			return err
		}
		xid, seq := wanted.before.Place()
		found, err := storage.All[struct {
			call
			Matched int // one more than wanted when there are more
		}](r.Context(), db, `
			select `+callColumns+`, matched
			from (
				select *, sum(size) over (order by xid desc, seq desc) - size as before, count(*) over () as matched
				from (
					select *
					from requests
					where tenant_id = @tenant_id
					and (not @paged or (xid, seq) < (@xid::text::xid8, @seq))
					and (@route in ('', '*', route) or split_part(route, ' ', 2) = @route)
					and @method in ('', method)
					and status between @least and @most
					and @tx_id in ('', tx_id)
					and (@since::timestamptz is null or at >= @since)
					and (@until::timestamptz is null or at < @until)
					order by xid desc, seq desc
					limit @limit + 1
				) matching
			) counted
			where before <= @bytes
			order by xid desc, seq desc`,
			pgx.StrictNamedArgs{
				"tenant_id": tenant.ID, "paged": wanted.before != feed.Cursor{}, "xid": xid, "seq": seq, "route": wanted.route, "method": wanted.method,
				"least": wanted.least, "most": wanted.most, "tx_id": wanted.txID,
				"since": wanted.since, "until": wanted.until, "limit": wanted.limit, "bytes": answerBytes,
			})
		if err != nil {
			return fmt.Errorf("list calls: %w", err)
		}
		shown := answer{Requests: make([]callAnswer, min(len(found), wanted.limit))}
		for i := range shown.Requests {
			shown.Requests[i] = newCallAnswer(found[i].call)
			if found[i].Matched > len(shown.Requests) {
				shown.Before = feed.At(found[i].XID, found[i].Seq).String()
			}
		}
		return api.Write(w, http.StatusOK, shown)
	}
}

// Request is `GET /tenants/{t}/requests/{id}`: the call whose answer had the
// X-Request-Id.
func Request(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		id, err := uuid.Parse(r.PathValue("id"))
		if err != nil {
			return callNotFound()
		}
		found, err := storage.One[call](r.Context(), db, `
			select `+callColumns+`
			from requests
			where tenant_id = @tenant_id
			and id = @id`,
			pgx.StrictNamedArgs{"tenant_id": tenant.ID, "id": id})
		if errors.Is(err, pgx.ErrNoRows) {
			return callNotFound()
		}
		if err != nil {
			return fmt.Errorf("find call: %w", err)
		}
		return api.Write(w, http.StatusOK, newCallAnswer(found))
	}
}

func callNotFound() *api.Error { return api.NewError(http.StatusNotFound, "Request not found") }

func newCallAnswer(c call) callAnswer {
	answer := callAnswer{
		ID: c.ID, At: api.Time(c.At), DurationMs: float64(c.Duration.Microseconds()) / 1000, ClientID: c.ClientID,
		Method: c.Method, Path: c.Path, Route: c.Route, TxID: c.TxID, ExpiredToken: c.Expired, Faults: c.Faults,
		Request:  newMessageAnswer(c.RequestHeaders, c.RequestBody, c.RequestSize),
		Response: newMessageAnswer(c.ResponseHeaders, c.ResponseBody, c.ResponseSize),
	}
	if c.Status != 0 {
		answer.Status = &c.Status
		answer.Fidelity = c.fidelity()
	}
	if c.RequestSHA256 != nil {
		answer.Request.File = &fileAnswer{c.File, c.Kind, hex.EncodeToString(c.RequestSHA256)}
	}
	return answer
}

func newMessageAnswer(headers json.RawMessage, body []byte, size int64) messageAnswer {
	answer := messageAnswer{Body: strings.ToValidUTF8(string(body), "\uFFFD"), Size: size, Truncated: len(body) > 0 && size > KeptBody}
	json.Unmarshal(headers, &answer.Headers) // as we wrote it
	return answer
}

// filter is which calls are asked for.
type filter struct {
	route, method, txID string
	least, most         int // status
	since, until        *time.Time
	limit               int
	before              feed.Cursor
}

const maxLimit = 1000

// readFilter reads a query; an unknown name is refused.
func readFilter(query url.Values) (filter, error) {
	f := filter{most: 999, limit: 100}
	for name, values := range query {
		value := values[0]
		ok := len(values) == 1
		var err error
		switch name {
		case "route":
			f.route = value
		case "method":
			f.method = strings.ToUpper(value)
		case "tx_id":
			f.txID = value
		case "status":
			f.least, f.most, err = statuses(value)
		case "since":
			f.since, err = instant(value)
		case "until":
			f.until, err = instant(value)
		case "limit":
			f.limit, err = strconv.Atoi(value)
			ok = ok && f.limit >= 1 && f.limit <= maxLimit
		case "before":
			var place bool
			f.before, place = feed.ParseCursor(value)
			ok = ok && place
		default:
			return filter{}, badRequest("unknown parameter %q", name)
		}
		if err != nil || !ok || strings.ContainsRune(value, 0) {
			return filter{}, badRequest("%s: %q is not of the right form", name, value)
		}
	}
	return f, nil
}

// statuses reads "503", a class such as "5xx", or "0" for no answer.
func statuses(text string) (least, most int, err error) {
	if class, ok := strings.CutSuffix(text, "xx"); ok {
		least, err = strconv.Atoi(class)
		return least * 100, least*100 + 99, err
	}
	least, err = strconv.Atoi(text)
	return least, least, err
}

func instant(text string) (*time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	return &at, err
}
