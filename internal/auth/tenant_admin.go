package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Errors of AddTenant.
var (
	ErrTenantName = errors.New("invalid tenant name")
	ErrNameTaken  = errors.New("tenant name is taken")
)

var tenantName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// ValidTenantName reports whether a tenant can have the name.
func ValidTenantName(name string) bool { return tenantName.MatchString(name) }

// Credentials are the credentials of a new tenant's client. The database keeps
// only hashes of the secret and the key.
type Credentials struct {
	ClientID     string
	ClientSecret string
	APIKey       string
	UserID       uuid.UUID
}

// AddTenant creates a tenant with an API key and one client. If the name is empty,
// AddTenant chooses one. The error can be ErrTenantName or ErrNameTaken.
func (g *Gate) AddTenant(ctx context.Context, tx pgx.Tx, name string, permissions []string, settings Settings) (Tenant, Credentials, error) {
	if name == "" {
		name = "t-" + strings.ToLower(rand.Text()[:12])
	}
	if !ValidTenantName(name) {
		return Tenant{}, Credentials{}, ErrTenantName
	}
	tenant := Tenant{ID: uuid.New(), Name: name, Settings: settings, CreatedAt: inMicroseconds(g.now())}
	added, err := tx.Exec(ctx, `
		insert into tenants (id, name, settings, created_at)
		values (@id, @name, @settings, @now)
		on conflict (name) do nothing`,
		pgx.StrictNamedArgs{"id": tenant.ID, "name": name, "settings": settings, "now": tenant.CreatedAt})
	if err != nil {
		return Tenant{}, Credentials{}, fmt.Errorf("add tenant: %w", err)
	}
	if added.RowsAffected() == 0 {
		return Tenant{}, Credentials{}, ErrNameTaken
	}
	client, secret, err := g.AddClient(ctx, tx, tenant, NewClient{Permissions: permissions})
	if err != nil {
		return Tenant{}, Credentials{}, err
	}
	_, key, err := g.AddAPIKey(ctx, tx, tenant, "")
	if err != nil {
		return Tenant{}, Credentials{}, err
	}
	return tenant, Credentials{ClientID: client.ID, ClientSecret: secret, APIKey: key, UserID: client.UserID}, nil
}

// DeleteTenant deletes the tenant and, through foreign keys, its rows in every
// table that refers to it.
func DeleteTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		delete from tenants
		where id = @id`,
		pgx.StrictNamedArgs{"id": id}); err != nil {
		return fmt.Errorf("delete tenant: %w", err)
	}
	return nil
}

// familyBatch is the number of rows that DeleteRefreshFamilies deletes in a transaction.
const familyBatch = 5000

// DeleteRefreshFamilies deletes the state of the tenant's refresh tokens in batches, each
// in its own transaction, if there is more than one batch. It reports whether there was.
func DeleteRefreshFamilies(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "batch": familyBatch}
	if err := db.QueryRow(ctx, `
		select exists (
			select
			from clients c
			join refresh_families f on f.client_id = c.id
			where c.tenant_id = @tenant_id
			offset @batch
			limit 1
		)`, args).Scan(&many); err != nil {
		return false, fmt.Errorf("count refresh tokens: %w", err)
	}
	for more := many; more; {
		deleted, err := db.Exec(ctx, `
			delete from refresh_families
			where id = any(array(
				select f.id
				from clients c
				join refresh_families f on f.client_id = c.id
				where c.tenant_id = @tenant_id
				limit @batch
				for update of f skip locked
			))`, args)
		if err != nil {
			return false, fmt.Errorf("delete refresh tokens: %w", err)
		}
		more = deleted.RowsAffected() == familyBatch
	}
	return many, nil
}

// ResetTenant resets the tenant's settings, except the id seed, and its clock to those
// of a new tenant, and ends its refresh tokens. The credentials remain valid; an old secret
// keeps the rest of its overlap. now is the real time.
func ResetTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID, now time.Time) error {
	if err := resetOldSecrets(ctx, tx, id, now); err != nil {
		return err
	}
	if err := resetSeedItems(ctx, tx, id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `
		with families as (
			delete from refresh_families
			where client_id in (select id from clients where tenant_id = @id)
		)
		update tenants
		set settings = jsonb_strip_nulls(jsonb_build_object('id_seed', settings -> 'id_seed')), clock_offset = '0', frozen_at = null, refresh_from = @now
		where id = @id`,
		pgx.StrictNamedArgs{"id": id, "now": now}); err != nil {
		return fmt.Errorf("reset tenant: %w", err)
	}
	return nil
}
