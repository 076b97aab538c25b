package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"understudy.example/internal/call"
)

const (
	lookupQueries = 3                    // of one Lookup at a time
	lookupUsual   = 5 * time.Millisecond // if a query takes longer, the next one does not wait for it
	lookupKeys    = 500                  // per query
	lookupTimeout = 15 * time.Second
)

// Lookup finds rows by their keys. Keys that arrive while a query runs are found together by
// the next query, so that many concurrent calls need few queries. A query begins after
// its keys have arrived, so a caller finds what was committed before it called.
type Lookup[K comparable, V any] struct {
	query func(ctx context.Context, keys []K) (map[K]V, error)
	id    uuid.UUID // stands for a tenant in the queues for connections

	mu      sync.Mutex
	running int                  // queries
	begun   time.Time            // of the newest of them
	timed   bool                 // a timer will call startNext
	waiting []*lookupGroup[K, V] // the next one first
}

// lookupGroup is the keys of a query, and its result.
type lookupGroup[K comparable, V any] struct {
	keys    []K
	callers int // that wait for the result
	cancel  context.CancelFunc
	ctx     context.Context // ends when no caller waits any more
	done    chan struct{}   // closed when found and err are set
	found   map[K]V
	err     error
}

// NewLookup returns a Lookup that finds rows with the query, which returns the rows that
// exist by their keys.
func NewLookup[K comparable, V any](query func(ctx context.Context, keys []K) (map[K]V, error)) *Lookup[K, V] {
	return &Lookup[K, V]{query: query, id: uuid.New()}
}

// Find returns the row with the key, and whether it exists.
func (l *Lookup[K, V]) Find(ctx context.Context, key K) (row V, exists bool, err error) {
	group := l.join(ctx, key)
	select {
	case <-group.done:
		row, exists = group.found[key]
		return row, exists, group.err
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		if group.callers--; group.callers == 0 {
			group.cancel()
		}
		return row, false, ctx.Err()
	}
}

// join adds the key to the group that is queried next.
func (l *Lookup[K, V]) join(ctx context.Context, key K) *lookupGroup[K, V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	var group *lookupGroup[K, V]
	if n := len(l.waiting); n > 0 && len(l.waiting[n-1].keys) < lookupKeys && l.waiting[n-1].callers > 0 {
		group = l.waiting[n-1]
		group.keys = append(group.keys, key)
	} else {
		// The others need the result if this caller disconnects. The record is not the
		// caller's, so that the query does not wait behind other calls of its tenant, nor
		// behind calls whose tenant is not known yet.
		group = &lookupGroup[K, V]{keys: []K{key}, done: make(chan struct{})}
		group.ctx, group.cancel = context.WithTimeout(call.With(context.WithoutCancel(ctx), &call.Record{TenantID: l.id}), lookupTimeout)
		l.waiting = append(l.waiting, group)
		l.startNext()
	}
	group.callers++
	return group
}

// startNext starts a query for the waiting groups. If a query is running, it waits until the newest
// one has taken longer than usual. l.mu must be held.
func (l *Lookup[K, V]) startNext() {
	patience := lookupUsual - time.Since(l.begun)
	switch {
	case len(l.waiting) == 0 || l.running == lookupQueries: // the next query to end takes the next group
	case l.running == 0 || patience <= 0:
		l.running++
		l.begun = time.Now()
		go l.run()
	case !l.timed:
		l.timed = true
		time.AfterFunc(patience, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.timed = false
			l.startNext()
		})
	}
}

// run runs queries until no group waits.
func (l *Lookup[K, V]) run() {
	for {
		l.mu.Lock()
		if len(l.waiting) == 0 {
			l.running--
			l.mu.Unlock()
			return
		}
		group := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.begun = time.Now()
		l.mu.Unlock()
		l.find(group)
	}
}

// find sets the result of a group. A panic of the query is its error.
func (l *Lookup[K, V]) find(group *lookupGroup[K, V]) {
	defer close(group.done)
	defer group.cancel()
	defer func() {
		if p := recover(); p != nil {
			group.err = fmt.Errorf("lookup: panic: %v\n%s", p, debug.Stack())
		}
	}()
	group.found, group.err = l.query(group.ctx, group.keys)
}

// Values decodes a row of a frequent query, column by column in the order of the query. It
// takes a tenth of the memory that pgx needs to decode a row into a struct. The columns must
// have the type that each method names; uuid, timestamptz, integer and boolean arrive in
// binary form.
type Values struct {
	raw [][]byte
}

// AllValues runs a query with positional arguments, which pgx need not look for in its text,
// and calls read for each row.
func AllValues(ctx context.Context, db DB, sql string, args []any, read func(row *Values)) error {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		read(&Values{rows.RawValues()})
	}
	return rows.Err()
}

func (v *Values) next() (raw []byte) {
	raw, v.raw = v.raw[0], v.raw[1:]
	return raw
}

// UUID decodes a uuid; null is the zero UUID.
func (v *Values) UUID() (id uuid.UUID) {
	copy(id[:], v.next())
	return id
}

// Text decodes a text; null is "".
func (v *Values) Text() string { return string(v.next()) }

// OptionalText decodes a text; null is nil.
func (v *Values) OptionalText() *string {
	return optional(v.next(), func(raw []byte) string { return string(raw) })
}

// Bytes decodes a bytea; null is nil.
func (v *Values) Bytes() []byte { return append([]byte(nil), v.next()...) }

// Bool decodes a boolean; null is false.
func (v *Values) Bool() bool {
	raw := v.next()
	return len(raw) == 1 && raw[0] == 1
}

// OptionalInt decodes an integer; null is nil.
func (v *Values) OptionalInt() *int {
	return optional(v.next(), func(raw []byte) int { return int(int32(binary.BigEndian.Uint32(raw))) })
}

// Uint32 decodes an xid.
func (v *Values) Uint32() uint32 { return binary.BigEndian.Uint32(v.next()) }

// Int64 decodes a bigint that is not null.
func (v *Values) Int64() int64 { return int64(binary.BigEndian.Uint64(v.next())) }

// IsNull reports whether the next column is null.
func (v *Values) IsNull() bool { return v.raw[0] == nil }

// OptionalTime decodes a timestamptz that is finite; null is nil.
func (v *Values) OptionalTime() *time.Time {
	return optional(v.next(), func(raw []byte) time.Time {
		return time.UnixMicro(int64(binary.BigEndian.Uint64(raw)) + epoch).UTC()
	})
}

// Time decodes a timestamptz that is neither null nor infinite.
func (v *Values) Time() time.Time { return *v.OptionalTime() }

// epoch is the time from which PostgreSQL counts, in microseconds.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func optional[T any](raw []byte, decode func([]byte) T) *T {
	if raw == nil {
		return nil
	}
	value := decode(raw)
	return &value
}
