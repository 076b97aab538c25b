// Package quota checks submissions and uploads against the quotas of their tenant: the number of its
// submissions, the size of each upload, and the total size of its files.
package quota

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
	"understudy.example/internal/turns"
)

// queue holds the calls that wait to compare the usage of a tenant with its quotas. Reading the
// usage takes long if the tenant has many submissions. Calls wait here without a connection, since
// calls of other tenants need the connections.
var queue turns.SpeedQueue

// InTurn calls do, which uses db, in the tenant's turn. It retries while the tenant is locked.
// Calls of a tenant without quotas take no turn.
func InTurn(ctx context.Context, db storage.DB, tenant auth.Tenant, do func() error) error {
	return auth.RetryLocked(ctx, db, tenant.ID, func(attempt auth.Attempt) error {
		if !tenant.Settings.HasQuotas() {
			return do()
		}
		return queue.Run(attempt.Context, tenant.ID, do)
	})
}

// Within calls do. If the tenant has quotas, do runs in a transaction that locks the
// tenant, so that simultaneous calls to all servers together do not exceed the quotas. It
// must run in the tenant's turn, see InTurn.
func Within(ctx context.Context, db storage.DB, tenant auth.Tenant, do func(db storage.DB, tenant auth.Tenant) error) error {
	if !tenant.Settings.HasQuotas() {
		return do(db, tenant)
	}
	return storage.InTx(ctx, db, func(tx pgx.Tx) error {
		locked, err := auth.TryLockTenant(ctx, tx, tenant.ID)
		if err != nil {
			return err
		}
		return do(tx, locked)
	})
}

// CheckSubmissions returns a 429 response if the tenant has as many submissions as its
// quota allows. It must run in the tenant's turn, see InTurn.
func CheckSubmissions(ctx context.Context, db storage.DB, tenant auth.Tenant) error {
	quota := tenant.Settings.MaxSubmissions
	if quota == 0 {
		return nil
	}
	var reached bool
	if err := db.QueryRow(ctx, `
		select count(*) >= @quota
		from (select from submissions where tenant_id = @tenant_id limit @quota) counted`, // no more rows than necessary
		pgx.StrictNamedArgs{"tenant_id": tenant.ID, "quota": quota}).Scan(&reached); err != nil {
		return fmt.Errorf("count submissions: %w", err)
	}
	if reached {
		return tooManySubmissions(quota)
	}
	return nil
}

// Room is what a tenant's quotas allow for a file. The zero value has no limit.
type Room struct {
	perFile, stored int64 // the quotas in bytes; 0 = none
	used            int64 // bytes of the tenant's other files, if stored is a quota
}

// Check returns an error if a file of the size would exceed a quota. others is the total
// size of other files that the rows do not contain yet.
func (r Room) Check(size, others int64) error {
	left := r.stored - r.used
	switch {
	case r.perFile > 0 && size > r.perFile && (r.stored == 0 || r.perFile <= left):
		return uploadTooLarge(r.perFile)
	case r.stored > 0 && size > left:
		return tooMuchStored(r.stored)
	case r.stored > 0 && size > left-others:
		return tooMuchUploading(r.stored)
	}
	return nil
}

// RoomFor returns the room for a file of the tenant that replaces the file of the
// submission, if that has one. It must run in the tenant's turn, see InTurn.
func RoomFor(ctx context.Context, db storage.DB, tenant auth.Tenant, txID uuid.UUID) (Room, error) {
	free := Room{perFile: tenant.Settings.MaxUploadBytes, stored: tenant.Settings.MaxStoredBytes}
	if free.stored == 0 {
		return free, nil
	}
	if err := db.QueryRow(ctx, `
		select coalesce(sum(size), 0)::bigint - coalesce((select size from submissions where tx_id = @tx_id), 0)
		from submissions
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenant.ID, "tx_id": txID}).Scan(&free.used); err != nil {
		return Room{}, fmt.Errorf("read usage: %w", err)
	}
	return free, nil
}
