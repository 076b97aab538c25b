package control

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// deliveryAnswer is a delivery with all its attempts.
type deliveryAnswer struct {
	RequestID  uuid.UUID       `json:"request_id"`
	HookID     uuid.UUID       `json:"hook_id"`
	URL        string          `json:"url"`
	EventID    uuid.UUID       `json:"event_id"`
	Event      string          `json:"event"`
	Body       string          `json:"body"`
	State      string          `json:"state"`
	Redelivery bool            `json:"redelivery"`
	CreatedAt  api.Time        `json:"created_at"`
	Request    *requestAnswer  `json:"request"`
	Attempts   []attemptAnswer `json:"attempts"`
}

// requestAnswer is a request as it goes over the wire.
type requestAnswer struct {
	Method  string             `json:"method"`
	URL     string             `json:"url"`
	Headers []hooks.HeaderLine `json:"headers"` // in the order sent
	bodyAnswer
}

// bodyAnswer is a body, as bytes too when it is no text.
type bodyAnswer struct {
	Body   string `json:"body"`
	Base64 []byte `json:"body_base64,omitempty"`
}

func newBodyAnswer(body []byte) bodyAnswer {
	if utf8.Valid(body) {
		return bodyAnswer{Body: string(body)}
	}
	return bodyAnswer{strings.ToValidUTF8(string(body), "\uFFFD"), body}
}

// attemptAnswer is one attempt and what the receiver answered.
type attemptAnswer struct {
	hooks.Attempt
	At       api.Time        `json:"at"`
	Address  string          `json:"address"`
	Response *responseAnswer `json:"response"`
}

// responseAnswer is a receiver's answer, its body as far as it was kept.
type responseAnswer struct {
	Headers http.Header `json:"headers"`
	bodyAnswer
}

// newResponseAnswer is nil when there was no answer.
func newResponseAnswer(status int, header http.Header, body []byte) *responseAnswer {
	if status == 0 {
		return nil
	}
	return &responseAnswer{header, newBodyAnswer(body)}
}

func newRequestAnswer(request hooks.Request) requestAnswer {
	return requestAnswer{request.Method, request.URL, request.Header, newBodyAnswer(request.Body)}
}

// Deliveries is `GET /tenants/{t}/deliveries`: newest first, a page at a time,
// each with the request as it is sent, or would be, and all its attempts.
func Deliveries(db storage.DB, sender *hooks.Sender, seal *hooks.Seal) api.Handler {
	type answer struct {
		Deliveries []deliveryAnswer `json:"deliveries"`
		Before     string           `json:"before,omitempty"` // where the next page begins
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		wanted, err := readDeliveries(r.URL.Query())
		if err != nil {
			return err
		}
		page, err := wanted.List(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		shown := answer{Deliveries: make([]deliveryAnswer, len(page.Deliveries))}
		for i, d := range page.Deliveries {
			shown.Deliveries[i] = newDeliveryAnswer(d, page.Attempts[d.ID])
			if page.More {
				shown.Before = d.ID.String()
			}
			request, err := d.Request(sender, seal)
			if err != nil { // sealed under another key: that one can't be sent either
				slog.WarnContext(r.Context(), "request of a delivery not shown", "delivery", d.ID, "err", err)
				continue
			}
			made := newRequestAnswer(request)
			shown.Deliveries[i].Request = &made
		}
		return api.Write(w, http.StatusOK, shown)
	}
}

func newDeliveryAnswer(d hooks.Delivery, tried []hooks.Tried) deliveryAnswer {
	answer := deliveryAnswer{
		RequestID: d.ID, HookID: d.HookID, URL: d.URL, EventID: d.EventID, Event: d.Event, Body: string(d.Body),
		State: d.State, Redelivery: d.Redelivery, CreatedAt: api.Time(d.CreatedAt), Attempts: make([]attemptAnswer, len(tried)),
	}
	for i, a := range tried {
		answer.Attempts[i] = attemptAnswer{a.Attempt, api.Time(a.At), a.Address, newResponseAnswer(a.Status, a.Header, a.Body)}
	}
	return answer
}

// deliveryStates are those that deliveries can be listed by.
var deliveryStates = []string{"pending", "delivered", "dead", "dropped", "collected"}

// readDeliveries reads which deliveries are asked for.
func readDeliveries(query url.Values) (hooks.Deliveries, error) {
	q := hooks.Deliveries{Limit: 100}
	for name, values := range query {
		value := values[0]
		ok := len(values) == 1
		var err error
		switch name {
		case "hook_id":
			q.HookID, err = idOf(value)
		case "event":
			q.Event = value
		case "state":
			q.State, ok = value, ok && slices.Contains(deliveryStates, value)
		case "status":
			if q.Unanswered = value == "0"; !q.Unanswered {
				q.Least, q.Most, err = statuses(value)
				ok = ok && q.Most > 0
			}
		case "since":
			q.Since, err = instant(value)
		case "until":
			q.Until, err = instant(value)
		case "limit":
			q.Limit, err = strconv.Atoi(value)
			ok = ok && q.Limit >= 1 && q.Limit <= maxLimit
		case "before":
			q.Before, err = idOf(value)
		default:
			return hooks.Deliveries{}, badRequest("unknown parameter %q", name)
		}
		if err != nil || !ok || strings.ContainsRune(value, 0) {
			return hooks.Deliveries{}, badRequest("%s: %q is not of the right form", name, value)
		}
	}
	return q, nil
}

func idOf(text string) (*uuid.UUID, error) {
	id, err := uuid.Parse(text)
	return &id, err
}
