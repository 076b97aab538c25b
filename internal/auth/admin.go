package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
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
	ErrTenantName = errors.New("not a tenant name")
	ErrNameTaken  = errors.New("tenant name taken")
)

var tenantName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Credentials are what a client of a new tenant calls with. Only their hashes
// are kept.
type Credentials struct {
	ClientID     string
	ClientSecret string
	APIKey       string
	UserID       uuid.UUID
}

// AddTenant makes a tenant with an API key and one client. An empty name is
// made up.
func (g *Gate) AddTenant(ctx context.Context, tx pgx.Tx, name string, permissions []string, settings Settings) (Tenant, Credentials, error) {
	if name == "" {
		name = "t-" + strings.ToLower(rand.Text()[:12])
	}
	if !tenantName.MatchString(name) {
		return Tenant{}, Credentials{}, ErrTenantName
	}
	tenant := Tenant{ID: uuid.New(), Name: name, Settings: settings, CreatedAt: shown(g.now())}
	made := Credentials{
		// Never an id that was there before: tokens of a deleted tenant of
		// the same name must not come back to life.
		ClientID:     name + "-" + strings.ToLower(rand.Text()[:12]),
		ClientSecret: base64.RawURLEncoding.EncodeToString(random(32)),
		APIKey:       base64.RawURLEncoding.EncodeToString(random(32)),
		UserID:       uuid.New(),
	}
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
	if _, err := tx.Exec(ctx, `
		with key as (
			insert into api_keys (hash, tenant_id, created_at)
			values (@api_key, @tenant_id, @now)
		)
		insert into clients (id, tenant_id, user_id, secret_hash, first_name, last_name, permissions, created_at)
		values (@id, @tenant_id, @user_id, @secret, @tenant, 'API client', @permissions, @now)`,
		pgx.StrictNamedArgs{
			"api_key": g.keys.hash(apiKey, made.APIKey), "tenant_id": tenant.ID, "tenant": name,
			"id": made.ClientID, "user_id": made.UserID, "secret": g.keys.hash(clientSecret, made.ClientSecret),
			"permissions": permissions, "now": tenant.CreatedAt,
		}); err != nil {
		return Tenant{}, Credentials{}, fmt.Errorf("add client: %w", err)
	}
	return tenant, made, nil
}

// DeleteTenant removes the tenant, and with it all rows that are its.
func DeleteTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		delete from tenants
		where id = @id`,
		pgx.StrictNamedArgs{"id": id}); err != nil {
		return fmt.Errorf("delete tenant: %w", err)
	}
	return nil
}

// ResetTenant brings settings and clock back to what a new tenant has, and
// forgets the refresh tokens that were used. Credentials stay.
func ResetTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		with families as (
			delete from refresh_families
			where client_id in (select id from clients where tenant_id = @id)
		)
		update tenants
		set settings = '{}', clock_offset = '0'
		where id = @id`,
		pgx.StrictNamedArgs{"id": id}); err != nil {
		return fmt.Errorf("reset tenant: %w", err)
	}
	return nil
}

// AdvanceClock moves the tenant's clock forward. What of the tenant is due must
// be moved in the same transaction.
func AdvanceClock(ctx context.Context, tx pgx.Tx, id uuid.UUID, by time.Duration) error {
	if _, err := tx.Exec(ctx, `
		update tenants
		set clock_offset = clock_offset + @by::interval
		where id = @id`,
		pgx.StrictNamedArgs{"id": id, "by": by}); err != nil {
		return fmt.Errorf("move clock: %w", err)
	}
	return nil
}

// TenantClient is a client as it may be shown.
type TenantClient struct {
	TenantID    uuid.UUID `json:"-"`
	ID          string    `json:"client_id"`
	UserID      uuid.UUID `json:"user_id"`
	Permissions []string  `json:"permissions"`
}

// ClientsOf returns the tenants' clients that are not revoked.
func ClientsOf(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) ([]TenantClient, error) {
	clients, err := storage.All[TenantClient](ctx, db, `
		select tenant_id, id, user_id, permissions
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
