// Package api is the HTTP form of the service: handlers that return errors,
// the error bodies of each family of endpoints, strict JSON reading, and the
// service's way of writing times. It knows no endpoint.
package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"time"

	"understudy.example/internal/route"
)

// Handler answers a request, or returns an error before it has written
// anything: an *Error is the client's to see, all else is ours.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Error is an answer that refuses a request.
type Error struct {
	Status int
	Header http.Header
	Body   any
}

func (e *Error) Error() string { return fmt.Sprintf("%d %v", e.Status, e.Body) }

// Form makes the body of an error that any endpoint of a family can have.
type Form func(status int, message string) any

// Message is the form of the token-less families: submit, status, data and
// company (decisions: `{"message"}`).
func Message(_ int, message string) any {
	return struct {
		Message string `json:"message"`
	}{message}
}

// Hooks is the form of the webhook endpoints: the status and its words.
func Hooks(status int, _ string) any {
	return struct {
		Status int    `json:"status"`
		Error  string `json:"error"`
	}{status, http.StatusText(status)}
}

// OAuth is the form of RFC 6749 section 5.2 for errors that are not the grant's.
func OAuth(status int, message string) any {
	code := "invalid_request"
	switch status {
	case http.StatusInternalServerError:
		code = "server_error"
	case http.StatusServiceUnavailable:
		code = "temporarily_unavailable"
	}
	return OAuthBody{code, message}
}

// OAuthBody is an error body of RFC 6749 section 5.2.
type OAuthBody struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// Refuse is the error with the given status and message in the {"message"} form.
func Refuse(status int, message string) *Error {
	return &Error{Status: status, Body: Message(status, message)}
}

// Unavailable is the answer of a server that can't serve for the moment.
func Unavailable(form Form) *Error {
	return &Error{
		Status: http.StatusServiceUnavailable,
		Header: http.Header{"Retry-After": {"1"}},
		Body:   form(http.StatusServiceUnavailable, "Service Unavailable"),
	}
}

// readUntil ends reads of the request's body after d.
func readUntil(w http.ResponseWriter, d time.Duration) error {
	err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(d))
	if errors.Is(err, http.ErrNotSupported) {
		return nil // a recorder in a test
	}
	return err
}

// How much of a refused request's body is read on.
const (
	drainBytes = 256 << 20
	drainTime  = 10 * time.Second
)

// drain reads what is left of a refused request's body, within bounds, so that
// a client that sends before it listens gets to hear the answer. One that
// waits for a 100 Continue hears it without.
func drain(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Expect") == "" && readUntil(w, drainTime) == nil {
		io.CopyN(io.Discard, r.Body, drainBytes) // best effort
	}
}

// Serve runs the handler and answers its error: its own answer for an *Error,
// 503 while the database is away, else a bland 500. A panic is a 500 of that
// request alone. What is ours is logged here, once.
func Serve(form Form, unavailable func(error) bool, handler Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := guard(handler, w, r)
		if err == nil {
			return
		}
		drain(w, r)
		var refusal *Error
		switch {
		case errors.As(err, &refusal):
		case unavailable(err):
			slog.WarnContext(r.Context(), "database away", "path", r.URL.Path, "err", err, "request_id", w.Header().Get("X-Request-Id"))
			refusal = Unavailable(form)
		default:
			slog.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "err", err, "request_id", w.Header().Get("X-Request-Id"))
			refusal = &Error{Status: http.StatusInternalServerError, Body: form(http.StatusInternalServerError, "Internal server error")}
		}
		maps.Copy(w.Header(), refusal.Header)
		Write(w, refusal.Status, refusal.Body) // the connection is gone
	})
}

// guard turns a panic of the handler into an error.
func guard(handler Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return handler(w, r)
}

// Text is a body that is sent as it is, not as JSON.
type Text string

// Write answers with v as JSON, or as it is when it is Text.
func Write(w http.ResponseWriter, status int, v any) error {
	if text, ok := v.(Text); ok {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		w.WriteHeader(status)
		io.WriteString(w, string(text)) // the connection is gone
		return nil
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(bytes.TrimSuffix(body.Bytes(), []byte("\n"))) // the connection is gone
	return nil
}

// Time is a time as answers show it: RFC 3339 with microseconds and an offset
// of +00:00. The zero time is "".
type Time time.Time

// String writes the time in the service's form.
func (t Time) String() string {
	if time.Time(t).IsZero() {
		return ""
	}
	return time.Time(t).UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

// MarshalJSON writes the time in the service's form.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// Seconds is the time between two shown times, which are whole microseconds.
func Seconds(from, to time.Time) float64 {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return float64(to.Truncate(time.Microsecond).Sub(from.Truncate(time.Microsecond)).Microseconds()) / 1e6 // Duration.Seconds is not exact
}

// FormOf returns the form of the error bodies of a family of routes.
func FormOf(family route.Family) Form {
	switch family {
	case route.OAuth:
		return OAuth
	case route.Hooks:
		return Hooks
	}
	return Message
}
