package delivery

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
)

// beginInjections returns the claimed deliveries whose faults have been selected before. The
// faults of the others are selected in the background, for each tenant apart, because
// counting what the faults of one tenant match must not delay the deliveries of others. Then
// these deliveries are added to the scheduler, in the order of their claims. d.mu is held.
func (d *Dispatcher) beginInjections(ctx, attemptCtx context.Context, taken []claimed) (decided []claimed) {
	if d.selectFaults == nil {
		return taken
	}
	for _, delivery := range taken {
		if delivery.Faults != nil {
			decided = append(decided, delivery)
			continue
		}
		next, running := d.injecting[delivery.TenantID]
		d.injecting[delivery.TenantID] = append(next, delivery)
		if !running {
			d.injections.Go(func() { d.runInjections(ctx, attemptCtx, delivery.TenantID) })
		}
	}
	return decided
}

// runInjections selects the faults of the tenant's deliveries until there are no more.
func (d *Dispatcher) runInjections(ctx, attemptCtx context.Context, tenantID uuid.UUID) {
	for {
		d.mu.Lock()
		batch := d.injecting[tenantID]
		if len(batch) == 0 {
			delete(d.injecting, tenantID)
			d.mu.Unlock()
			return
		}
		d.injecting[tenantID] = nil
		d.mu.Unlock()

		sent, postponed, err := d.tryInjectFaults(ctx, tenantID, batch)
		switch {
		case err != nil && ctx.Err() != nil:
			// The dispatcher is stopping.
			for _, delivery := range batch {
				d.results <- releasedResult(delivery, d.now())
			}
			sent, postponed = nil, batch
		case err != nil:
			slog.WarnContext(ctx, "injecting faults into deliveries failed", "err", err)
			sent, postponed = batch, nil // they are sent without faults
		}

		d.mu.Lock()
		for _, delivery := range postponed {
			d.scheduler.drop(delivery)
			if err == nil && d.held[delivery.ID].attempt == delivery.Attempt {
				delete(d.held, delivery.ID)
			}
		}
		d.scheduler.add(sent)
		d.startWorkers(attemptCtx)
		d.mu.Unlock()
	}
}

// tryInjectFaults is injectFaults, but returns a panic as an error.
func (d *Dispatcher) tryInjectFaults(ctx context.Context, tenantID uuid.UUID, taken []claimed) (sent, postponed []claimed, err error) {
	defer func() {
		if p := recover(); p != nil {
			sent, postponed, err = nil, nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return d.injectFaults(ctx, tenantID, taken)
}

// injectFaults selects the faults of the next attempts of a tenant's claimed deliveries,
// stores them, and returns the deliveries that are sent now, and those that become due again
// later because they are held or delayed. Duplicates are deliveries of their own. attempt
// applies the other faults. The faults are selected once for each attempt.
func (d *Dispatcher) injectFaults(ctx context.Context, tenantID uuid.UUID, taken []claimed) (sent, postponed []claimed, err error) {
	faulted, err := d.selectFaultsOf(ctx, tenantID, taken)
	if err != nil || len(faulted) == 0 {
		return taken, nil, err
	}
	sortInLockOrder(faulted, func(f faultedDelivery) (uuid.UUID, uuid.UUID) { return f.HookID, f.ID })
	if faulted, err = storeDuplicates(ctx, d.db, faulted); err != nil {
		return taken, nil, err
	}
	d.writing.Lock()
	stored, err := storeFaults(ctx, d.db, faulted)
	d.writing.Unlock()
	if err != nil {
		return taken, nil, err
	}
	byID := map[uuid.UUID]faultedDelivery{}
	for _, f := range faulted {
		if slices.Contains(stored, f.ID) {
			byID[f.ID] = f
		}
		if f.copies > 0 {
			d.waker.wakeSelf()
		}
	}
	for _, delivery := range taken {
		f, ok := byID[delivery.ID]
		if !ok { // it is claimed again, and its faults are selected again
			d.results <- releasedResult(delivery, d.now())
			postponed = append(postponed, delivery)
			continue
		}
		delivery.Faults, delivery.releases = f.kinds, f.releases
		if f.dueAt != nil {
			postponed = append(postponed, delivery)
		} else {
			sent = append(sent, delivery)
		}
	}
	return sent, postponed, nil
}

// selectFaultsOf returns a tenant's claimed deliveries with the effects of its faults; nil if
// it has no faults on deliveries.
func (d *Dispatcher) selectFaultsOf(ctx context.Context, tenantID uuid.UUID, taken []claimed) ([]faultedDelivery, error) {
	// In the order of publication; for one event, the oldest subscription first. In this
	// order, the same events get the same faults each time.
	deliveries := slices.SortedFunc(slices.Values(taken), func(a, b claimed) int {
		return cmp.Or(bytes.Compare(a.EventID[:], b.EventID[:]), bytes.Compare(a.HookID[:], b.HookID[:]))
	})
	targets := make([]FaultTarget, len(deliveries))
	for i, c := range deliveries {
		targets[i] = FaultTarget{c.Event, c.Attempt > 1}
	}
	selected, err := d.selectFaults(ctx, tenantID, targets)
	if err != nil || len(selected) == 0 {
		return nil, err
	}
	held, err := heldDeliveries(ctx, d.db, deliveries, selected)
	if err != nil {
		return nil, err
	}
	tenants, err := auth.Tenants(ctx, d.db, []uuid.UUID{tenantID})
	if err != nil {
		return nil, err
	}
	faulted := make([]faultedDelivery, len(selected))
	for i, faults := range selected {
		faulted[i] = decide(deliveries[i], faults, held, tenants[tenantID].Clock, d.now())
	}
	return faulted, nil
}
