package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Effect is an event that happened while the clock was advanced. Fields that do not
// apply to its Kind are zero.
type Effect struct {
	Kind    string    `json:"kind"` // "state", "expired" or "delivery"
	At      time.Time `json:"at"`
	TxID    string    `json:"tx_id"`
	Status  string    `json:"status"`   // kind "state": the new status
	Expired string    `json:"what"`     // kind "expired": "upload_url", "access_token", "client_secret" or "fault"
	Attempt *Attempt  `json:"delivery"` // kind "delivery": the attempt and its result; At is the time of the attempt, and Response is not included

	ClientID  string `json:"client_id"`  // of an expired access token or client secret: its client
	RequestID string `json:"request_id"` // of an expired access token: the call that issued it, see Sandbox.Request
	FaultID   string `json:"fault_id"`   // of an expired fault
}

// Event is an entry of the tenant's feed.
type Event struct {
	Cursor string          `json:"cursor"` // position in the feed, for AwaitAfter
	At     time.Time       `json:"at"`
	Kind   string          `json:"kind"`  // "state", "call", "delivery" or "expired"
	Name   string          `json:"event"` // "subject:action"
	TxID   string          `json:"tx_id"` // "" if the event belongs to no transaction
	Data   json.RawMessage `json:"data"`
}

// Transaction is a submission. The times of steps that have not happened yet are
// zero.
type Transaction struct {
	TxID            string    `json:"tx_id"`
	UserID          string    `json:"user_id"`
	Filename        string    `json:"filename"`
	Status          string    `json:"status"` // Pending, Submission_in_progress, Scheduled, Started, Completed, Failed
	ReviewRequired  bool      `json:"review"` // whether version 4 shows the status Review_required
	CreatedAt       time.Time `json:"created_at"`
	UploadExpiresAt time.Time `json:"upload_expires_at"`
	UploadedAt      time.Time `json:"uploaded_at"`
	TxStartTime     time.Time `json:"tx_start_time"`
	TxEndTime       time.Time `json:"tx_end_time"`
	Size            int64     `json:"size"`    // bytes; 0 before the upload
	SHA256          string    `json:"sha256"`  // hexadecimal; "" before the upload
	Failure         string    `json:"failure"` // why it failed; "" if it did not
	CReportID       string    `json:"c_report_id"`
	LReportID       string    `json:"l_report_id"`
	Company         string    `json:"company"` // name of the insured; "" if it is unknown

	// Set by Sandbox.Transaction only.
	Timeline   []StateChange   `json:"timeline"`
	Extraction json.RawMessage `json:"extraction"` // the values extracted from the document, with score and location; null until the submission ends
}

// StateChange is the time at which a submission reached a status.
type StateChange struct {
	Status string    `json:"status"`
	At     time.Time `json:"at"`
}

// optionalTime is a time that is encoded as "" if it is zero.
type optionalTime time.Time

func (t *optionalTime) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return (*time.Time)(t).UnmarshalText(text)
}

// UnmarshalJSON decodes a response of the control API.
func (t *Transaction) UnmarshalJSON(text []byte) error {
	type plain Transaction
	decoded := struct {
		*plain
		UploadedAt  optionalTime `json:"uploaded_at"`
		TxStartTime optionalTime `json:"tx_start_time"`
		TxEndTime   optionalTime `json:"tx_end_time"`
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(text, &decoded); err != nil {
		return fmt.Errorf("transaction: %w", err)
	}
	t.UploadedAt, t.TxStartTime, t.TxEndTime = time.Time(decoded.UploadedAt), time.Time(decoded.TxStartTime), time.Time(decoded.TxEndTime)
	return nil
}

// FiredEvent is an event that Sandbox.FireEvent published.
type FiredEvent struct {
	EventID       string `json:"event_id"`      // X-Request-Id of its deliveries
	Subscriptions int    `json:"subscriptions"` // how many active subscriptions matched
}

// Delivery is the delivery of an event to a webhook subscription.
type Delivery struct {
	RequestID  string    `json:"request_id"` // ID of the delivery, as in the API's list of webhook requests
	HookID     string    `json:"hook_id"`
	URL        string    `json:"url"`
	EventID    string    `json:"event_id"` // X-Request-Id of each attempt
	Event      string    `json:"event"`
	Body       string    `json:"body"`  // the exact bytes sent
	State      string    `json:"state"` // "pending", "delivered", "dead", "dropped" or "collected"
	Redelivery bool      `json:"redelivery"`
	CreatedAt  time.Time `json:"created_at"`
	Attempts   []Attempt `json:"attempts"`
	TxID       string    `json:"tx_id"` // the transaction that the event is about; "" if there is none

	NextAttemptAt time.Time `json:"next_attempt_at"` // zero unless it is pending

	// Request is the last request sent, or the one that would be sent, including
	// its signature. It is nil if the subscription's secret cannot be decrypted,
	// or if the server is too old to return it.
	Request *WebhookRequest `json:"request"`
}

// UnmarshalJSON decodes a response of the control API.
func (d *Delivery) UnmarshalJSON(text []byte) error {
	type plain Delivery
	decoded := struct {
		*plain
		NextAttemptAt optionalTime `json:"next_attempt_at"`
	}{plain: (*plain)(d)}
	if err := json.Unmarshal(text, &decoded); err != nil {
		return fmt.Errorf("delivery: %w", err)
	}
	d.NextAttemptAt = time.Time(decoded.NextAttemptAt)
	return nil
}

// WebhookRequest is the HTTP/1.1 request of a delivery.
type WebhookRequest struct {
	Method  string        `json:"method"`
	URL     string        `json:"url"`
	Headers []HeaderField `json:"headers"` // in the order sent
	Body    string        `json:"body"`
	RawBody []byte        `json:"body_base64"` // the exact bytes, if they are not valid UTF-8
}

// HeaderField is one field of a request's header.
type HeaderField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// WebhookResponse is a receiver's response to a delivery.
type WebhookResponse struct {
	Headers http.Header `json:"headers"`
	Body    string      `json:"body"`        // the first 16 KB
	RawBody []byte      `json:"body_base64"` // the same bytes, if they are not valid UTF-8
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	DeliveryID string    `json:"delivery_id"` // X-Delivery-Id
	RequestID  string    `json:"request_id"`
	HookID     string    `json:"hook_id"`
	Event      string    `json:"event"`
	URL        string    `json:"url"`
	Number     int       `json:"attempt"` // from 1
	Status     int       `json:"status"`  // 0 if there was no response
	Failure    string    `json:"failure"` // class of error, such as "dns"; "" if there was a response other than a redirect
	DurationMs int64     `json:"duration_ms"`
	Faults     []string  `json:"faults"` // the faults that affected it: "duplicate", "delay", "reorder", "wrong_signature", "truncate" or "drop"
	At         time.Time `json:"at"`

	Address  string           `json:"address"`  // network address that was dialled; "" if none was
	Response *WebhookResponse `json:"response"` // nil if there was none, or if the server is too old to return it
	Request  *WebhookRequest  `json:"request"`  // only set by Sandbox.Delivery
}

// Request is a recorded call of the API. Secrets in it are masked.
type Request struct {
	ID           string      `json:"id"` // X-Request-Id of the response
	At           time.Time   `json:"at"`
	DurationMs   float64     `json:"duration_ms"`
	ClientID     string      `json:"client_id"` // "" for an upload, which has no client
	Method       string      `json:"method"`
	Path         string      `json:"path"`     // with the query
	Route        string      `json:"route"`    // method and pattern
	Status       int         `json:"status"`   // 0 if there was no response
	Fidelity     string      `json:"fidelity"` // how certain the response is: "stated", "public" or "chosen"; "" if a fault affected it, or if the server is too old
	Reason       string      `json:"reason"`   // why the call was refused or failed; "" if it was not
	TxID         string      `json:"tx_id"`
	ExpiredToken bool        `json:"expired_token"`
	FaultIDs     []string    `json:"faults"` // of the faults that affected the call
	Request      HTTPMessage `json:"request"`
	Response     HTTPMessage `json:"response"`
	Outcome      bool        `json:"outcome"`       // an outcome determined the response
	Hint         string      `json:"hint"`          // X-Understudy-Hint of the response
	OutcomeMatch Match       `json:"outcome_match"` // of that outcome; empty if it is unknown
}

// HTTPMessage is the request or the response of a call.
type HTTPMessage struct {
	Headers   http.Header   `json:"headers"`
	Body      string        `json:"body"` // the first 64 KB
	Size      int64         `json:"size"` // bytes of the body that were read; for an upload, the size of the file
	Truncated bool          `json:"truncated"`
	Parts     []Part        `json:"parts"` // of a multipart request
	File      *UploadedFile `json:"file"`
}

// Part is a part of a multipart request, without its content.
type Part struct {
	Name        string `json:"name"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
}

// UploadedFile is the file of an upload.
type UploadedFile struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	SHA256      string `json:"sha256"`
}

// RequestFilter selects the calls that Requests returns. Fields that are zero
// select all calls.
type RequestFilter struct {
	Route  string // method and pattern, or the pattern alone
	Method string
	Status string // such as "503" or "5xx"; "0" for calls without a response
	TxID   string
	Client string    // client_id
	Path   string    // a part of the path or its query, in any case
	Since  time.Time // at or after this time
	Until  time.Time // before this time
	Limit  int       // at most this many, newest first; 0 means all

	WithoutBodies bool // Request and Response have no headers and bodies
}

func (f RequestFilter) query() url.Values {
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
	set("client_id", f.Client)
	set("q", f.Path)
	if f.WithoutBodies {
		set("bodies", "false")
	}
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

// Finding is a mistake that the tenant's clients have made.
type Finding struct {
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Advice   string   `json:"advice"`
	Count    int      `json:"count"`
	Evidence []string `json:"evidence"` // the IDs of the first 20 calls, delivery attempts or subscriptions that show it
}
