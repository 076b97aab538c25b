// Package api contains what all endpoints share: handlers that return errors,
// the error bodies of each family of endpoints, strict JSON decoding, time
// limits, and the format of times. It does not know any endpoint.
package api

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"understudy.example/internal/call"
	"understudy.example/internal/transfer"
)

// Handler handles a request. If it fails, it returns an error and writes
// nothing. An *Error is sent to the client; any other error is an internal one.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Limits of drain.
const (
	maxDrainBytes = 256 << 20
	maxDrainTime  = 10 * time.Second
)

// drain reads the rest of the body of a rejected request, within limits, because
// some clients do not read the response before they have sent the whole body.
// That is unnecessary for a client that waits for 100 Continue.
func drain(r *http.Request) {
	if r.Header.Get("Expect") == "" && r.ContentLength != 0 {
		transfer.LimitBody(r.Context(), time.Now().Add(maxDrainTime))
		defer transfer.AwaitBody(r.Context())()
		io.CopyN(io.Discard, r.Body, maxDrainBytes) // best effort
	}
}

// Serve returns an http.Handler that calls the handler and sends an error response if it
// returns an error. That is the response of an *Error, 503 if unavailable returns a
// reason for the error or there is not enough memory for a large response or body, 408 if
// the body did not arrive in time, and otherwise 500 without details. A panic of the
// handler counts as an error. Serve logs all other errors that are not an *Error.
func Serve(format ErrorFormat, unavailable func(error) (reason string), handler Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if reason := transfer.Ended(r.Context()); reason != "" {
				call.From(r.Context()).Reason = reason
			}
		}()
		err := callRecovered(handler, w, r)
		if err == nil {
			return
		}
		var response *Error
		if reason := transfer.BodyEnded(r.Context()); reason != "" {
			newBodyTimeoutError(format, reason).send(w, r)
			return
		}
		drain(r)
		switch {
		case errors.As(err, &response):
		case errors.Is(err, ErrBusy):
			response = newUnavailableError(format, "too many large responses are being read at once: retry, and read fewer of them at a time")
		case errors.Is(err, ErrBodiesBusy):
			response = newUnavailableError(format, "too many large request bodies are being sent at once: retry, and send fewer of them at a time")
		case unavailable(err) != "":
			slog.WarnContext(r.Context(), "database unavailable", "path", LoggedPath(r.URL.Path, Mask), "err", err, "request_id", w.Header().Get("X-Request-Id"))
			response = newUnavailableError(format, unavailable(err))
		default:
			slog.ErrorContext(r.Context(), "request failed", "path", LoggedPath(r.URL.Path, Mask), "err", err, "request_id", w.Header().Get("X-Request-Id"))
			response = newInternalError(format)
		}
		response.send(w, r)
	})
}

// callRecovered calls the handler and returns a panic as an error.
func callRecovered(handler Handler, w http.ResponseWriter, r *http.Request) (err error) {
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

// Text is a response body that is sent unchanged instead of as JSON.
type Text string

// Write sends a response with v as its body: as JSON, or unchanged if v is Text.
// The content type of Text is text/plain unless the header is already set. Write
// returns an error only if v cannot be encoded, and has then written nothing.
func Write(w http.ResponseWriter, status int, v any) error {
	if text, ok := v.(Text); ok {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		w.WriteHeader(status)
		io.WriteString(w, string(text)) // fails only if the connection is broken
		return nil
	}
	body, err := Encode(v)
	if err != nil {
		return err
	}
	writeHead(w, status)
	w.Write(body) // fails only if the connection is broken
	return nil
}

// Time is a time in the format of responses: RFC 3339 with microseconds and the
// offset +00:00. The zero time is "".
type Time time.Time

// String returns the time in the format of responses.
func (t Time) String() string {
	if time.Time(t).IsZero() {
		return ""
	}
	return time.Time(t).UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

// MarshalJSON encodes the time in the format of responses.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// Seconds returns the seconds between two times, after truncating both to
// microseconds, as responses show them. It returns 0 if one of them is zero.
func Seconds(from, to time.Time) float64 {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return float64(to.Truncate(time.Microsecond).Sub(from.Truncate(time.Microsecond)).Microseconds()) / 1e6 // Duration.Seconds is not exact
}
