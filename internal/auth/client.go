package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
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
	APIKeys         keyHashes `db:"-"` // of the tenant

	// Secrets that a rotation replaced, with the tenant's time at which each stops
	// working.
	OldSecrets   [][]byte
	OldExpiresAt []time.Time
}

// keyHashes are the hashes of a tenant's API keys, which all its clients share.
type keyHashes map[[sha256.Size]byte]bool

// has reports whether the hash is one of them. It need not take constant time, because a client
// that does not know the pepper cannot choose the hash of a key.
func (k keyHashes) has(hash []byte) bool { return k[[sha256.Size]byte(hash)] }

// findClients reads the clients with the ids. Clients that do not exist are left out. The
// query returns the API keys of a tenant only once.
func findClients(ctx context.Context, db storage.DB, ids []string) (map[string]Client, error) {
	rows, err := storage.All[struct {
		Client
		Keys [][]byte
	}](ctx, db, `
		select
			c.id, c.user_id, c.secret_hash, c.first_name, c.last_name, c.permissions, c.created_at, c.revoked_at,
			t.id as tenant_id, t.name as tenant_name, t.created_at as tenant_created_at, t.clock_offset, t.frozen_at, t.settings,
			case when row_number() over (partition by t.id) = 1 then array(select hash from api_keys where tenant_id = t.id) end as keys,
			array(select hash from old_secrets where client_id = c.id order by hash) as old_secrets,
			array(select expires_at from old_secrets where client_id = c.id order by hash) as old_expires_at
		from clients c
		join tenants t on t.id = c.tenant_id
		where c.id = any(@ids)`,
		pgx.StrictNamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("find clients: %w", err)
	}
	keys := map[uuid.UUID]keyHashes{}
	for _, row := range rows {
		if row.Keys == nil {
			continue
		}
		hashes := make(keyHashes, len(row.Keys))
		for _, hash := range row.Keys {
			hashes[[sha256.Size]byte(hash)] = true
		}
		keys[row.TenantID] = hashes
	}
	found := map[string]Client{}
	for _, row := range rows {
		row.APIKeys = keys[row.TenantID]
		found[row.ID] = row.Client
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
	cached map[string]cachedClient  // without their API keys
	keys   map[uuid.UUID]cachedKeys // by tenant of the cached clients
	epoch  int                      // increased when a tenant is evicted; a client whose load began before that is not cached
}

type cachedClient struct {
	client   Client
	exists   bool
	loadedAt time.Time
}

// cachedKeys are the API keys of a tenant, loaded with one of its clients.
type cachedKeys struct {
	hashes   keyHashes
	loadedAt time.Time
}

func newClientCache(db storage.DB, now func() time.Time) *clientCache {
	find := func(ctx context.Context, ids []string) (map[string]Client, error) { return findClients(ctx, db, ids) }
	return &clientCache{now: now, loads: storage.NewLookup(find), cached: map[string]cachedClient{}, keys: map[uuid.UUID]cachedKeys{}}
}

// peek returns the client if it is cached, however old the cached entry is.
func (c *clientCache) peek(id string) (client Client, cached bool) {
	known, _ := c.find(id)
	return known.client, known.exists
}

// find returns the cached client with its API keys.
func (c *clientCache) find(id string) (known cachedClient, cached bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, cached = c.cached[id]
	known.client.APIKeys = c.keys[known.client.TenantID].hashes
	return known, cached
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
	return client.APIKeys.has(g.keys.hash(apiKey, text))
}

// maxClientID is the maximum length of a client id, in bytes.
const maxClientID = 200

// byID returns the client as it was at most cacheTTL ago. Its error is
// pgx.ErrNoRows if there is none.
func (c *clientCache) byID(ctx context.Context, id string) (Client, error) {
	now := c.now()
	known, ok := c.find(id)
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
		clear(c.keys)
	}
	if exists && !now.Before(c.keys[client.TenantID].loadedAt) {
		c.keys[client.TenantID] = cachedKeys{client.APIKeys, now}
	}
	c.cached[id] = cachedClient{client.withoutKeys(), exists, now}
	return client, err
}

// evictTenant removes the tenant's clients from the cache, and all client ids that
// were unknown.
func (c *clientCache) evictTenant(id uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	delete(c.keys, id)
	for clientID, known := range c.cached {
		if !known.exists || known.client.TenantID == id {
			delete(c.cached, clientID)
		}
	}
}

func (c Client) withoutKeys() Client {
	c.APIKeys = nil
	return c
}

func (c Client) tenant() Tenant {
	return Tenant{ID: c.TenantID, Name: c.TenantName, Clock: c.Clock, Settings: c.Settings}
}
