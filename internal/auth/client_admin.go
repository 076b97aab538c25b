package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// ErrClientIDTaken is returned by AddClient if a client of any tenant already has the
// id.
var ErrClientIDTaken = errors.New("client id is taken")

// TenantClient is the public part of a client.
type TenantClient struct {
	TenantID    uuid.UUID
	ID          string
	UserID      uuid.UUID
	Permissions []string
	CreatedAt   time.Time
}

const tenantClientColumns = `tenant_id, id, user_id, permissions, created_at`

// ClientsOf returns the tenants' clients that are not revoked, ordered by id.
func ClientsOf(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) ([]TenantClient, error) {
	clients, err := storage.All[TenantClient](ctx, db, `
		select `+tenantClientColumns+`
		from clients
		where tenant_id = any(@ids)
		and revoked_at is null
		order by id`,
		pgx.StrictNamedArgs{"ids": tenantIDs})
	if err != nil {
		return nil, fmt.Errorf("list clients: %w", err)
	}
	return clients, nil
}

// KnownClientIDs returns the ids that belong to clients of any tenant, including revoked clients.
func KnownClientIDs(ctx context.Context, db storage.DB, ids []string) ([]string, error) {
	found, err := storage.All[struct{ ID string }](ctx, db, `
		select id
		from clients
		where id = any(@ids)`,
		pgx.StrictNamedArgs{"ids": ids})
	known := make([]string, len(found))
	for i := range found {
		known[i] = found[i].ID
	}
	return known, err
}

// NewClient is a client to be created. The id and the secret are generated if they
// are empty.
type NewClient struct {
	ID          string
	Secret      string
	Permissions []string

	seeded bool // its user id is derived from its id, unless a revoked client already had that user id
}

// AddClient creates a client of the tenant and returns its secret, of which the
// database keeps only a hash. It can reuse the id of a revoked client, whose tokens
// stay invalid: they belong to another user id. Its error can be ErrClientIDTaken.
func (g *Gate) AddClient(ctx context.Context, tx pgx.Tx, tenant Tenant, c NewClient) (TenantClient, string, error) {
	if c.ID == "" {
		c.ID = tenant.Name + "-" + strings.ToLower(rand.Text()[:12])
	}
	secret := cmp.Or(c.Secret, newSecret())
	deleted, err := tx.Exec(ctx, `
		delete from clients
		where id = @id
		and revoked_at is not null`,
		pgx.StrictNamedArgs{"id": c.ID})
	if err != nil {
		return TenantClient{}, "", fmt.Errorf("add client: %w", err)
	}
	userID := uuid.New()
	if c.seeded && deleted.RowsAffected() == 0 {
		userID = g.keys.seededID("client/" + c.ID)
	}
	created, err := storage.One[TenantClient](ctx, tx, `
		insert into clients (id, tenant_id, user_id, secret_hash, first_name, last_name, permissions, created_at)
		values (@id, @tenant_id, @user_id, @secret, @tenant, 'API client', @permissions, @now)
		on conflict (id) do nothing
		returning `+tenantClientColumns,
		pgx.StrictNamedArgs{
			"id": c.ID, "tenant_id": tenant.ID, "tenant": tenant.Name, "user_id": userID,
			"secret": g.keys.hash(clientSecret, secret), "permissions": c.Permissions, "now": g.now(),
		})
	if errors.Is(err, pgx.ErrNoRows) {
		return TenantClient{}, "", ErrClientIDTaken
	}
	if err != nil {
		return TenantClient{}, "", fmt.Errorf("add client: %w", err)
	}
	return created, secret, nil
}

// newSecret returns a random client secret or API key.
func newSecret() string { return base64.RawURLEncoding.EncodeToString(random(32)) }

// ClientChange is a change of a client. A nil field means no change.
type ClientChange struct {
	Permissions []string
	Secret      *string
}

// ChangeClient changes a client of the tenant. A new secret replaces all earlier ones, including
// those of rotations whose overlaps have not ended. The error is pgx.ErrNoRows if the tenant has no such
// client, or it is revoked.
func (g *Gate) ChangeClient(ctx context.Context, db storage.DB, tenantID uuid.UUID, id string, change ClientChange) (TenantClient, error) {
	var hash []byte
	if change.Secret != nil {
		hash = g.keys.hash(clientSecret, *change.Secret)
	}
	return storage.One[TenantClient](ctx, db, `
		with changed as (
			update clients
			set permissions = coalesce(@permissions, permissions), secret_hash = coalesce(@secret, secret_hash)
			where id = @id
			and tenant_id = @tenant_id
			and revoked_at is null
			returning `+tenantClientColumns+`
		), replaced as (
			delete from old_secrets
			where client_id = (select id from changed)
			and @secret::bytea is not null
		)
		select *
		from changed`,
		pgx.StrictNamedArgs{"id": id, "tenant_id": tenantID, "permissions": change.Permissions, "secret": hash})
}

// RevokeClient revokes a client of the tenant with its tokens. Its row remains, so
// that calls with its tokens are still attributed to the tenant. The error is
// pgx.ErrNoRows if the tenant has no such client, or it is revoked.
func (g *Gate) RevokeClient(ctx context.Context, db storage.DB, tenantID uuid.UUID, id string) error {
	revoked, err := db.Exec(ctx, `
		update clients
		set revoked_at = @now
		where id = @id
		and tenant_id = @tenant_id
		and revoked_at is null`,
		pgx.StrictNamedArgs{"id": id, "tenant_id": tenantID, "now": g.now()})
	if err == nil && revoked.RowsAffected() == 0 {
		return pgx.ErrNoRows
	}
	return err
}
