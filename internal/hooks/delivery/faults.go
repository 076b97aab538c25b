package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Faults are the combined effects of a tenant's faults on an attempt. Whatever they
// are, a retry delivers the event.
type Faults struct {
	Duplicates     int           // further deliveries of the event
	Delay          time.Duration // before the attempt, on the tenant's clock
	WrongSignature bool
	Truncate       bool // only the first half of the body is sent
	Drop           bool // the response is ignored

	// Reorder is the id of the fault that swaps deliveries of a subscription; Nil if
	// there is none. Hold reports whether that fault holds this delivery, unless it
	// already holds another one. A held delivery is sent after the next one with the
	// same Reorder.
	Reorder uuid.UUID
	Hold    bool
}

// FaultTarget is an attempt that faults can act on.
type FaultTarget struct {
	Event string
	Retry bool // not the first attempt of its delivery
}

// SelectFaults returns the faults of the next attempts of a tenant, in the order of the
// targets; nil if the tenant has no faults on deliveries. A retry is never duplicated,
// delayed or reordered.
type SelectFaults func(ctx context.Context, tenantID uuid.UUID, targets []FaultTarget) ([]Faults, error)

// Kinds of faults, as attempts show them.
const (
	duplicateFault      = "duplicate"
	delayFault          = "delay"
	reorderFault        = "reorder"
	wrongSignatureFault = "wrong_signature"
	truncateFault       = "truncate"
	dropFault           = "drop"
)

// maxHold is how long a held delivery waits for the next one, on the tenant's clock.
const maxHold = 10 * time.Second

// faultedDelivery is a claimed delivery with the effects of its faults.
type faultedDelivery struct {
	claimed
	kinds  []string
	dueAt  *time.Time // of the attempt; nil = now
	heldBy *uuid.UUID // fault that holds it
	copies int
}

// holder is a fault that holds a delivery of a subscription.
type holder struct{ hookID, faultID uuid.UUID }

// decide returns the delivery with the effects of its faults at the real time now. held
// contains the subscriptions that have a held delivery; decide updates it. clock is the
// tenant's.
func decide(c claimed, faults Faults, held map[holder]bool, clock auth.Clock, now time.Time) faultedDelivery {
	f := faultedDelivery{claimed: c, kinds: []string{}, copies: faults.Duplicates}
	add := func(kind string, acts bool) {
		if acts {
			f.kinds = append(f.kinds, kind)
		}
	}
	by := holder{c.HookID, faults.Reorder}
	second := faults.Reorder != uuid.Nil && held[by]
	first := !second && faults.Reorder != uuid.Nil && faults.Hold
	delay := faults.Delay
	switch {
	case second: // sent now, since the held one waits for it
		f.releases, delay, held[by] = faults.Reorder, 0, false
	case first:
		f.heldBy, held[by] = &faults.Reorder, true
	}
	if delay > 0 || first {
		wait := delay
		if first {
			wait = max(delay, maxHold)
		}
		dueAt := clock.DueAfter(now, wait)
		f.dueAt = &dueAt
	}
	add(duplicateFault, f.copies > 0)
	add(delayFault, delay > 0)
	add(reorderFault, first || second)
	add(wrongSignatureFault, faults.WrongSignature)
	add(truncateFault, faults.Truncate)
	add(dropFault, faults.Drop)
	return f
}

// heldDeliveries returns the subscriptions of the deliveries that have a delivery held
// by one of the selected faults.
func heldDeliveries(ctx context.Context, db storage.DB, deliveries []claimed, selected []Faults) (map[holder]bool, error) {
	var hooks, faults []uuid.UUID
	for i, s := range selected {
		if s.Reorder != uuid.Nil {
			hooks, faults = append(hooks, deliveries[i].HookID), append(faults, s.Reorder)
		}
	}
	held := map[holder]bool{}
	if len(hooks) == 0 {
		return held, nil
	}
	found, err := storage.All[struct{ HookID, HeldBy uuid.UUID }](ctx, db, `
		select distinct hook_id, held_by
		from deliveries
		where hook_id = any(@hooks)
		and state = 'pending'
		and attempt = 0
		and held_by = any(@faults)`,
		pgx.StrictNamedArgs{"hooks": hooks, "faults": faults})
	if err != nil {
		return nil, fmt.Errorf("find held deliveries: %w", err)
	}
	for _, row := range found {
		held[holder{row.HookID, row.HeldBy}] = true
	}
	return held, nil
}

// maxCopies is the number of duplicates that one statement creates.
const maxCopies = 500

// storeFaults stores the effects on the deliveries, which are in lock order, unless another
// server has claimed them in the meantime. It returns the ids of these deliveries. It skips
// those that another transaction has locked.
func storeFaults(ctx context.Context, db storage.DB, faulted []faultedDelivery) ([]uuid.UUID, error) {
	n := len(faulted)
	hooks, ids, attempts, kinds := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]int, n), make([]string, n)
	dues, heldBy := make([]*time.Time, n), make([]*uuid.UUID, n)
	for i, f := range faulted {
		hooks[i], ids[i], attempts[i], kinds[i] = f.HookID, f.ID, f.Attempt, strings.Join(f.kinds, ",")
		dues[i], heldBy[i] = f.dueAt, f.heldBy
	}
	stored, err := storage.IDs(ctx, db, `
		with free as materialized (
			select d.ctid as row_at, f.kinds, f.due_at, f.held_by
			from unnest(@hooks::uuid[], @ids::uuid[], @attempts::int[], @kinds::text[], @dues::timestamptz[], @held_by::uuid[])
				f (hook_id, id, attempt, kinds, due_at, held_by)
			join deliveries d on d.hook_id = f.hook_id and d.id = f.id
			where d.attempt = f.attempt
			and d.lease_until is not null
			for no key update of d skip locked
		)
		update deliveries d
		set faults = string_to_array(f.kinds, ','), held_by = f.held_by,
			due_at = coalesce(f.due_at, d.due_at),
			lease_until = case when f.due_at is null then d.lease_until end,
			attempt = d.attempt - (f.due_at is not null)::int
		from free f
		where d.ctid = f.row_at
		returning d.id`,
		pgx.StrictNamedArgs{"hooks": hooks, "ids": ids, "attempts": attempts, "kinds": kinds, "dues": dues, "held_by": heldBy})
	if err != nil {
		return nil, fmt.Errorf("store faults: %w", err)
	}
	return stored, nil
}

// storeDuplicates creates the duplicates of the deliveries, which must be in lock order. A duplicate
// is due at the same time as its delivery. A delivery gets no duplicates if another server has
// claimed it meanwhile, or if another transaction has locked it; storeDuplicates leaves such
// deliveries out of its result. It must be called before storeFaults: if a server is killed in
// between, the duplicates are created again.
func storeDuplicates(ctx context.Context, db storage.DB, faulted []faultedDelivery) ([]faultedDelivery, error) {
	var hooks, originals, copies []uuid.UUID
	var attempts []int
	var dues []*time.Time
	var heldBy []*uuid.UUID
	missing := map[uuid.UUID]int{} // number of duplicates not stored yet, by delivery
	flush := func() error {
		stored, err := storage.IDs(ctx, db, `
			with free as materialized (
				select d.*, copy.id as copy_id, copy.due_at as copy_due_at, copy.held_by as copy_held_by
				from unnest(@hooks::uuid[], @originals::uuid[], @attempts::int[], @copies::uuid[], @dues::timestamptz[], @held_by::uuid[])
					copy (hook_id, original, attempt, id, due_at, held_by)
				join deliveries d on d.hook_id = copy.hook_id and d.id = copy.original
				where d.attempt = copy.attempt
				and d.lease_until is not null
				for key share of d skip locked -- a reset or deletion that has seen these rows deletes the copies too
			),
			stored as (
				insert into deliveries (
					id, tenant_id, hook_id, activation, event_id, event, redelivery,
					due_at, enqueued_at, created_at, updated_at, faults, held_by
				)
				select
					copy_id, tenant_id, hook_id, activation, event_id, event, redelivery,
					coalesce(copy_due_at, due_at), enqueued_at, created_at, updated_at, array[@duplicate], copy_held_by
				from free
				on conflict do nothing
			)
			select id
			from free`,
			pgx.StrictNamedArgs{
				"hooks": hooks, "originals": originals, "attempts": attempts, "copies": copies, "dues": dues, "held_by": heldBy,
				"duplicate": duplicateFault,
			})
		if err != nil {
			return fmt.Errorf("store duplicates: %w", err)
		}
		for _, original := range stored {
			missing[original]--
		}
		hooks, originals, attempts, copies, dues, heldBy = hooks[:0], originals[:0], attempts[:0], copies[:0], dues[:0], heldBy[:0]
		return nil
	}
	for _, f := range faulted {
		for number := range f.copies {
			hooks, originals, attempts = append(hooks, f.HookID), append(originals, f.ID), append(attempts, f.Attempt)
			copies, dues, heldBy = append(copies, duplicateID(f.ID, number)), append(dues, f.dueAt), append(heldBy, f.heldBy)
			if missing[f.ID]++; len(copies) == maxCopies {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(copies) > 0 {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(faulted, func(f faultedDelivery) bool { return missing[f.ID] > 0 }), nil
}

// duplicateID returns the id of a duplicate of the delivery, counted from 0. It has
// the delivery's time, as the ids of all deliveries of an event do.
func duplicateID(delivery uuid.UUID, number int) uuid.UUID {
	id := uuid.NewSHA1(delivery, fmt.Appendf(nil, "duplicate %d", number))
	copy(id[:8], delivery[:8]) // time and version
	return id
}

// spoil returns the outcome of an attempt on which the faults acted. With a wrong
// signature, a truncated body or an ignored response, the attempt has not delivered the
// event, whatever the receiver responded.
func (o Outcome) spoil(faults []string) Outcome {
	for _, kind := range []string{wrongSignatureFault, truncateFault, dropFault} {
		if slices.Contains(faults, kind) {
			if o.RetryAfter = 0; o.Succeeded() {
				o.Failure = failedByFault
			}
		}
	}
	return o
}

// releaseHeld makes the delivery due that was held until the given one was sent.
func (d *Dispatcher) releaseHeld(ctx context.Context, sent claimed) {
	if sent.releases == uuid.Nil {
		return
	}
	if _, err := d.db.Exec(ctx, `
		with held as (
			select hook_id, id
			from deliveries
			where hook_id = @hook_id
			and state = 'pending'
			and attempt = 0
			and held_by = @fault
			order by id
			for update
		)
		update deliveries d
		set due_at = @now, held_by = null
		from held
		where d.hook_id = held.hook_id
		and d.id = held.id`,
		pgx.StrictNamedArgs{"hook_id": sent.HookID, "fault": sent.releases, "now": d.now()}); err != nil {
		slog.WarnContext(ctx, "releasing a held delivery failed", "hook_id", sent.HookID, "err", err) // it is due after maxHold
	}
	d.waker.wakeSelf()
}
