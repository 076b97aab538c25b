package transfer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// errEnded is returned by reads of a body after a limit was exceeded.
var errEnded = errors.New("the request body did not arrive in time")

// body is a request body to which the limits apply.
type body struct {
	io.ReadCloser
	limits  *Limits
	control *http.ResponseController

	until    time.Time // when the whole body must have been read; zero = no limit
	deadline time.Time // of the connection
	waited   time.Duration
	received int64 // bytes, during waited
	ended    string
}

type bodyKey struct{}

// Bodies is middleware that applies the limits to request bodies.
func Bodies(limits Limits) func(http.Handler) http.Handler {
	limits = limits.withDefaults()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Body == nil || r.Body == http.NoBody {
				next.ServeHTTP(w, r)
				return
			}
			b := &body{ReadCloser: r.Body, limits: &limits, control: http.NewResponseController(w)}
			// net/http reads the rest of a body that the handler leaves unread.
			b.setDeadline(time.Now().Add(limits.Stall))
			r = r.WithContext(context.WithValue(r.Context(), bodyKey{}, b))
			r.Body = b
			next.ServeHTTP(w, r)
		})
	}
}

// LimitBody makes reads of the request's body fail from the given time on. ctx is the
// context of a request that passed Bodies; otherwise nothing happens.
func LimitBody(ctx context.Context, until time.Time) {
	if b, ok := ctx.Value(bodyKey{}).(*body); ok {
		b.until = until
	}
}

// ShortenBody is like LimitBody, but does nothing if the body already has an earlier
// limit.
func ShortenBody(ctx context.Context, until time.Time) {
	if b, ok := ctx.Value(bodyKey{}).(*body); ok && (b.until.IsZero() || until.Before(b.until)) {
		b.until = until
	}
}

// BodyEnded returns the reason why a limit has ended the request's body, or "" if none
// has.
func BodyEnded(ctx context.Context) string {
	if b, ok := ctx.Value(bodyKey{}).(*body); ok {
		return b.ended
	}
	return ""
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.ended != "" {
		return 0, errEnded
	}
	begun := time.Now()
	b.prepare(begun)
	n, err := b.ReadCloser.Read(p)
	b.waited += time.Since(begun)
	b.received += int64(n)
	switch {
	case err == io.EOF:
		// From now on net/http reads to notice that the client disconnects.
		b.setDeadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded) && !b.until.IsZero() && !time.Now().Before(b.until):
		return n, b.end("the body did not arrive within the time limit of the call")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, b.end(b.limits.stalled("sent"))
	case err == nil && b.limits.Rate > 0 && b.waited >= b.limits.Window:
		if b.received < b.limits.minimum(b.waited) {
			return n, b.end(b.limits.tooSlow("sent"))
		}
		b.waited, b.received = 0, 0
	}
	return n, err
}

// end makes this and all later reads fail, including those of net/http.
func (b *body) end(reason string) error {
	b.ended = reason
	b.setDeadline(time.Now())
	return errEnded
}

// prepare sets the connection's deadline to the time by which a read that begins now
// must have made progress. Many reads share a deadline, because setting it costs as
// much as reading a few kilobytes.
func (b *body) prepare(now time.Time) {
	latest := now.Add(b.limits.Stall)
	if !b.until.IsZero() && b.until.Before(latest) {
		b.setDeadline(b.until)
	} else if latest.Sub(b.deadline) > b.limits.Stall/10 {
		b.setDeadline(latest)
	}
}

// setDeadline sets the deadline for reading from the connection. An error is the
// connection's, which reading returns too.
func (b *body) setDeadline(at time.Time) {
	if b.deadline != at {
		b.deadline = at
		b.control.SetReadDeadline(at) // not supported by an httptest.ResponseRecorder
	}
}
