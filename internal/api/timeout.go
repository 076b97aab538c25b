package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"understudy.example/internal/call"
	"understudy.example/internal/transfer"
)

// timeLimit is the time limit of a handler.
type timeLimit struct {
	clientGone <-chan struct{} // closed when the client has disconnected
	timer      *time.Timer     // cancels the handler's context
	duration   time.Duration
}

type timeLimitKey struct{}

// WithTimeout limits the time that the handler takes to read the body and to do its
// work; the time that the client takes to read the response does not count. When d has
// passed, the handler's context is cancelled, and its error is joined with
// context.DeadlineExceeded, so that a database that hangs is treated as unavailable.
// Delay restarts the time limit.
//
// The context of a GET request is also cancelled when the client disconnects, because
// the response is useless without the client. So a client of a GET request must not
// close its side of the connection before it has read the response. Other requests
// continue without their client.
func WithTimeout(d time.Duration, handler Handler) Handler {
	cancelling := WithTimeoutWhileConnected(d, handler)
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.Method == http.MethodGet {
			return cancelling(w, r)
		}
		return runWithTimeout(d, handler, w, r, context.WithoutCancel(r.Context()))
	}
}

// WithTimeoutWhileConnected is like WithTimeout, but cancels the handler's context when
// the client disconnects, whatever the method.
func WithTimeoutWhileConnected(d time.Duration, handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := runWithTimeout(d, handler, w, r, r.Context())
		if err != nil && r.Context().Err() != nil {
			call.From(r.Context()).Reason = "the client disconnected before the response"
			panic(http.ErrAbortHandler)
		}
		return err
	}
}

// runWithTimeout calls the handler with a context derived from parent.
func runWithTimeout(d time.Duration, handler Handler, w http.ResponseWriter, r *http.Request, parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	transfer.LimitBody(r.Context(), time.Now().Add(d))
	timer := time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	limit := timeLimit{r.Context().Done(), timer, d}
	ctx = context.WithValue(ctx, timeLimitKey{}, limit)
	err := handler(timedWriter{w, limit}, r.WithContext(ctx))
	if err != nil && context.Cause(ctx) == context.DeadlineExceeded {
		// The error of the context is only context.Canceled.
		return errors.Join(err, context.DeadlineExceeded)
	}
	return err
}

// pause stops the time limit. The returned function restarts it from zero.
func (l timeLimit) pause() (resume func()) {
	if !l.timer.Stop() {
		return func() {} // the time limit has been exceeded
	}
	return func() { l.timer.Reset(l.duration) }
}

// timedWriter pauses the time limit while the client reads.
type timedWriter struct {
	http.ResponseWriter
	limit timeLimit
}

// Write implements http.ResponseWriter.
func (w timedWriter) Write(p []byte) (int, error) {
	defer w.limit.pause()()
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ErrClientGone is returned by Delay when the client has disconnected.
var ErrClientGone = errors.New("client disconnected")

// Delay waits for d in real time. ctx is the context of a request; the handler's
// time limit starts anew after the delay. If ctx is done first, Delay returns the
// error of ctx; if the client disconnects first, it returns ErrClientGone.
func Delay(ctx context.Context, d time.Duration) error {
	limit, ok := ctx.Value(timeLimitKey{}).(timeLimit)
	if ok {
		transfer.LimitBody(ctx, time.Now().Add(d+limit.duration))
		defer limit.pause()()
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
