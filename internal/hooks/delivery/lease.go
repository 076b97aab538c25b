package delivery

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

const (
	leaseDuration = 15 * time.Second // a claimed delivery can be claimed again when its lease has expired
	renewInterval = 5 * time.Second
)

// lease is this server's claim on one delivery.
type lease struct {
	hookID  uuid.UUID
	attempt int
	until   time.Time
}

// ReleaseLeases ends the leases of servers that were killed, so that their
// deliveries are sent at once instead of when the leases expire. Call it only if
// no other server uses the database.
func ReleaseLeases(ctx context.Context, db storage.DB) error {
	if _, err := db.Exec(ctx, `
		update deliveries
		set lease_until = null
		where state = 'pending'
		and lease_until is not null`); err != nil {
		return fmt.Errorf("release leases of deliveries: %w", err)
	}
	return nil
}

// renewLeases renews the leases, which are by delivery, and returns the ids of the
// deliveries that this server still holds. It skips deliveries that another transaction
// has locked.
func renewLeases(ctx context.Context, db storage.DB, held map[uuid.UUID]lease, now time.Time) ([]uuid.UUID, error) {
	hooks, ids, attempts := make([]uuid.UUID, 0, len(held)), make([]uuid.UUID, 0, len(held)), make([]int, 0, len(held))
	rows := slices.Collect(maps.Keys(held))
	sortInLockOrder(rows, func(id uuid.UUID) (uuid.UUID, uuid.UUID) { return held[id].hookID, id })
	for _, id := range rows {
		hooks, ids, attempts = append(hooks, held[id].hookID), append(ids, id), append(attempts, held[id].attempt)
	}
	renewed, err := storage.IDs(ctx, db, `
		with free as materialized (
			select d.ctid as row_at
			from unnest(@hooks::uuid[], @ids::uuid[], @attempts::int[]) held (hook_id, id, attempt)
			join deliveries d on d.hook_id = held.hook_id and d.id = held.id
			where d.attempt = held.attempt
			and d.lease_until is not null -- null once the result is recorded
			for update of d skip locked
		)
		update deliveries d
		set lease_until = @lease
		from free
		where d.ctid = free.row_at
		returning d.id`,
		pgx.StrictNamedArgs{"hooks": hooks, "ids": ids, "attempts": attempts, "lease": now.Add(leaseDuration)})
	if err != nil {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	return renewed, nil
}

// sortInLockOrder sorts rows that are to be changed by subscription and delivery.
// All code that changes several deliveries locks them in this order, which
// prevents deadlocks.
func sortInLockOrder[T any](rows []T, key func(T) (hook, delivery uuid.UUID)) {
	slices.SortStableFunc(rows, func(a, b T) int {
		hookA, idA := key(a)
		hookB, idB := key(b)
		return cmp.Or(bytes.Compare(hookA[:], hookB[:]), bytes.Compare(idA[:], idB[:]))
	})
}

// runRenewer renews the leases of all deliveries that this server holds every
// renewInterval, until ctx ends.
func (d *Dispatcher) runRenewer(ctx context.Context) {
	every(ctx, renewInterval, "renewing leases failed", func() error { return d.renewHeld(ctx) })
}

// renewHeld renews the leases of all held deliveries once, in batches, between which results are recorded.
func (d *Dispatcher) renewHeld(ctx context.Context) error {
	d.mu.Lock()
	held := maps.Clone(d.held)
	d.mu.Unlock()
	for ids := range slices.Chunk(slices.Collect(maps.Keys(held)), maxBatch) {
		batch := make(map[uuid.UUID]lease, len(ids))
		for _, id := range ids {
			batch[id] = held[id]
		}
		if err := d.renew(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// renew renews the leases, which are by delivery.
func (d *Dispatcher) renew(ctx context.Context, held map[uuid.UUID]lease) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	now := d.now()
	renewed, err := renewLeases(ctx, d.db, held, now)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range renewed {
		if l := d.held[id]; l.attempt == held[id].attempt {
			l.until = now.Add(leaseDuration)
			d.held[id] = l
		}
	}
	return nil
}
