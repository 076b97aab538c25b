package control

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
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
		tenant, err := auth.TenantInPath(r, db)
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

func newDeliveryAnswer(d hooks.Delivery, tried []hooks.AttemptDetail) deliveryAnswer {
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

// readDeliveries reads which deliveries to list.
func readDeliveries(query url.Values) (hooks.DeliveryFilter, error) {
	q := hooks.DeliveryFilter{Limit: 100}
	statuses := api.ParseStatuses(&q.Lowest, &q.Highest)
	err := api.ReadQuery(query, map[string]func(string) bool{
		"hook_id": api.ParseUUID(&q.HookID),
		"event":   func(value string) bool { q.Event = value; return true },
		"state":   func(value string) bool { q.State = value; return slices.Contains(deliveryStates, value) },
		"status": func(value string) bool {
			q.NoResponse = value == "0"
			return q.NoResponse || statuses(value) && q.Highest > 0
		},
		"since":  api.ParseInstant(&q.Since),
		"until":  api.ParseInstant(&q.Until),
		"limit":  api.ParseLimit(&q.Limit),
		"before": api.ParseUUID(&q.Before),
	})
	return q, err
}
