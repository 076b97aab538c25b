package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"

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
	if !tenantName.MatchString(name) {
		return Tenant{}, Credentials{}, ErrTenantName
	}
	tenant := Tenant{ID: uuid.New(), Name: name, Settings: settings, CreatedAt: inMicroseconds(g.now())}
	made := Credentials{
		// The id is never reused: tokens of a deleted tenant must not become
		// valid again when a tenant with the same name is created.
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

// ResetTenant resets the tenant's settings, except the id seed, and its clock to those
// of a new tenant, and deletes the state of its refresh tokens. The credentials remain
// valid.
func ResetTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		with families as (
			delete from refresh_families
			where client_id in (select id from clients where tenant_id = @id)
		)
		update tenants
		set settings = jsonb_strip_nulls(jsonb_build_object('id_seed', settings -> 'id_seed')), clock_offset = '0', frozen_at = null
		where id = @id`,
		pgx.StrictNamedArgs{"id": id}); err != nil {
		return fmt.Errorf("reset tenant: %w", err)
	}
	return nil
}

// TenantClient is the public part of a client.
type TenantClient struct {
	TenantID    uuid.UUID `json:"-"`
	ID          string    `json:"client_id"`
	UserID      uuid.UUID `json:"user_id"`
	Permissions []string  `json:"permissions"`
}

// ClientsOf returns the tenants' clients that are not revoked, ordered by id.
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
