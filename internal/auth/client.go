package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/singleflight"

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
}

// clientByID reads a client. Its error is pgx.ErrNoRows if there is none.
func clientByID(ctx context.Context, db storage.DB, id string) (Client, error) {
	return storage.One[Client](ctx, db, `
		select
			c.id, c.user_id, c.secret_hash, c.first_name, c.last_name, c.permissions, c.created_at, c.revoked_at,
			t.id as tenant_id, t.name as tenant_name, t.created_at as tenant_created_at, t.clock_offset, t.frozen_at, t.settings,
			array(select hash from api_keys where tenant_id = t.id) as api_keys
		from clients c
		join tenants t on t.id = c.tenant_id
		where c.id = @id`,
		pgx.StrictNamedArgs{"id": id})
}

// cacheTTL is how long a client is cached. A revocation or a change of
// permissions takes effect within it on every server.
const cacheTTL = 500 * time.Millisecond

// clientCache caches the clients that called recently, so that most requests do
// not read from the database.
type clientCache struct {
	db    storage.DB
	now   func() time.Time
	loads singleflight.Group

	mu     sync.Mutex
	cached map[string]cachedClient
	epoch  int // increased when a tenant is evicted; a client whose load began before that is not cached
}

type cachedClient struct {
	client   Client
	loadedAt time.Time
}

// byID returns the client as it was at most cacheTTL ago. Its error is
// pgx.ErrNoRows if there is none.
func (c *clientCache) byID(ctx context.Context, id string) (Client, error) {
	now := c.now()
	c.mu.Lock()
	known, ok := c.cached[id]
	epoch := c.epoch
	c.mu.Unlock()
	if ok && now.Sub(known.loadedAt).Abs() < cacheTTL {
		return known.client, nil
	}
	// Concurrent callers share one load, so it must outlive the context of the
	// caller that started it.
	loaded, err, _ := c.loads.Do(id, func() (any, error) {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer stop()
		return clientByID(ctx, c.db, id)
	})
	if err != nil {
		if !errors.Is(err, pgx.ErrNoRows) {
			err = fmt.Errorf("load client: %w", err)
		}
		c.evict(id)
		return Client{}, err
	}
	client := loaded.(Client)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return client, nil
	}
	if len(c.cached) > 10_000 {
		clear(c.cached)
	}
	c.cached[id] = cachedClient{client, now}
	return client, nil
}

func (c *clientCache) evict(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.cached, id)
}

// evictTenant removes the tenant's clients from the cache.
func (c *clientCache) evictTenant(id uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for clientID, known := range c.cached {
		if known.client.TenantID == id {
			delete(c.cached, clientID)
			c.loads.Forget(clientID)
		}
	}
}

func (c Client) tenant() Tenant {
	return Tenant{ID: c.TenantID, Name: c.TenantName, Clock: c.Clock, Settings: c.Settings}
}
