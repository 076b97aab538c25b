package auth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Client is an API client with its tenant.
type Client struct {
	ID          string
	UserID      uuid.UUID
	SecretHash  []byte
	FirstName   string
	LastName    string
	Permissions []string
	CreatedAt   time.Time
	RevokedAt   *time.Time

	TenantID        uuid.UUID
	TenantName      string // the tenant_id of submit, status, company and data responses
	TenantCreatedAt time.Time
	Clock           // of the tenant
	Settings        Settings
	APIKeys         [][]byte

	// Secrets that a rotation replaced, with the tenant's time at which each stops
	// working.
	OldSecrets   [][]byte
	OldExpiresAt []time.Time
}

// findClients reads the clients with the ids. Clients that do not exist are left out.
func findClients(ctx context.Context, db storage.DB, ids []string) (map[string]Client, error) {
	clients, err := storage.All[Client](ctx, db, `
		select
			c.id, c.user_id, c.secret_hash, c.first_name, c.last_name, c.permissions, c.created_at, c.revoked_at,
			t.id as tenant_id, t.name as tenant_name, t.created_at as tenant_created_at, t.clock_offset, t.frozen_at, t.settings,
			array(select hash from api_keys where tenant_id = t.id) as api_keys,
			array(select hash from old_secrets where client_id = c.id order by hash) as old_secrets,
			array(select expires_at from old_secrets where client_id = c.id order by hash) as old_expires_at
		from clients c
		join tenants t on t.id = c.tenant_id
		where c.id = any(@ids)`,
		pgx.StrictNamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("find clients: %w", err)
	}
	found := map[string]Client{}
	for _, client := range clients {
		found[client.ID] = client
	}
	return found, nil
}

// hasSecret reports whether the hash is that of the client's secret, or of an old
// secret that still works at the real time now. It is false for a client that does not
// exist.
func (c Client) hasSecret(hash []byte, now time.Time) bool {
	has := subtle.ConstantTimeCompare(hash, c.SecretHash)
	for i, old := range c.OldSecrets {
		if c.Time(now).Before(c.OldExpiresAt[i]) {
			has |= subtle.ConstantTimeCompare(hash, old)
		}
	}
	return has == 1
}

// cacheTTL is how long a client is cached. A revocation or a change of
// permissions takes effect within it on every server.
const cacheTTL = 500 * time.Millisecond

// clientCache caches the clients that called recently, so that most requests do
// not read from the database.
type clientCache struct {
	now   func() time.Time
	loads *storage.Lookup[string, Client]

	mu     sync.Mutex
	cached map[string]cachedClient
	epoch  int // increased when a tenant is evicted; a client whose load began before that is not cached
}

type cachedClient struct {
	client   Client
	exists   bool
	loadedAt time.Time
}

func newClientCache(db storage.DB, now func() time.Time) *clientCache {
	find := func(ctx context.Context, ids []string) (map[string]Client, error) { return findClients(ctx, db, ids) }
	return &clientCache{now: now, loads: storage.NewLookup(find), cached: map[string]cachedClient{}}
}

// peek returns the client if it is cached, however old the cached entry is.
func (c *clientCache) peek(id string) (client Client, cached bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.cached[id]
	return known.client, known.exists
}

// IsSecret reports whether the text is a secret of the client, or an API key of its
// tenant. It executes no SQL statement, so it is false for clients that have not called
// recently.
func (g *Gate) IsSecret(clientID, text string) bool {
	client, cached := g.clients.peek(clientID)
	if !cached {
		return false
	}
	if client.hasSecret(g.keys.hash(clientSecret, text), g.now()) {
		return true
	}
	key := g.keys.hash(apiKey, text)
	return slices.ContainsFunc(client.APIKeys, func(held []byte) bool { return subtle.ConstantTimeCompare(held, key) == 1 })
}

// maxClientID is the maximum length of a client id, in bytes.
const maxClientID = 200

// byID returns the client as it was at most cacheTTL ago. Its error is
// pgx.ErrNoRows if there is none.
func (c *clientCache) byID(ctx context.Context, id string) (Client, error) {
	now := c.now()
	c.mu.Lock()
	known, ok := c.cached[id]
	c.mu.Unlock()
	if !ok || now.Sub(known.loadedAt).Abs() >= cacheTTL {
		return c.load(ctx, id)
	}
	if !known.exists {
		return Client{}, pgx.ErrNoRows
	}
	return known.client, nil
}

// load reads the client from the database into the cache; a missing client is cached
// too.
func (c *clientCache) load(ctx context.Context, id string) (Client, error) {
	if len(id) > maxClientID {
		return Client{}, pgx.ErrNoRows
	}
	now := c.now()
	c.mu.Lock()
	epoch := c.epoch
	c.mu.Unlock()
	// Concurrent callers share a query. With a query for each caller, anyone without
	// credentials could delay known clients by asking for unknown ones.
	client, exists, err := c.loads.Find(ctx, id)
	if err != nil {
		return Client{}, fmt.Errorf("load client: %w", err)
	}
	if !exists {
		err = pgx.ErrNoRows
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return client, err
	}
	if len(c.cached) > 10_000 {
		clear(c.cached)
	}
	c.cached[id] = cachedClient{client, exists, now}
	return client, err
}

// evictTenant removes the tenant's clients from the cache, and all client ids that
// were unknown.
func (c *clientCache) evictTenant(id uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for clientID, known := range c.cached {
		if !known.exists || known.client.TenantID == id {
			delete(c.cached, clientID)
		}
	}
}

func (c Client) tenant() Tenant {
	return Tenant{ID: c.TenantID, Name: c.TenantName, Clock: c.Clock, Settings: c.Settings}
}
