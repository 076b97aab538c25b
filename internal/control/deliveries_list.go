package control

import (
	"context"
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

// deliveryBody is a delivery with all its attempts.
type deliveryBody struct {
	RequestID  uuid.UUID     `json:"request_id"`
	HookID     uuid.UUID     `json:"hook_id"`
	URL        string        `json:"url"`
	EventID    uuid.UUID     `json:"event_id"`
	Event      string        `json:"event"`
	Body       string        `json:"body"`
	State      string        `json:"state"`
	Redelivery bool          `json:"redelivery"`
	CreatedAt  api.Time      `json:"created_at"`
	Request    *requestBody  `json:"request"`
	Attempts   []attemptBody `json:"attempts"`
	TxID       string        `json:"tx_id"`
	Next       api.Time      `json:"next_attempt_at"` // "" unless it is pending
}

// requestBody is the request of a delivery as it is sent.
type requestBody struct {
	Method  string             `json:"method"`
	URL     string             `json:"url"`
	Headers []hooks.HeaderLine `json:"headers"` // in the order sent
	contentBody
}

// contentBody is the body of a request or response as text; also as bytes if it is not
// valid UTF-8.
type contentBody struct {
	Body   string `json:"body"`
	Base64 []byte `json:"body_base64,omitempty"`
}

func newContentBody(body []byte) contentBody {
	if utf8.Valid(body) {
		return contentBody{Body: string(body)}
	}
	return contentBody{strings.ToValidUTF8(string(body), "\uFFFD"), body}
}

// attemptBody is an attempt with the receiver's response.
type attemptBody struct {
	hooks.Attempt
	At       api.Time      `json:"at"`
	Address  string        `json:"address"`
	Response *responseBody `json:"response"`
	Request  *requestBody  `json:"request,omitempty"` // only of a single delivery
}

// responseBody is a receiver's response, with the stored part of its body.
type responseBody struct {
	Headers http.Header `json:"headers"`
	contentBody
}

// newResponseBody returns nil if there was no response.
func newResponseBody(status int, header http.Header, body []byte) *responseBody {
	if status == 0 {
		return nil
	}
	return &responseBody{header, newContentBody(body)}
}

func newRequestBody(request hooks.Request) requestBody {
	return requestBody{request.Method, request.URL, request.Header, newContentBody(request.Body)}
}

// deliveryMemory is how many times more memory deliveries need while they are rendered
// than in their stored form: each body is shown twice.
const deliveryMemory = 3

// Deliveries is `GET /tenants/{t}/deliveries`: a page of deliveries, newest first, each
// with all its attempts and with the request as it was or would be sent.
func Deliveries(db storage.DB, budget *api.Budget, sender *hooks.Sender, seal *hooks.Seal) api.Handler {
	type response struct {
		Deliveries []deliveryBody `json:"deliveries"`
		Before     string         `json:"before,omitempty"` // cursor of the next page
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		filter, err := readDeliveryFilter(r.URL.Query())
		if err != nil {
			return err
		}
		size, err := filter.PageSize(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		room, err := budget.Reserve(r.Context(), tenant.ID, deliveryMemory*size)
		if err != nil {
			return err
		}
		defer room.Release()
		page, err := filter.List(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		room.Resize(deliveryMemory * page.Size())
		body := response{Deliveries: make([]deliveryBody, len(page.Deliveries))}
		for i, d := range page.Deliveries {
			body.Deliveries[i] = newDeliveryBody(tenant, d, page.Attempts[d.ID])
			if page.More {
				body.Before = d.ID.String()
			}
			if filter.WithoutBodies {
				for j := range body.Deliveries[i].Attempts {
					body.Deliveries[i].Attempts[j].Response = nil
				}
				continue
			}
			request, err := d.Request(r.Context(), sender, seal)
			body.Deliveries[i].Request = builtRequest(r.Context(), d, request, err)
		}
		return api.Write(w, http.StatusOK, body)
	}
}

// builtRequest returns a request of a delivery. It is nil if the request could not be
// built, because it was sealed with another master key: it cannot be sent either.
func builtRequest(ctx context.Context, d hooks.Delivery, request hooks.Request, err error) *requestBody {
	if err != nil {
		slog.WarnContext(ctx, "building the request of a delivery failed", "delivery", d.ID, "err", err)
		return nil
	}
	body := newRequestBody(request)
	return &body
}

// Delivery is `GET /tenants/{t}/deliveries/{id}`: a delivery like those of Deliveries, and
// the request of each attempt.
func Delivery(db storage.DB, budget *api.Budget, sender *hooks.Sender, seal *hooks.Seal) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		id, ok := api.ParseID(r.PathValue("id"))
		if !ok {
			return deliveryNotFound()
		}
		filter := hooks.DeliveryFilter{ID: &id, Limit: 1}
		page, err := filter.List(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		if len(page.Deliveries) == 0 {
			return deliveryNotFound()
		}
		d, attempts := page.Deliveries[0], page.Attempts[id]
		room, err := budget.Reserve(r.Context(), tenant.ID, deliveryMemory*(page.Size()+int64(len(attempts)*len(d.Body))))
		if err != nil {
			return err
		}
		defer room.Release()
		body := newDeliveryBody(tenant, d, attempts)
		request, err := d.Request(r.Context(), sender, seal)
		if body.Request = builtRequest(r.Context(), d, request, err); body.Request != nil {
			for i, a := range attempts {
				request, err := d.RequestOf(r.Context(), sender, seal, a.Attempt)
				body.Attempts[i].Request = builtRequest(r.Context(), d, request, err)
			}
		}
		return api.Write(w, http.StatusOK, body)
	}
}

func newDeliveryBody(tenant auth.Tenant, d hooks.Delivery, attempts []hooks.AttemptDetail) deliveryBody {
	body := deliveryBody{
		RequestID: d.ID, HookID: d.HookID, URL: d.URL, EventID: d.EventID, Event: d.Event, Body: string(d.Body),
		State: d.State, Redelivery: d.Redelivery, CreatedAt: api.Time(d.CreatedAt), Attempts: make([]attemptBody, len(attempts)),
		TxID: d.TxID,
	}
	if d.State == "pending" {
		body.Next = api.Time(tenant.TimeDue(d.DueAt))
	}
	for i, a := range attempts {
		body.Attempts[i] = attemptBody{Attempt: a.Attempt, At: api.Time(a.At), Address: a.Address, Response: newResponseBody(a.Status, a.Header, a.Body)}
	}
	return body
}

// deliveryStates are the states by which deliveries can be listed.
var deliveryStates = []string{"pending", "delivered", "dead", "dropped", "collected"}

// readDeliveryFilter reads the parameters of a list of deliveries.
func readDeliveryFilter(query url.Values) (hooks.DeliveryFilter, error) {
	q := hooks.DeliveryFilter{Limit: 100}
	statuses := api.ParseStatuses(&q.Lowest, &q.Highest)
	err := api.ReadQuery(query, map[string]func(string) bool{
		"hook_id": api.ParseUUID(&q.HookID),
		"tx_id":   func(value string) bool { q.TxID = value; return value != "" },
		"event":   func(value string) bool { q.Event = value; return true },
		"state":   func(value string) bool { q.State = value; return slices.Contains(deliveryStates, value) },
		"status": func(value string) bool {
			q.NoResponse = value == "0"
			return q.NoResponse || statuses(value) && q.Highest > 0
		},
		"bodies": func(value string) bool {
			q.WithoutBodies = value == "false"
			return value == "true" || value == "false"
		},
		"since":  api.ParseInstant(&q.Since),
		"until":  api.ParseInstant(&q.Until),
		"limit":  api.ParseLimit(&q.Limit),
		"before": api.ParseUUID(&q.Before),
	})
	return q, err
}
