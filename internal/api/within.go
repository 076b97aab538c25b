package api

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// allowance is the time that a handler has.
type allowance struct {
	w     http.ResponseWriter
	left  <-chan struct{} // closed once the client has left
	timer *time.Timer
	whole time.Duration
}

type allowanceKey struct{}

// Within gives the handler d to read the body and to do its work: a database
// that hangs is a database that is away. A client that leaves, or only stops
// sending, does not end what it has asked for. What the handler spends in
// Pause doesn't count.
func Within(d time.Duration, handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		return within(d, handler, w, r, context.WithoutCancel(r.Context()))
	}
}

// Attended is Within for what is of use to nobody but the client that waits:
// it ends when that leaves.
func Attended(d time.Duration, handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := within(d, handler, w, r, r.Context())
		if err != nil && r.Context().Err() != nil {
			panic(http.ErrAbortHandler) // there is nobody to answer
		}
		return err
	}
}

// within is both, with the context to work in.
func within(d time.Duration, handler Handler, w http.ResponseWriter, r *http.Request, parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	if err := readUntil(w, d); err != nil {
		return err
	}
	timer := time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	ctx = context.WithValue(ctx, allowanceKey{}, allowance{w, r.Context().Done(), timer, d})
	err := handler(w, r.WithContext(ctx))
	if err != nil && context.Cause(ctx) == context.DeadlineExceeded {
		// The context itself only tells that it was cancelled.
		return errors.Join(err, context.DeadlineExceeded)
	}
	return err
}

// ErrLeft is the error of a Pause whose client has left.
var ErrLeft = errors.New("the client has left")

// Pause lets d go by in real time, unless ctx, a request's, ends first: then
// its error is ctx's; or the client leaves.
func Pause(ctx context.Context, d time.Duration) error {
	given, ok := ctx.Value(allowanceKey{}).(allowance)
	if ok && given.timer.Stop() {
		defer given.timer.Reset(given.whole)
		if err := readUntil(given.w, d+given.whole); err != nil {
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
	case <-given.left:
		return ErrLeft
	}
}
