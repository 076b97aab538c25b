package api

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// timeLimit is the time limit of a handler, for use by Delay.
type timeLimit struct {
	w          http.ResponseWriter
	clientGone <-chan struct{} // closed when the client has disconnected
	timer      *time.Timer     // cancels the handler's context
	duration   time.Duration
}

type timeLimitKey struct{}

// WithTimeout limits the time that the handler takes to read the body and to do
// its work. When d has passed, its context is cancelled, and its error is joined
// with context.DeadlineExceeded, so that a database that hangs is treated as
// unavailable. The context is not cancelled when the client disconnects or stops
// sending. Delay restarts the time limit.
func WithTimeout(d time.Duration, handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		return runWithTimeout(d, handler, w, r, context.WithoutCancel(r.Context()))
	}
}

// WithTimeoutWhileConnected is like WithTimeout, but also cancels the handler's
// context when the client disconnects. It is for handlers whose result is of no
// use without the client.
func WithTimeoutWhileConnected(d time.Duration, handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := runWithTimeout(d, handler, w, r, r.Context())
		if err != nil && r.Context().Err() != nil {
			panic(http.ErrAbortHandler) // the client has disconnected
		}
		return err
	}
}

// runWithTimeout calls the handler with a context derived from parent.
func runWithTimeout(d time.Duration, handler Handler, w http.ResponseWriter, r *http.Request, parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	if err := setReadTimeout(w, d); err != nil {
		return err
	}
	timer := time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	ctx = context.WithValue(ctx, timeLimitKey{}, timeLimit{w, r.Context().Done(), timer, d})
	err := handler(w, r.WithContext(ctx))
	if err != nil && context.Cause(ctx) == context.DeadlineExceeded {
		// The error of the context is only context.Canceled.
		return errors.Join(err, context.DeadlineExceeded)
	}
	return err
}

// ErrClientGone is returned by Delay when the client has disconnected.
var ErrClientGone = errors.New("client disconnected")

// Delay waits for d in real time. ctx is the context of a request; the handler's
// time limit starts anew after the delay. If ctx is done first, Delay returns the
// error of ctx; if the client disconnects first, it returns ErrClientGone.
func Delay(ctx context.Context, d time.Duration) error {
	limit, ok := ctx.Value(timeLimitKey{}).(timeLimit)
	if ok && limit.timer.Stop() {
		defer limit.timer.Reset(limit.duration)
		if err := setReadTimeout(limit.w, d+limit.duration); err != nil {
			return err
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.clientGone:
		return ErrClientGone
	}
}
