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
	TenantName      string // the tenant_id of submit, status, company and data answers
	TenantCreatedAt time.Time
	ClockOffset     time.Duration // tenant's time less real time
	Settings        Settings
	APIKeys         [][]byte
}

// clientByID reads a client; pgx.ErrNoRows when there is none.
func clientByID(ctx context.Context, db storage.DB, id string) (Client, error) {
	return storage.One[Client](ctx, db, `
		select
			c.id, c.user_id, c.secret_hash, c.first_name, c.last_name, c.permissions, c.created_at, c.revoked_at,
			t.id as tenant_id, t.name as tenant_name, t.created_at as tenant_created_at, t.clock_offset, t.settings,
			array(select hash from api_keys where tenant_id = t.id) as api_keys
		from clients c
		join tenants t on t.id = c.tenant_id
		where c.id = @id`,
		pgx.StrictNamedArgs{"id": id})
}

// fresh is how long a client read earlier is believed: a revocation or a
// changed permission acts within it, on every server.
const fresh = 500 * time.Millisecond

// clients remembers the clients that called within the last moments, so that
// a request costs no database read.
type clients struct {
	db      storage.DB
	now     func() time.Time
	reading singleflight.Group

	mu     sync.Mutex
	recent map[string]remembered
	epoch  int // counts what was forgotten: a read that was under way is not kept
}

type remembered struct {
	client Client
	read   time.Time
}

// byID returns the client as it is, or was less than a second ago.
func (c *clients) byID(ctx context.Context, id string) (Client, error) {
	now := c.now()
	c.mu.Lock()
	known, ok := c.recent[id]
	epoch := c.epoch
	c.mu.Unlock()
	if ok && now.Sub(known.read).Abs() < fresh {
		return known.client, nil
	}
	// One read serves all that wait for it, so none may end it by leaving.
	read, err, _ := c.reading.Do(id, func() (any, error) {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer stop()
		return clientByID(ctx, c.db, id)
	})
	if err != nil {
		if !errors.Is(err, pgx.ErrNoRows) {
			err = fmt.Errorf("read client: %w", err)
		}
		c.forget(id)
		return Client{}, err
	}
	client := read.(Client)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return client, nil
	}
	if len(c.recent) > 10_000 {
		clear(c.recent)
	}
	c.recent[id] = remembered{client, now}
	return client, nil
}

func (c *clients) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.recent, id)
}

// forgetTenant has the tenant's clients read anew.
func (c *clients) forgetTenant(id uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for clientID, known := range c.recent {
		if known.client.TenantID == id {
			delete(c.recent, clientID)
			c.reading.Forget(clientID)
		}
	}
}

func (c Client) tenant() Tenant {
	return Tenant{ID: c.TenantID, Name: c.TenantName, ClockOffset: c.ClockOffset, Settings: c.Settings}
}
