package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Tenant is a tenant, without its clients.
type Tenant struct {
	ID   uuid.UUID
	Name string
	Clock
	Settings  Settings
	CreatedAt time.Time
}

const tenantColumns = `id, name, clock_offset, frozen_at, settings, created_at`

// Tenants returns the tenants with the ids, by id. Tenants that do not exist are
// missing.
func Tenants(ctx context.Context, db storage.DB, ids []uuid.UUID) (map[uuid.UUID]Tenant, error) {
	found, err := storage.All[Tenant](ctx, db, `
		select `+tenantColumns+`
		from tenants
		where id = any(@ids)`,
		pgx.StrictNamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("load tenants: %w", err)
	}
	tenants := make(map[uuid.UUID]Tenant, len(found))
	for _, tenant := range found {
		tenants[tenant.ID] = tenant
	}
	return tenants, nil
}

// LockTenants returns the ids of those tenants that exist. They cannot be deleted until
// the transaction ends. One call locks the tenants of many rows, as a foreign key would
// for each row. A statement of another package that needs the same lock calls the SQL
// function lock_tenants.
func LockTenants(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	found, err := storage.IDs(ctx, tx, `
		select id
		from lock_tenants(@ids)`,
		pgx.StrictNamedArgs{"ids": storage.InLockOrder(ids)})
	if err != nil {
		return nil, fmt.Errorf("lock tenants: %w", err)
	}
	exist := make(map[uuid.UUID]bool, len(found))
	for _, id := range found {
		exist[id] = true
	}
	return exist, nil
}

// Tenant returns a tenant and its time now.
func (g *Gate) Tenant(ctx context.Context, id uuid.UUID) (Tenant, time.Time, error) {
	tenants, err := Tenants(ctx, g.db, []uuid.UUID{id})
	if err != nil {
		return Tenant{}, time.Time{}, err
	}
	tenant, ok := tenants[id]
	if !ok {
		return Tenant{}, time.Time{}, fmt.Errorf("no tenant %s", id)
	}
	return tenant, tenant.Time(g.now()), nil
}

// AllTenants returns every tenant, ordered by name.
func AllTenants(ctx context.Context, db storage.DB) ([]Tenant, error) {
	tenants, err := storage.All[Tenant](ctx, db, `
		select `+tenantColumns+`
		from tenants
		order by name`,
		pgx.StrictNamedArgs{})
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return tenants, nil
}

// TenantNamed returns the tenant with the name. Its error is pgx.ErrNoRows if there
// is none.
func TenantNamed(ctx context.Context, db storage.DB, name string) (Tenant, error) {
	return storage.One[Tenant](ctx, db, `
		select `+tenantColumns+`
		from tenants
		where name = @name`,
		pgx.StrictNamedArgs{"name": name})
}
