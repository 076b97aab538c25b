package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/call"
	"understudy.example/internal/transfer"
	"understudy.example/internal/turns"
)

// SmallBody is the size in bytes up to which a request body reserves no memory.
const SmallBody = 8 << 10

// bodyMemory is the memory that is reserved for a body, as a multiple of its size: for
// the text, and for the values that the handler and the journal take from it.
const bodyMemory = 2

// ErrBodiesBusy is returned by ReadBody if not enough memory for the body becomes free in
// time. Other code can return it too, before it has changed anything. Serve responds to it with 503 and Retry-After.
var ErrBodiesBusy = errors.New("too many large request bodies at once")

// BodyLimits limit the request bodies that are in memory.
type BodyLimits struct {
	Budget *Budget       // must be from NewBodyBudget
	Time   time.Duration // maximum time for reading a body
}

// bodyRooms is the memory that is reserved for the bodies of one call.
type bodyRooms struct {
	BodyLimits
	rooms []*Room
}

type bodyRoomsKey struct{}

// Apply is middleware that applies the limits to the bodies that ReadBody reads. The
// memory of a body stays reserved until the handler has returned.
func (l BodyLimits) Apply(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		reserved := &bodyRooms{BodyLimits: l}
		defer func() {
			for _, room := range reserved.rooms {
				room.Release()
			}
		}()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), bodyRoomsKey{}, reserved)))
	})
}

// reserve reserves memory for a body of the given size, and waits for it. A call that
// is made within another call, such as the one that a form of the console makes, can
// use the memory that the outer call has reserved.
func (b *bodyRooms) reserve(ctx context.Context, size int64) (*Room, error) {
	for _, room := range b.rooms {
		if room.bytes >= min(bodyMemory*size, b.Budget.perTenant) {
			return &Room{}, nil
		}
	}
	room, err := b.Budget.Reserve(ctx, call.From(ctx).TenantID, bodyMemory*size)
	if errors.Is(err, ErrBusy) {
		return nil, ErrBodiesBusy
	}
	if err != nil {
		return nil, err
	}
	b.rooms = append(b.rooms, room)
	return room, nil
}

// KeepBody reports whether a copy of the request's body that is larger than SmallBody, of
// up to size bytes, may be kept until the call ends. It may if ReadBody has already
// reserved memory for the body, or KeepBody can reserve it for the copy. KeepBody never
// waits.
func KeepBody(ctx context.Context, size int64) bool {
	reserved, limited := ctx.Value(bodyRoomsKey{}).(*bodyRooms)
	if !limited || len(reserved.rooms) > 0 {
		return true
	}
	room, ok := reserved.Budget.tryReserve(call.From(ctx).TenantID, size)
	if ok {
		reserved.rooms = append(reserved.rooms, room)
	}
	return ok
}

// ReadBody reads the request's body, but at most one byte more than the limit. After
// SmallBody bytes, it reserves memory for the whole body before it reads the rest, so
// that bodies that arrive at the same time do not wait for each other. Without a
// Content-Length, it reserves the memory of a body as large as the limit. Serve responds
// to its errors.
func ReadBody(r *http.Request, limit int64) ([]byte, error) {
	reserved, limited := r.Context().Value(bodyRoomsKey{}).(*bodyRooms)
	if !limited {
		return io.ReadAll(io.LimitReader(r.Body, limit+1))
	}
	transfer.ShortenBody(r.Context(), time.Now().Add(reserved.Time))
	start, err := io.ReadAll(io.LimitReader(r.Body, min(limit+1, SmallBody)))
	if err != nil || len(start) < SmallBody {
		return start, err
	}
	size := limit + 1
	if r.ContentLength >= 0 {
		size = min(size, r.ContentLength)
	}
	room, err := reserved.reserve(r.Context(), size)
	if err != nil {
		return nil, err
	}
	body := bytes.NewBuffer(start)
	if r.ContentLength >= 0 {
		body.Grow(int(size) - len(start) + bytes.MinRead)
	}
	if _, err = body.ReadFrom(io.LimitReader(r.Body, limit+1-int64(len(start)))); err != nil {
		return nil, err
	}
	if r.ContentLength < 0 {
		room.Resize(min(room.bytes, bodyMemory*int64(body.Len())))
	}
	return body.Bytes(), nil
}

// largeBody is the size in bytes above which a body waits for a turn to be parsed.
const largeBody = 16 << 10

// parsing holds the calls that wait to parse a large body. Parsing one takes so much CPU time that
// other calls would have to wait if a client sent many at once.
var parsing turns.Queue

// Turn waits until the caller may parse or search a request body of the given size. Small bodies
// do not wait. A server parses one large body at a time, and tenants alternate. The caller
// must call pass when it is done. The error is that of ctx.
func Turn(ctx context.Context, size int) (pass func(), err error) {
	if size <= largeBody {
		return func() {}, nil
	}
	if err := parsing.Take(ctx, call.From(ctx).TenantID); err != nil {
		return nil, err
	}
	return parsing.Pass, nil
}

// NewBodyBudget returns a budget for request bodies. See NewBudget.
func NewBodyBudget(total, perTenant int64, wait time.Duration) *Budget {
	b := NewBudget(total, perTenant, wait)
	b.small = 0 // ReadBody reserves nothing for small bodies
	return b
}

// tryReserve is Reserve without waiting. It reports whether the memory is reserved.
func (b *Budget) tryReserve(tenantID uuid.UUID, bytes int64) (*Room, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := &Room{budget: b, tenantID: tenantID, bytes: bytes, granted: make(chan struct{})}
	b.waiting = append(b.waiting, room)
	b.grant()
	select {
	case <-room.granted:
		return room, true
	default:
		b.waiting = b.waiting[:len(b.waiting)-1] // grant keeps the order
		return nil, false
	}
}
