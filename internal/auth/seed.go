package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Demo is a client of a seed, with its credentials and the first API key of its tenant.
// Those of the demo seed are public and the same on every machine.
type Demo struct {
	Tenant       string
	ClientID     string
	ClientSecret string
	APIKey       string
	Permissions  []string
}

// DefaultEnvironment is the default name of an environment.
const DefaultEnvironment = "sandbox"

// In returns the demo client of another environment. Its secret and its API key end in
// the environment's name, since each environment has credentials of its own.
func (d Demo) In(environment string) Demo {
	if environment != DefaultEnvironment {
		d.ClientSecret += "-" + environment
		d.APIKey += "-" + environment
	}
	return d
}

// AllPermissions are the permissions of a full client: the permissions that service.md
// lists, and those for webhook subscriptions, which are our own.
var AllPermissions = []string{
	"::data/v2:get",
	"::data/v1:get",
	"::universal/v3/universal-submit:get",
	"::universal/v3/universal-submit:post",
	"::universal/v2/universal-submit:get",
	"::universal/v2/universal-submit:post",
	"::universal/v1/universal-submit:get",
	"::universal/v1/universal-submit:post",
	"::audit/v1/report:get",
	"::location/v1/location_submit:post",
	"::company/v1/quick_submit:post",
	"::company/v1/company_submit:post",
	"::hooks:get",
	"::hooks:post",
	"::hooks:put",
	"::hooks:delete",
}

// Kinds of the parts of a seed. A reset of the tenant removes what sections and documents
// have made, but keeps its clients and API keys.
const (
	SeedSection  = "section"
	SeedClient   = "client"
	SeedAPIKey   = "api_key"
	SeedDocument = "document"
)

// SeedItem is a part of a tenant's seed.
type SeedItem struct {
	Kind   string
	Name   string // unique among the tenant's items of the kind
	Digest []byte
}

// NewSeedItem returns a part with this content, which may contain secrets.
func (g *Gate) NewSeedItem(kind, name string, content []byte) SeedItem {
	return SeedItem{kind, name, sum(g.keys.pepper, []byte("seed "+kind), []byte{0}, content)}
}

// Is reports whether the parts have the same kind and the same name.
func (i SeedItem) Is(other SeedItem) bool { return i.Kind == other.Kind && i.Name == other.Name }

// SeedTenant returns the tenant with the name, which must be valid, and locks it. If there is
// none, it creates the tenant with an id that is derived from the name and the environment.
func (g *Gate) SeedTenant(ctx context.Context, tx pgx.Tx, name string) (tenant Tenant, created bool, err error) {
	added, err := tx.Exec(ctx, `
		insert into tenants (id, name, created_at)
		values (@id, @name, @now)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"id": g.keys.seededID("tenant/" + name), "name": name, "now": g.now()})
	if err != nil {
		return Tenant{}, false, fmt.Errorf("seed tenant: %w", err)
	}
	if tenant, err = TenantNamed(ctx, tx, name); err != nil {
		return Tenant{}, false, fmt.Errorf("seed tenant: %w", err)
	}
	tenant, err = LockTenant(ctx, tx, tenant.ID)
	return tenant, added.RowsAffected() == 1, err
}

// seededID returns the id of a tenant or a client of a seed.
func (k *Keys) seededID(path string) uuid.UUID {
	space := uuid.NewSHA1(uuid.NameSpaceURL, []byte("understudy/"+k.Environment))
	return uuid.NewSHA1(space, []byte(path))
}

// SeedItems returns the seed parts that were applied to the tenants with these names, by tenant
// name. They include parts that are no longer in the seed.
func SeedItems(ctx context.Context, db storage.DB, names []string) (map[string][]SeedItem, error) {
	found, err := storage.All[struct {
		Tenant, Kind, Name string
		Digest             []byte
	}](ctx, db, `
		select t.name as tenant, i.kind, i.name, i.digest
		from tenants t
		join seed_items i on i.tenant_id = t.id
		where t.name = any(@names)`,
		pgx.StrictNamedArgs{"names": names})
	if err != nil {
		return nil, fmt.Errorf("list seed items: %w", err)
	}
	items := map[string][]SeedItem{}
	for _, i := range found {
		items[i.Tenant] = append(items[i.Tenant], SeedItem{i.Kind, i.Name, i.Digest})
	}
	return items, nil
}

// RecordSeedItem records that the part is applied. It reports false if the same part was
// already recorded, also by a transaction that had not ended yet.
func (g *Gate) RecordSeedItem(ctx context.Context, db storage.DB, tenantID uuid.UUID, item SeedItem) (bool, error) {
	recorded, err := db.Exec(ctx, `
		insert into seed_items as i (tenant_id, kind, name, digest, applied_at)
		values (@tenant_id, @kind, @name, @digest, @now)
		on conflict (tenant_id, kind, name) do update
		set digest = @digest, removed = false, applied_at = @now
		where i.digest <> @digest`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "kind": item.Kind, "name": item.Name, "digest": item.Digest, "now": g.now()})
	if err != nil {
		return false, fmt.Errorf("record seed item: %w", err)
	}
	return recorded.RowsAffected() == 1, nil
}

// RemovedSeedItem is a part of a seed that is no longer in it. Everything that it created still
// exists.
type RemovedSeedItem struct{ Tenant, Kind, Name string }

// NoteRemovedSeedItems compares the parts that were applied to all tenants with the parts of the
// seed, by the name of the tenant, and returns those that are no longer in it. Each part is
// returned once, and again only if it was in a seed in the meantime.
func NoteRemovedSeedItems(ctx context.Context, db storage.DB, seed map[string][]SeedItem) ([]RemovedSeedItem, error) {
	var tenants, kinds, names []string
	for tenant, items := range seed {
		for _, item := range items {
			tenants, kinds, names = append(tenants, tenant), append(kinds, item.Kind), append(names, item.Name)
		}
	}
	removed, err := storage.All[RemovedSeedItem](ctx, db, `
		with now_removed as (
			select i.tenant_id, i.kind, i.name, t.name as tenant, (t.name, i.kind, i.name) not in (
				select tenant, kind, name
				from unnest(@tenants::text[], @kinds::text[], @names::text[]) as seed (tenant, kind, name)
			) as removed
			from seed_items i
			join tenants t on t.id = i.tenant_id
		), changed as (
			update seed_items i
			set removed = n.removed
			from now_removed n
			where (i.tenant_id, i.kind, i.name) = (n.tenant_id, n.kind, n.name)
			and i.removed <> n.removed
			returning n.tenant, n.kind, n.name, n.removed
		)
		select tenant, kind, name
		from changed
		where removed
		order by tenant, kind, name`,
		pgx.StrictNamedArgs{"tenants": tenants, "kinds": kinds, "names": names})
	if err != nil {
		return nil, fmt.Errorf("note removed seed items: %w", err)
	}
	return removed, nil
}

// resetSeedItems forgets the parts of the tenant's seed whose effects a reset removes, so that
// the next start applies them again.
func resetSeedItems(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	_, err := tx.Exec(ctx, `
		delete from seed_items
		where tenant_id = @tenant_id
		and kind in (@section, @document)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "section": SeedSection, "document": SeedDocument})
	if err != nil {
		return fmt.Errorf("reset seed items: %w", err)
	}
	return nil
}

// ClientsPresent reports whether any client with one of the ids can get a token. A
// database without tables has no client.
func ClientsPresent(ctx context.Context, db storage.DB, ids []string) (bool, error) {
	var migrated, present bool
	if err := db.QueryRow(ctx, "select to_regclass('clients') is not null").Scan(&migrated); err != nil || !migrated {
		return false, err
	}
	err := db.QueryRow(ctx, `
		select exists(
			select from clients
			where id = any(@ids)
			and revoked_at is null
		)`, pgx.StrictNamedArgs{"ids": ids}).Scan(&present)
	return present, err
}
