package hooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// believed is how long a subscription read earlier is believed: being turned
// off acts within it, on every server.
const believed = 500 * time.Millisecond

// longestRead is the longest that reading may take for the same to hold.
const longestRead = 900 * time.Millisecond

var errSlowRead = errors.New("read too slowly to be believed")

// target is a subscription as the dispatcher needs it.
type target struct {
	active     bool
	activation int
	url        string
	receiver   string // scheme, host and port of the URL
	header     string
	secret     string
	collect    bool // its tenant wants nothing sent
	sealed     bool // its secret or header does not open
}

// targets are the subscriptions that deliveries are being sent to.
type targets struct {
	db   storage.DB
	seal *Seal
	now  func() time.Time

	reading sync.Mutex // one read serves all that wait for it
	mu      sync.Mutex
	known   map[uuid.UUID]target
	read    map[uuid.UUID]time.Time // when the read of each began
}

func newTargets(db storage.DB, seal *Seal, now func() time.Time) *targets {
	return &targets{db: db, seal: seal, now: now, known: map[uuid.UUID]target{}, read: map[uuid.UUID]time.Time{}}
}

// target returns the subscription as it is, or was less than a second ago.
// One that is gone is not active.
func (t *targets) target(ctx context.Context, id uuid.UUID) (target, error) {
	if known, ok := t.fresh(id, believed); ok {
		return known, nil
	}
	t.reading.Lock()
	defer t.reading.Unlock()
	if known, ok := t.fresh(id, believed); ok {
		return known, nil
	}
	for range 3 {
		if err := t.readAll(ctx, id); err != nil {
			return target{}, fmt.Errorf("read subscriptions: %w", err)
		}
		if known, ok := t.fresh(id, longestRead); ok {
			return known, nil
		}
	}
	return target{}, errSlowRead
}

// receivers are those of the subscriptions; "" of one that is gone.
func (t *targets) receivers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	found := map[uuid.UUID]string{}
	var unknown []uuid.UUID
	for _, id := range ids {
		if _, ok := found[id]; ok {
			continue
		}
		known, ok := t.fresh(id, believed)
		if found[id] = known.receiver; !ok {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	t.reading.Lock()
	defer t.reading.Unlock()
	if err := t.readAll(ctx, unknown...); err != nil {
		return found, fmt.Errorf("read subscriptions: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range unknown {
		found[id] = t.known[id].receiver
	}
	return found, nil
}

// fresh returns the subscription if the read of it began less than limit ago.
func (t *targets) fresh(id uuid.UUID, limit time.Duration) (target, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	read, ok := t.read[id]
	return t.known[id], ok && t.now().Sub(read).Abs() < limit
}

// readAll reads those wanted, and with them all that are in use.
func (t *targets) readAll(ctx context.Context, wanted ...uuid.UUID) error {
	begun := t.now()
	t.mu.Lock()
	ids := append(slices.Collect(maps.Keys(t.read)), wanted...)
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	type row struct {
		ID         uuid.UUID
		Active     bool
		Activation int
		URL        string
		Header     []byte
		Secret     []byte
		Collect    bool
	}
	found, err := storage.All[row](ctx, t.db, `
		select h.id, h.active, h.activation, h.url, h.header, h.secret, t.settings ->> 'webhooks' is not distinct from 'collect' as collect
		from hooks h
		join tenants t on t.id = h.tenant_id
		where h.id = any(@ids)`,
		pgx.StrictNamedArgs{"ids": ids})
	if err != nil {
		return err
	}
	known, read := map[uuid.UUID]target{}, map[uuid.UUID]time.Time{}
	for _, id := range wanted {
		read[id] = begun // gone, if it is not found
	}
	for _, row := range found {
		read[row.ID] = begun
		header, badHeader := t.seal.open(row.Header, row.ID, headerColumn)
		secret, badSecret := t.seal.open(row.Secret, row.ID, secretColumn)
		if badHeader != nil || badSecret != nil {
			slog.ErrorContext(ctx, "subscription can't be served", "hook_id", row.ID, "err", errSealed)
		}
		known[row.ID] = target{row.Active, row.Activation, row.URL, receiverOf(row.URL), header, secret, row.Collect, badHeader != nil || badSecret != nil}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.read = known, read
	return nil
}

// receiverOf is the scheme, host and port of a subscription's URL.
func receiverOf(hookURL string) string {
	parsed, err := url.Parse(hookURL)
	if err != nil {
		return hookURL
	}
	port := parsed.Port()
	switch parsed.Scheme + port {
	case "http", "http80", "https", "https443":
		port = parsed.Scheme
	}
	return parsed.Scheme + "://" + strings.ToLower(strings.TrimSuffix(parsed.Hostname(), ".")) + ":" + port
}

// forget lets go of all that are not among the given.
func (t *targets) forget(keep func(uuid.UUID) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.read, func(id uuid.UUID, _ time.Time) bool { return !keep(id) })
	maps.DeleteFunc(t.known, func(id uuid.UUID, _ target) bool { return !keep(id) })
}
