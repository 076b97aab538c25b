package fault

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
)

// SelectForDeliveries is a hooks.SelectFaults. All faults of the tenant that match a
// delivery act on it. For a tenant without such faults it executes no SQL statement,
// except to fill the cache.
func (in *Injector) SelectForDeliveries(ctx context.Context, tenantID uuid.UUID, targets []hooks.FaultTarget) ([]hooks.DeliveryFaults, error) {
	faults, err := in.faultsOf(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(faults, func(f fault) bool { return f.Delivery != "" }) {
		return nil, nil
	}
	tenants, err := auth.Tenants(ctx, in.db, []uuid.UUID{tenantID})
	if err != nil {
		return nil, err
	}
	now := tenants[tenantID].Time(in.now())
	var matching []match
	var targetsOf [][]int // of each match: the indexes of its targets
	for _, f := range faults {
		if m, at := f.matchDeliveries(now, targets); len(at) > 0 {
			matching, targetsOf = append(matching, m), append(targetsOf, at)
		}
	}
	if len(matching) > 0 {
		err := in.count(ctx, tenantID, matching)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			slog.WarnContext(ctx, "could not count all faults: faults that were not counted do not act on these deliveries", "tenant", tenants[tenantID].Name, "err", err)
		}
	}
	selected := make([]hooks.DeliveryFaults, len(targets))
	for i, m := range matching {
		for k, at := range targetsOf[i] {
			m.addTo(&selected[at], m.acts[k], targets[at].Retry)
		}
	}
	return selected, nil
}

// matchDeliveries returns the attempts that the fault matches, and their indexes. now
// is the tenant's time. Only a fault with a limited number of times matches retries:
// with any other, no attempt would ever deliver the event.
func (f fault) matchDeliveries(now time.Time, targets []hooks.FaultTarget) (m match, at []int) {
	m.fault = f
	if f.expired(now) {
		return m, nil
	}
	actsOnRetries := f.Times != nil && (f.WrongSignature || f.Truncated || f.Dropped)
	for i, target := range targets {
		if matchesEvent(f.Delivery, target.Event) && (!target.Retry || actsOnRetries) {
			m.routes, at = append(m.routes, target.Event), append(at, i)
		}
	}
	return m, at
}

// addTo adds the effects of the fault on an attempt that it matches.
func (f fault) addTo(to *hooks.DeliveryFaults, acts, retry bool) {
	if f.Reorder && !retry && (to.Reorder == uuid.Nil || acts && !to.Hold) {
		to.Reorder, to.Hold = f.ID, acts
	}
	if !acts {
		return
	}
	if !retry {
		to.Duplicates = min(to.Duplicates+f.Duplicate, maxDuplicates)
		to.Delay = min(to.Delay+f.Delay, maxDeliveryDelay)
	}
	to.WrongSignature = to.WrongSignature || f.WrongSignature
	to.Truncate = to.Truncate || f.Truncated
	to.Drop = to.Drop || f.Dropped
}

// matchesEvent reports whether the pattern of a fault, a subject, subject:action or *,
// matches the event. The pattern "", of a fault on calls, matches no event.
func matchesEvent(pattern, event string) bool {
	subject, _, _ := strings.Cut(event, ":")
	return pattern != "" && (pattern == "*" || pattern == event || pattern == subject)
}

// expired reports whether the fault has expired. now is the tenant's time.
func (f fault) expired(now time.Time) bool {
	return f.ExpiresAt != nil && !now.Before(*f.ExpiresAt)
}
