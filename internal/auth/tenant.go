package auth

import (
	"context"
	"errors"
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
	return tenantsByID(found), nil
}

func tenantsByID(found []Tenant) map[uuid.UUID]Tenant {
	tenants := make(map[uuid.UUID]Tenant, len(found))
	for _, tenant := range found {
		tenants[tenant.ID] = tenant
	}
	return tenants
}

// ErrTenantGone is the error of a transaction whose tenant was deleted in the meantime.
// It is a pgx.ErrNoRows.
var ErrTenantGone = fmt.Errorf("the tenant was deleted: %w", pgx.ErrNoRows)

// LockFreeTenants locks those tenants that exist and are not being deleted or reset, and
// returns them by id. They cannot be deleted or reset until the transaction ends, but
// their clocks and settings can change. One call locks the tenants of many rows, as a
// foreign key would for each row. It does not wait, so it can be called after other rows
// have been locked. A statement that needs the same lock calls the SQL function
// lock_free_tenants, or lock_tenants, which waits, if it serves only one tenant.
//
// The transaction must not add entries to the feed of any other tenant, because
// LockFreeTenants announces these tenants to the readers of all feeds. LockTenant and the
// other lock functions do so too.
func LockFreeTenants(ctx context.Context, tx pgx.Tx, ids ...uuid.UUID) (map[uuid.UUID]Tenant, error) {
	found, err := storage.All[Tenant](ctx, tx, `
		select `+tenantColumns+`
		from tenants
		where id = any(@ids)
		and (select announce_tenants(@ids))
		order by id
		for key share skip locked`,
		pgx.StrictNamedArgs{"ids": storage.InLockOrder(ids)})
	if err != nil {
		return nil, fmt.Errorf("lock tenants: %w", err)
	}
	return tenantsByID(found), nil
}

// TryLockTenants is like LockFreeTenants, but also returns the tenants that are locked.
// Tenants that no longer exist are in neither map.
func TryLockTenants(ctx context.Context, tx pgx.Tx, ids ...uuid.UUID) (free, locked map[uuid.UUID]Tenant, err error) {
	if free, err = LockFreeTenants(ctx, tx, ids...); err != nil {
		return nil, nil, err
	}
	var others []uuid.UUID
	for _, id := range ids {
		if _, ok := free[id]; !ok {
			others = append(others, id)
		}
	}
	if len(others) > 0 {
		locked, err = Tenants(ctx, tx, storage.InLockOrder(others))
	}
	return free, locked, err
}

// LockTenant returns a tenant and locks its row: no other transaction can change its
// clock or its settings until this transaction ends. The error is ErrTenantGone if the
// tenant does not exist.
func LockTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID) (Tenant, error) {
	return lockTenant(ctx, tx, id, "for no key update")
}

// LockTenantAlone is LockTenant for the deletion and the reset of a tenant. It waits
// for all transactions that have locked the tenant, and no other transaction can lock
// it until this one ends. So other transactions cannot deadlock with it or leave rows
// behind.
func LockTenantAlone(ctx context.Context, tx pgx.Tx, id uuid.UUID) (Tenant, error) {
	return lockTenant(ctx, tx, id, "for update")
}

func lockTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID, lock string) (Tenant, error) {
	tenant, err := storage.One[Tenant](ctx, tx, `
		select `+tenantColumns+`
		from tenants
		where id = @id
		and (select announce_tenants(array[@id::uuid]))
		`+lock,
		pgx.StrictNamedArgs{"id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return Tenant{}, ErrTenantGone
	}
	return tenant, err
}

// Tenant returns a tenant and its time now. The error is ErrTenantGone if it does not
// exist.
func (g *Gate) Tenant(ctx context.Context, id uuid.UUID) (Tenant, time.Time, error) {
	tenants, err := Tenants(ctx, g.db, []uuid.UUID{id})
	if err != nil {
		return Tenant{}, time.Time{}, err
	}
	tenant, ok := tenants[id]
	if !ok {
		return Tenant{}, time.Time{}, ErrTenantGone
	}
	return tenant, tenant.Time(g.now()), nil
}

// TenantPage selects tenants by name.
type TenantPage struct {
	After string // only names after this one
	Part  string // only names that contain this
	Limit int
}

// List returns the tenants of the page, by name, and one more if there are more.
func (p TenantPage) List(ctx context.Context, db storage.DB) ([]Tenant, error) {
	tenants, err := storage.All[Tenant](ctx, db, `
		select `+tenantColumns+`
		from tenants
		where name > @after
		and strpos(name, @part) > 0
		order by name
		limit @limit::bigint + 1`,
		pgx.StrictNamedArgs{"after": p.After, "part": p.Part, "limit": p.Limit})
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

// CountByTenant runs a query that returns the columns tenant_id and count for
// the tenants in the parameter @ids, and returns the counts by tenant.
func CountByTenant(ctx context.Context, db storage.DB, sql string, tenantIDs []uuid.UUID) (map[uuid.UUID]int, error) {
	rows, err := storage.All[struct {
		TenantID uuid.UUID
		Count    int
	}](ctx, db, sql, pgx.StrictNamedArgs{"ids": tenantIDs})
	if err != nil {
		return nil, fmt.Errorf("count by tenant: %w", err)
	}
	counts := make(map[uuid.UUID]int, len(rows))
	for _, row := range rows {
		counts[row.TenantID] = row.Count
	}
	return counts, nil
}
