package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Effect is something that happened while the clock was moved.
type Effect struct {
	Kind     string    `json:"kind"` // "state", "expired" or "delivery"
	At       time.Time `json:"at"`
	TxID     string    `json:"tx_id"`
	Status   string    `json:"status"`   // of a state: the one reached
	What     string    `json:"what"`     // of what expired: "upload_url", "access_token" or "fault"
	Delivery *Attempt  `json:"delivery"` // of a delivery: the attempt with its result; its time is the effect's, its Response is not shown

	ClientID  string `json:"client_id"`  // of an access token: whose it was
	RequestID string `json:"request_id"` // of an access token: the call that issued it, see Sandbox.Request
	FaultID   string `json:"fault_id"`   // of a fault
}

// Event is something that happened to the tenant.
type Event struct {
	Cursor string          `json:"cursor"` // the place right after it, for AwaitAfter
	At     time.Time       `json:"at"`
	Kind   string          `json:"kind"`  // "state", "call", "delivery" or "expired"
	Event  string          `json:"event"` // "subject:action"
	TxID   string          `json:"tx_id"` // "" when it is about no transaction
	Data   json.RawMessage `json:"data"`
}

// Transaction is a submission. Times are zero for what has not happened yet.
type Transaction struct {
	TxID            string    `json:"tx_id"`
	UserID          string    `json:"user_id"`
	Filename        string    `json:"filename"`
	Status          string    `json:"status"` // Pending, Submission_in_progress, Scheduled, Started, Completed, Failed
	Review          bool      `json:"review"` // version 4 shows Review_required
	CreatedAt       time.Time `json:"created_at"`
	UploadExpiresAt time.Time `json:"upload_expires_at"`
	UploadedAt      time.Time `json:"uploaded_at"`
	TxStartTime     time.Time `json:"tx_start_time"`
	TxEndTime       time.Time `json:"tx_end_time"`
	Size            int64     `json:"size"`    // bytes; 0 before the upload
	SHA256          string    `json:"sha256"`  // hexadecimal; "" before the upload
	Failure         string    `json:"failure"` // why it failed
	CReportID       string    `json:"c_report_id"`
	LReportID       string    `json:"l_report_id"`

	// Of Sandbox.Transaction only.
	Timeline   []Moment        `json:"timeline"`
	Extraction json.RawMessage `json:"extraction"` // what the document states, with score and place; null before the end
}

// Moment is when a submission reached a state.
type Moment struct {
	Status string    `json:"status"`
	At     time.Time `json:"at"`
}

// moment is a time, "" for none.
type moment time.Time

func (m *moment) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return (*time.Time)(m).UnmarshalText(text)
}

// UnmarshalJSON reads what the control API shows.
func (t *Transaction) UnmarshalJSON(text []byte) error {
	type plain Transaction
	shown := struct {
		*plain
		UploadedAt  moment `json:"uploaded_at"`
		TxStartTime moment `json:"tx_start_time"`
		TxEndTime   moment `json:"tx_end_time"`
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(text, &shown); err != nil {
		return fmt.Errorf("transaction: %w", err)
	}
	t.UploadedAt, t.TxStartTime, t.TxEndTime = time.Time(shown.UploadedAt), time.Time(shown.TxStartTime), time.Time(shown.TxEndTime)
	return nil
}

// Delivery is an event on its way to a subscription.
type Delivery struct {
	RequestID  string    `json:"request_id"`
	HookID     string    `json:"hook_id"`
	URL        string    `json:"url"`
	EventID    string    `json:"event_id"` // X-Request-Id of each attempt
	Event      string    `json:"event"`
	Body       string    `json:"body"`  // the exact bytes sent
	State      string    `json:"state"` // "pending", "delivered", "dead", "dropped" or "collected"
	Redelivery bool      `json:"redelivery"`
	CreatedAt  time.Time `json:"created_at"`
	Attempts   []Attempt `json:"attempts"`

	// Request is what was sent last, or would be sent, signature and all; nil
	// when the subscription's secret can't be read, and from servers that do not
	// show it.
	Request *WebhookRequest `json:"request"`
}

// WebhookRequest is a delivery as it goes over the wire by HTTP/1.1.
type WebhookRequest struct {
	Method     string   `json:"method"`
	URL        string   `json:"url"`
	Headers    []Header `json:"headers"` // in the order sent
	Body       string   `json:"body"`
	BodyBase64 []byte   `json:"body_base64"` // the exact bytes, when they are not UTF-8
}

// Header is a line of a request's head.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// WebhookResponse is what a receiver answered.
type WebhookResponse struct {
	Headers    http.Header `json:"headers"`
	Body       string      `json:"body"`        // the first 16 KB
	BodyBase64 []byte      `json:"body_base64"` // the same, when it is not UTF-8
}

// Attempt is one try of a delivery.
type Attempt struct {
	DeliveryID string    `json:"delivery_id"` // X-Delivery-Id
	RequestID  string    `json:"request_id"`
	HookID     string    `json:"hook_id"`
	Event      string    `json:"event"`
	URL        string    `json:"url"`
	Attempt    int       `json:"attempt"` // from 1
	Status     int       `json:"status"`  // 0 = no answer
	Failure    string    `json:"failure"`
	DurationMs int64     `json:"duration_ms"`
	At         time.Time `json:"at"`

	Address  string           `json:"address"`  // that was dialled; "" when it did not come to that
	Response *WebhookResponse `json:"response"` // nil when there was none, and from servers that do not show it
}

// Request is a call of the API. Secrets in it are masked.
type Request struct {
	ID           string    `json:"id"` // the answer's X-Request-Id
	At           time.Time `json:"at"`
	DurationMs   float64   `json:"duration_ms"`
	ClientID     string    `json:"client_id"` // "" for an upload
	Method       string    `json:"method"`
	Path         string    `json:"path"`     // with its query
	Route        string    `json:"route"`    // method and pattern
	Status       int       `json:"status"`   // 0 = no answer
	Fidelity     string    `json:"fidelity"` // how sure the answer is: "stated", "public" or "chosen"; "" where a fault acted, and from servers that do not say
	TxID         string    `json:"tx_id"`
	ExpiredToken bool      `json:"expired_token"`
	Faults       []string  `json:"faults"` // ids of those that acted
	Request      Message   `json:"request"`
	Response     Message   `json:"response"`
}

// Message is one half of a call.
type Message struct {
	Headers   http.Header   `json:"headers"`
	Body      string        `json:"body"` // the first 64 KB
	Size      int64         `json:"size"` // bytes, as far as read; of an upload the file's
	Truncated bool          `json:"truncated"`
	File      *UploadedFile `json:"file"`
}

// UploadedFile is what an upload held.
type UploadedFile struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	SHA256      string `json:"sha256"`
}

// Filter is which calls Requests returns; what is zero asks for nothing.
type Filter struct {
	Route  string // method and pattern, or the pattern alone
	Method string
	Status string // such as "503" or "5xx"; "0" = no answer
	TxID   string
	Since  time.Time // at this time of the tenant or later
	Until  time.Time // before this time of the tenant
	Limit  int       // the newest so many; 0 = all
}

func (f Filter) query() url.Values {
	query := url.Values{"limit": {"1000"}}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("route", f.Route)
	set("method", f.Method)
	set("status", f.Status)
	set("tx_id", f.TxID)
	if !f.Since.IsZero() {
		set("since", f.Since.Format(time.RFC3339Nano))
	}
	if !f.Until.IsZero() {
		set("until", f.Until.Format(time.RFC3339Nano))
	}
	if f.Limit > 0 {
		set("limit", strconv.Itoa(min(1000, f.Limit)))
	}
	return query
}

// Finding is something that the tenant's clients do and should not.
type Finding struct {
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Advice   string   `json:"advice"`
	Count    int      `json:"count"`
	Evidence []string `json:"evidence"` // request ids, of deliveries their ids; the first 20
}
