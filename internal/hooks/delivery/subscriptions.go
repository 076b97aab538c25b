package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// cacheTTL is how long a cached subscription is used. A deactivation takes effect
// within it, on every server.
const cacheTTL = 500 * time.Millisecond

// maxReadTime is the maximum duration of a read whose result is used, so that a
// deactivation takes effect within a second.
const maxReadTime = 900 * time.Millisecond

var errSlowRead = errors.New("reading the subscription took too long")

// subscription is the part of a subscription that the dispatcher needs.
type subscription struct {
	tenantID   uuid.UUID
	active     bool
	activation int // how often it was activated
	url        string
	receiver   string // scheme, host and port of the URL
	header     string
	secret     string
	collect    bool // its tenant collects deliveries instead of sending them
	unreadable bool // its secret or header cannot be opened
}

// subscriptions caches the subscriptions that deliveries are sent to.
type subscriptions struct {
	db   storage.DB
	seal *Seal
	now  func() time.Time

	loading sync.Mutex // one load serves all callers that wait for it
	mu      sync.Mutex
	cached  map[uuid.UUID]subscription
	readAt  map[uuid.UUID]time.Time // when the read of each began, even if it does not exist
	altered map[uuid.UUID]bool      // subscriptions and tenants changed since a read began; nil if no read is in progress
}

func newSubscriptions(db storage.DB, seal *Seal, now func() time.Time) *subscriptions {
	return &subscriptions{db: db, seal: seal, now: now, cached: map[uuid.UUID]subscription{}, readAt: map[uuid.UUID]time.Time{}}
}

// get returns the subscription of the delivery, which may be up to a second old. A
// deleted subscription is inactive.
func (s *subscriptions) get(ctx context.Context, delivery claimed) (subscription, error) {
	if cached, ok := s.lookupFor(delivery); ok {
		return cached, nil
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if cached, ok := s.lookupFor(delivery); ok {
		return cached, nil
	}
	for range 3 {
		if err := s.load(ctx, delivery.HookID); err != nil {
			return subscription{}, fmt.Errorf("read subscriptions: %w", err)
		}
		if cached, _, ok := s.lookup(delivery.HookID, maxReadTime); ok {
			return cached, nil
		}
	}
	return subscription{}, errSlowRead
}

// lookupFor returns the cached subscription of the delivery. A cached subscription with
// another activation counts only if it was read after the claim: otherwise the delivery
// may belong to a new subscription with the same id, which a tenant with an id seed can
// have after a reset.
func (s *subscriptions) lookupFor(delivery claimed) (subscription, bool) {
	cached, readAt, ok := s.lookup(delivery.HookID, cacheTTL)
	return cached, ok && (cached.activation == delivery.Activation || readAt.After(delivery.ClaimedAt))
}

// receivers returns the receivers of the subscriptions; "" for deleted ones.
func (s *subscriptions) receivers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	found := map[uuid.UUID]string{}
	var unknown []uuid.UUID
	for _, id := range ids {
		if _, ok := found[id]; ok {
			continue
		}
		cached, _, ok := s.lookup(id, cacheTTL)
		if found[id] = cached.receiver; !ok {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if err := s.load(ctx, unknown...); err != nil {
		return found, fmt.Errorf("read subscriptions: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range unknown {
		found[id] = s.cached[id].receiver
	}
	return found, nil
}

// changed makes the next delivery of the subscription, or of each subscription of the
// tenant, read it again.
func (s *subscriptions) changed(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.altered != nil {
		s.altered[id] = true
	}
	s.forget(func(hookID uuid.UUID) bool { return hookID == id || s.cached[hookID].tenantID == id })
}

// forget removes subscriptions from the cache. s.mu is held.
func (s *subscriptions) forget(which func(hookID uuid.UUID) bool) {
	for id := range s.readAt {
		if which(id) {
			delete(s.readAt, id)
			delete(s.cached, id)
		}
	}
}

// lookup returns the cached subscription and when its read began; ok reports whether that
// was less than maxAge ago.
func (s *subscriptions) lookup(id uuid.UUID, maxAge time.Duration) (cached subscription, readAt time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	readAt, ok = s.readAt[id]
	return s.cached[id], readAt, ok && s.now().Sub(readAt).Abs() < maxAge
}

// load reads the wanted subscriptions, and the cached ones that have passed half of their
// cacheTTL. It does not cache those that change while it reads.
func (s *subscriptions) load(ctx context.Context, wanted ...uuid.UUID) error {
	begun := s.now()
	s.mu.Lock()
	s.altered = map[uuid.UUID]bool{}
	ids := slices.Clone(wanted)
	for id, readAt := range s.readAt {
		if begun.Sub(readAt).Abs() >= cacheTTL/2 {
			ids = append(ids, id)
		}
	}
	s.mu.Unlock()
	cached, err := s.read(ctx, ids)
	s.mu.Lock()
	defer s.mu.Unlock()
	altered := s.altered
	s.altered = nil
	if err != nil {
		return err
	}
	for _, id := range ids {
		delete(s.cached, id)
		delete(s.readAt, id)
		read, exists := cached[id]
		if altered[id] || altered[read.tenantID] {
			continue
		}
		s.readAt[id] = begun // also if it is deleted
		if exists {
			s.cached[id] = read
		}
	}
	return nil
}

// read reads the subscriptions. Deleted ones are missing.
func (s *subscriptions) read(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]subscription, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	type row struct {
		ID         uuid.UUID
		TenantID   uuid.UUID
		Active     bool
		Activation int
		URL        string
		Header     []byte
		Secret     []byte
	}
	found, err := storage.All[row](ctx, s.db, `
		select id, tenant_id, active, activation, url, header, secret
		from hooks
		where id = any(@ids)`,
		pgx.StrictNamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	tenantIDs := make([]uuid.UUID, len(found))
	for i, row := range found {
		tenantIDs[i] = row.TenantID
	}
	tenants, err := auth.Tenants(ctx, s.db, storage.InLockOrder(tenantIDs))
	if err != nil {
		return nil, err
	}
	cached := map[uuid.UUID]subscription{}
	for _, row := range found {
		header, badHeader := s.seal.Open(ctx, row.Header, row.ID, HeaderColumn)
		secret, badSecret := s.seal.Open(ctx, row.Secret, row.ID, SecretColumn)
		if err := cmp.Or(badHeader, badSecret); err != nil && !errors.Is(err, errSealed) {
			return nil, err
		}
		unreadable := badHeader != nil || badSecret != nil
		if unreadable {
			slog.ErrorContext(ctx, "subscription cannot be delivered to", "hook_id", row.ID, "err", errSealed)
		}
		cached[row.ID] = subscription{
			tenantID: row.TenantID,
			active:   row.Active, activation: row.Activation, url: row.URL, receiver: receiverOf(row.URL),
			header: header, secret: secret, collect: tenants[row.TenantID].Settings.CollectsWebhooks(), unreadable: unreadable,
		}
	}
	return cached, nil
}

// receiverOf returns the scheme, host and port of a subscription's URL.
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

// evict removes the subscriptions that are not in use from the cache.
func (s *subscriptions) evict(used func(uuid.UUID) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(func(id uuid.UUID) bool { return !used(id) })
}
