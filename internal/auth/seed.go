package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Demo is a client that the local profile creates at start. Its credentials are
// public and the same on every machine.
type Demo struct {
	Tenant       string
	ClientID     string
	ClientSecret string
	APIKey       string
	Permissions  []string
}

// Demos are the demo clients of DefaultEnvironment: acme, globex, and acme's
// company-only client.
var Demos = []Demo{
	{"acme", "acme-client", "acme-secret", "acme-api-key", AllPermissions},
	{"globex", "globex-client", "globex-secret", "globex-api-key", AllPermissions},
	{"acme", "acme-company-client", "acme-company-secret", "acme-api-key", []string{
		"::data/v1:get",
		"::company/v1/quick_submit:post",
		"::company/v1/company_submit:post",
	}},
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

// SeedDemos creates the demo tenants and clients that do not exist, and returns the
// ids of the demo tenants by name, also of tenants that somebody else has created with
// the name. A revoked client stays revoked.
func SeedDemos(ctx context.Context, db storage.DB, keys *Keys, now time.Time) (map[string]uuid.UUID, error) {
	space := uuid.NewSHA1(uuid.NameSpaceURL, []byte("understudy/"+keys.Environment))
	tenants := map[string]uuid.UUID{}
	err := storage.InTx(ctx, db, func(tx pgx.Tx) error {
		for _, demo := range Demos {
			demo = demo.In(keys.Environment)
			if _, err := tx.Exec(ctx, `
				insert into tenants (id, name, created_at)
				values (@id, @name, @now)
				on conflict do nothing`,
				pgx.StrictNamedArgs{"id": uuid.NewSHA1(space, []byte("tenant/"+demo.Tenant)), "name": demo.Tenant, "now": now}); err != nil {
				return err
			}
			var id uuid.UUID
			if err := tx.QueryRow(ctx, "select id from tenants where name = $1", demo.Tenant).Scan(&id); err != nil {
				return err
			}
			tenants[demo.Tenant] = id
			if _, err := tx.Exec(ctx, `
				with client as (
					insert into clients (id, tenant_id, user_id, secret_hash, first_name, last_name, permissions, created_at)
					values (@id, @tenant_id, @user_id, @secret, @tenant, 'API client', @permissions, @now)
					on conflict do nothing
					returning tenant_id
				)
				insert into api_keys (hash, tenant_id, created_at)
				select @api_key, tenant_id, @now
				from client -- only with a new client, so that a deleted key is not restored
				on conflict do nothing`,
				pgx.StrictNamedArgs{
					"tenant_id":   id,
					"tenant":      demo.Tenant,
					"api_key":     keys.hash(apiKey, demo.APIKey),
					"id":          demo.ClientID,
					"user_id":     uuid.NewSHA1(space, []byte("client/"+demo.ClientID)),
					"secret":      keys.hash(clientSecret, demo.ClientSecret),
					"permissions": demo.Permissions,
					"now":         now,
				}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("seed demo tenants: %w", err)
	}
	return tenants, nil
}

// DemosPresent reports whether any demo client can get a token, which a shared
// deployment must not allow. A database without tables has no client.
func DemosPresent(ctx context.Context, db storage.DB) (bool, error) {
	var ids []string
	for _, demo := range Demos { // the client ids are the same in every environment
		ids = append(ids, demo.ClientID)
	}
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
