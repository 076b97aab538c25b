package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// ErrKeyTaken is returned by AddAPIKey if any tenant already has the key.
var ErrKeyTaken = errors.New("API key is taken")

// APIKey is an API key without the key itself, which is a secret.
type APIKey struct {
	ID        uuid.UUID
	CreatedAt time.Time
}

// APIKeys returns the tenant's API keys, oldest first.
func APIKeys(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]APIKey, error) {
	keys, err := storage.All[APIKey](ctx, db, `
		select id, created_at
		from api_keys
		where tenant_id = @tenant_id
		order by created_at, id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	return keys, nil
}

// AddAPIKey creates an API key of the tenant and returns it. An empty key is replaced
// by a generated one. The database keeps only a hash. The error can be ErrKeyTaken, or an
// *api.Error if the tenant already has MaxAPIKeys keys.
func (g *Gate) AddAPIKey(ctx context.Context, db storage.DB, tenant Tenant, key string) (created APIKey, _ string, err error) {
	key = cmp.Or(key, newSecret())
	err = InTenantTx(ctx, db, tenant.ID, func(tx pgx.Tx, tenant Tenant) error {
		if created, err = g.insertAPIKey(ctx, tx, tenant, key); err != nil {
			return err
		}
		return checkAPIKeyCount(ctx, tx, tenant.ID)
	})
	if err != nil {
		return APIKey{}, "", err
	}
	return created, key, nil
}

func (g *Gate) insertAPIKey(ctx context.Context, tx pgx.Tx, tenant Tenant, key string) (APIKey, error) {
	created, err := storage.One[APIKey](ctx, tx, `
		insert into api_keys (hash, tenant_id, created_at)
		values (@hash, @tenant_id, @now)
		on conflict (hash) do nothing
		returning id, created_at`,
		pgx.StrictNamedArgs{"hash": g.keys.hash(apiKey, key), "tenant_id": tenant.ID, "now": g.now()})
	if errors.Is(err, pgx.ErrNoRows) {
		return APIKey{}, ErrKeyTaken
	}
	if err != nil {
		return APIKey{}, fmt.Errorf("add API key: %w", err)
	}
	return created, nil
}

// MaxAPIKeys is the maximum number of API keys of a tenant. A server caches all of them.
const MaxAPIKeys = 1000

// checkAPIKeyCount returns an *api.Error if the tenant, which tx has locked, has more than
// MaxAPIKeys keys.
func checkAPIKeyCount(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	var count int
	if err := tx.QueryRow(ctx, "select count(*) from api_keys where tenant_id = $1", tenantID).Scan(&count); err != nil {
		return fmt.Errorf("count API keys: %w", err)
	}
	if count > MaxAPIKeys {
		return limitReached(MaxAPIKeys, "API keys")
	}
	return nil
}

// DeleteAPIKey deletes an API key of the tenant. Its error is pgx.ErrNoRows if the
// tenant has no such key.
func DeleteAPIKey(ctx context.Context, db storage.DB, tenantID, id uuid.UUID) error {
	deleted, err := db.Exec(ctx, `
		delete from api_keys
		where id = @id
		and tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"id": id, "tenant_id": tenantID})
	if err == nil && deleted.RowsAffected() == 0 {
		return pgx.ErrNoRows
	}
	return err
}
