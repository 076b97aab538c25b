package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Call is what is learnt of a call while it is answered, for whoever watches
// calls from outside the handlers.
type Call struct {
	Answer http.Header // of the answer to come

	TenantID    uuid.UUID // zero while it can't be told whose call it is
	ClientID    string    // "" for an upload, which names no client
	ClockOffset time.Duration
	Expired     bool      // the access token was, by the tenant's clock
	Faults      []string  // ids of those that acted on the call
	TokenUntil  time.Time // when the access token that was issued expires, by the tenant's clock; zero = none was

	TxID   string // of the submission that the call is about
	File   string // the name announced, or the uploaded part's
	Kind   string // the uploaded part's content type
	Size   int64  // the uploaded file's bytes
	SHA256 []byte // the uploaded file's digest
}

type callKey struct{}

// WithCall returns a context whose CallOf is the call.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// CallOf returns the call that the context belongs to: one that nobody reads
// when nobody watches.
func CallOf(ctx context.Context) *Call {
	if call, ok := ctx.Value(callKey{}).(*Call); ok {
		return call
	}
	return &Call{Answer: http.Header{}}
}
