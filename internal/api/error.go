package api

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"understudy.example/internal/call"
	"understudy.example/internal/route"
)

// Error is an error response. Its body is as terse as the body of the service; the hint
// explains the error and how to fix it.
type Error struct {
	Status int
	Header http.Header
	Body   any

	hint   string // sent as X-Understudy-Hint
	reason string // for the journal and the log; "" = the hint
}

// NewError returns an error response in the format MessageErrors. The hint is one
// plain sentence that explains the error and how to fix it. It must not contain a
// secret, or reveal whether a client or an object of another tenant exists. Text from
// the client must be quoted with Quote.
func NewError(status int, message, hint string) *Error {
	return NewErrorBody(status, MessageErrors(status, message), hint)
}

// NewErrorBody is like NewError, with a body of any form.
func NewErrorBody(status int, body any, hint string) *Error {
	return &Error{Status: status, Body: body, hint: hint}
}

// NewControlError returns an error response of the control API. Its message
// explains the error, so it is also the hint.
func NewControlError(status int, message string) *Error {
	return NewError(status, message, message)
}

// BadRequest returns a 400 response of the control API with the formatted message.
func BadRequest(format string, args ...any) *Error {
	return NewControlError(http.StatusBadRequest, fmt.Sprintf(format, args...))
}

// WithHeader returns the error with a header field added.
func (e *Error) WithHeader(name, value string) *Error {
	if e.Header == nil {
		e.Header = http.Header{}
	}
	e.Header.Set(name, value)
	return e
}

// WithReason returns the error with the reason that the journal and the log show
// in place of the hint. It can contain details that the client must not know, such as
// the tenant of an API key.
func (e *Error) WithReason(reason string) *Error {
	e.reason = reason
	return e
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d %v", e.Status, e.Body) }

// Message returns the hint as it was given, for people who run the server. In errors of
// the control API it is the message of the response.
func (e *Error) Message() string { return e.hint }

// Hint returns the value of X-Understudy-Hint: one line of ASCII, at most
// MaxHintBytes long.
func (e *Error) Hint() string { return oneLine(Mask(e.hint), MaxHintBytes) }

// HintHeader is the header of an error response with its hint.
const HintHeader = "X-Understudy-Hint"

// MaxHintBytes is how long a hint can be; the rest is cut off.
const MaxHintBytes = 200

const (
	maxReasonBytes = 500
	maxQuotedBytes = 60
)

// oneLine returns the text as one line of ASCII of at most size bytes.
func oneLine(text string, size int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	if len(text) > size {
		text = text[:size-3] + "..."
	}
	return text
}

// Quote returns text from a client in the form of a hint: in quotes, in ASCII, and cut
// off after about 60 bytes.
func Quote(text string) string {
	masked := Mask(text)
	quoted := strconv.QuoteToASCII(masked[:min(len(masked), 2*maxQuotedBytes)]) // no shorter than the text
	if len(quoted) <= maxQuotedBytes {
		return quoted
	}
	return strings.TrimRight(quoted[:maxQuotedBytes-4], `\`) + `..."`
}

// send writes the response. The record of the call gets the reason.
func (e *Error) send(w http.ResponseWriter, r *http.Request) {
	record := call.From(r.Context())
	record.Reason = oneLine(Mask(cmp.Or(e.reason, e.hint)), maxReasonBytes)
	maps.Copy(w.Header(), e.Header)
	if record.Hints && e.hint != "" && (e.Status >= 400 && e.Status < 500 || e.Status == http.StatusServiceUnavailable) {
		w.Header().Set(HintHeader, e.Hint())
	}
	Write(w, e.Status, e.Body) // fails only if the connection is broken
}

// SetHint adds a hint to a response that is not an error, unless hints are off. The
// response is not written yet. The hint has the form of an error's.
func SetHint(ctx context.Context, w http.ResponseWriter, hint string) {
	if call.From(ctx).Hints {
		w.Header().Set(HintHeader, oneLine(hint, MaxHintBytes))
	}
}

// ErrorFormat returns the response body of an error that any endpoint of a
// family can return, such as an internal error.
type ErrorFormat func(status int, message string) any

// ErrorFormatOf returns the format of the error bodies of a family of routes.
func ErrorFormatOf(family route.Family) ErrorFormat {
	switch family {
	case route.OAuth:
		return OAuthErrors
	case route.Hooks:
		return HookErrors
	}
	return MessageErrors
}

// MessageErrors is the error format {"message": …} of the submit, status, data
// and company endpoints.
func MessageErrors(_ int, message string) any {
	return struct {
		Message string `json:"message"`
	}{message}
}

// HookErrors is the error format {"status": …, "error": …} of the webhook
// endpoints. The error is the standard text of the status code.
func HookErrors(status int, _ string) any {
	return struct {
		Status int    `json:"status"`
		Error  string `json:"error"`
	}{status, http.StatusText(status)}
}

// OAuthErrors is the error format of RFC 6749, section 5.2, for errors that do
// not depend on the grant.
func OAuthErrors(status int, message string) any {
	code := "invalid_request"
	switch status {
	case http.StatusInternalServerError:
		code = "server_error"
	case http.StatusServiceUnavailable:
		code = "temporarily_unavailable"
	}
	return OAuthErrorBody{code, message}
}

// OAuthErrorBody is the response body of an error by RFC 6749, section 5.2.
type OAuthErrorBody struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// newUnavailableError returns a 503 response for a server that is temporarily
// unable to handle requests, for example because too much of its memory is in use.
func newUnavailableError(format ErrorFormat, reason string) *Error {
	status := http.StatusServiceUnavailable
	refusal := NewErrorBody(status, format(status, "Service Unavailable"), reason)
	return refusal.WithHeader("Retry-After", "1")
}

// newBodyTimeoutError returns a 408 response for a request body that did not arrive in
// time. It closes the connection.
func newBodyTimeoutError(format ErrorFormat, reason string) *Error {
	status := http.StatusRequestTimeout
	refusal := NewErrorBody(status, format(status, "Request Timeout"), reason+": send the body without pauses")
	return refusal.WithHeader("Connection", "close")
}

func newInternalError(format ErrorFormat) *Error {
	status := http.StatusInternalServerError
	return NewErrorBody(status, format(status, "Internal server error"), "internal error: see the server's log for the cause")
}
