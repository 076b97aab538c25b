package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// maxOldSecrets is the maximum number of old secrets of a client that still work. Each token
// call for the client reads all of them.
const maxOldSecrets = 100

// RotateSecret replaces the secret of a client of the tenant. It returns the new
// secret, and the tenant's time until which the old one works. Secrets of earlier
// rotations work until their own overlaps end. The error is pgx.ErrNoRows if the tenant
// has no such client, or if it is revoked. It is an *api.Error if maxOldSecrets
// old secrets of the client still work and the overlap would add one.
func (g *Gate) RotateSecret(ctx context.Context, db storage.DB, tenantID uuid.UUID, id string, overlap time.Duration) (secret string, oldUntil time.Time, err error) {
	secret = newSecret()
	err = InTenantTx(ctx, db, tenantID, func(tx pgx.Tx, tenant Tenant) error {
		now := tenant.Time(g.now())
		oldUntil = now.Add(overlap)
		old, err := storage.One[struct{ SecretHash []byte }](ctx, tx, `
			select secret_hash
			from clients
			where id = @id
			and tenant_id = @tenant_id
			and revoked_at is null
			for update`,
			pgx.StrictNamedArgs{"id": id, "tenant_id": tenantID})
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			insert into old_secrets (client_id, hash, expires_at)
			values (@id, @old, @until)
			on conflict (client_id, hash) do update
			set expires_at = @until, found_expired_at = null`,
			pgx.StrictNamedArgs{"id": id, "old": old.SecretHash, "until": oldUntil}); err != nil {
			return err
		}
		if err := deleteExpiredSecrets(ctx, tx, tenantID, now); err != nil {
			return err
		}
		var working int
		if err := tx.QueryRow(ctx, "select count(*) from old_secrets where client_id = $1", id).Scan(&working); err != nil {
			return err
		}
		if overlap > 0 && working > maxOldSecrets {
			return limitReached(maxOldSecrets, "old secrets that still work")
		}
		_, err = tx.Exec(ctx, `
			update clients
			set secret_hash = @secret
			where id = @id`,
			pgx.StrictNamedArgs{"id": id, "secret": g.keys.hash(clientSecret, secret)})
		return err
	})
	return secret, oldUntil, err
}

// deleteExpiredSecrets deletes the tenant's old secrets that no longer work at the
// tenant's time.
func deleteExpiredSecrets(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, now time.Time) error {
	_, err := tx.Exec(ctx, `
		delete from old_secrets
		where client_id in (select id from clients where tenant_id = @tenant_id)
		and expires_at <= @now`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "now": now})
	return err
}

// DeleteOldSecrets deletes the old secrets of all tenants that have not worked for
// ExpiredRetention, and returns their number. now is real time.
func DeleteOldSecrets(ctx context.Context, db storage.DB, now time.Time) (int64, error) {
	if _, err := db.Exec(ctx, `
		update old_secrets
		set found_expired_at = @now
		where (client_id, hash) in (
			select s.client_id, s.hash
			from old_secrets s
			join clients c on c.id = s.client_id
			join tenants t on t.id = c.tenant_id
			where s.found_expired_at is null
			and s.expires_at <= least(@now, t.frozen_at) + t.clock_offset
			for update of s skip locked
		)`,
		pgx.StrictNamedArgs{"now": now}); err != nil {
		return 0, fmt.Errorf("find expired secrets: %w", err)
	}
	deleted, err := db.Exec(ctx, `
		delete from old_secrets
		where (client_id, hash) in (
			select client_id, hash
			from old_secrets
			where found_expired_at < @before
			for update skip locked
		)`,
		pgx.StrictNamedArgs{"before": now.Add(-ExpiredRetention)})
	if err != nil {
		return 0, fmt.Errorf("delete expired secrets: %w", err)
	}
	return deleted.RowsAffected(), nil
}

// ExpiredRetention is the real time for which secrets and faults that have expired by the
// tenant's clock are kept, so that a move of the clock can still report them.
const ExpiredRetention = 24 * time.Hour

// resetOldSecrets shifts the expiry of the tenant's old secrets by the same duration by
// which a reset shifts the tenant's clock, so that each keeps the rest of its overlap.
// now is the real time.
func resetOldSecrets(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, now time.Time) error {
	tenant, err := LockTenant(ctx, tx, tenantID)
	if err != nil {
		return fmt.Errorf("reset old secrets: %w", err)
	}
	if err := deleteExpiredSecrets(ctx, tx, tenantID, tenant.Time(now)); err != nil {
		return fmt.Errorf("reset old secrets: %w", err)
	}
	if _, err = tx.Exec(ctx, `
		update old_secrets
		set expires_at = expires_at - @ahead::interval
		where client_id in (select id from clients where tenant_id = @tenant_id)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "ahead": tenant.Time(now).Sub(now)}); err != nil {
		return fmt.Errorf("reset old secrets: %w", err)
	}
	return nil
}

// ExpiredSecret is an old secret that has stopped working.
type ExpiredSecret struct {
	ClientID  string
	ExpiresAt time.Time // tenant's time
}

// ExpiredSecrets returns the tenant's old secrets that stopped working after one
// tenant's time and until another, in order.
func ExpiredSecrets(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]ExpiredSecret, error) {
	expired, err := storage.All[ExpiredSecret](ctx, db, `
		select client_id, expires_at
		from old_secrets
		where client_id in (select id from clients where tenant_id = @tenant_id and revoked_at is null)
		and expires_at > @after
		and expires_at <= @until
		order by expires_at, client_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list expired secrets: %w", err)
	}
	return expired, nil
}
