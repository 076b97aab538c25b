package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Tenant is what a background step knows of the tenant it works for.
type Tenant struct {
	ID          uuid.UUID
	Name        string
	ClockOffset time.Duration // tenant's time less real time
	Settings    Settings
	CreatedAt   time.Time
}

const tenantColumns = `id, name, clock_offset, settings, created_at`

// Time is the tenant's time at the real time now.
func (t Tenant) Time(now time.Time) time.Time { return shown(now.Add(t.ClockOffset)) }

// Tenants returns the tenants of the given ids.
func Tenants(ctx context.Context, db storage.DB, ids []uuid.UUID) (map[uuid.UUID]Tenant, error) {
	found, err := storage.All[Tenant](ctx, db, `
		select `+tenantColumns+`
		from tenants
		where id = any(@ids)`,
		pgx.StrictNamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read tenants: %w", err)
	}
	tenants := make(map[uuid.UUID]Tenant, len(found))
	for _, tenant := range found {
		tenants[tenant.ID] = tenant
	}
	return tenants, nil
}

// KeepTenants returns those of the tenants that there are, and keeps them from
// being deleted until the transaction ends: what a foreign key does for each
// row, once for all.
func KeepTenants(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := tx.Query(ctx, `
		select id
		from tenants
		where id = any(@ids)
		order by id
		for key share`,
		pgx.StrictNamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("keep tenants: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("keep tenants: %w", err)
	}
	kept := make(map[uuid.UUID]bool, len(found))
	for _, id := range found {
		kept[id] = true
	}
	return kept, nil
}

// Tenant returns a tenant, and its time now.
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

// AllTenants returns every tenant, by name.
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

// TenantNamed returns the tenant of this name; pgx.ErrNoRows when there is none.
func TenantNamed(ctx context.Context, db storage.DB, name string) (Tenant, error) {
	return storage.One[Tenant](ctx, db, `
		select `+tenantColumns+`
		from tenants
		where name = @name`,
		pgx.StrictNamedArgs{"name": name})
}
