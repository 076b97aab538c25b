package fault

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
)

// SelectForDeliveries is the hooks.SelectFaults of the tenants' faults. All faults that
// match a delivery act on it. It costs a tenant without such faults no statement.
func (in *Injector) SelectForDeliveries(ctx context.Context, tenantID uuid.UUID, events []string) ([]hooks.DeliveryFaults, error) {
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
	selected := make([]hooks.DeliveryFaults, len(events))
	for _, f := range faults {
		if err := in.selectForDeliveries(ctx, f, now, events, selected); err != nil {
			return nil, err
		}
	}
	return selected, nil
}

// selectForDeliveries adds what one fault does to the deliveries of the events. now is
// the tenant's time.
func (in *Injector) selectForDeliveries(ctx context.Context, f fault, now time.Time, events []string, selected []hooks.DeliveryFaults) error {
	var matching []int
	var names []string
	for i, event := range events {
		if !f.expired(now) && matchesEvent(f.Delivery, event) {
			matching, names = append(matching, i), append(names, event)
		}
	}
	if len(matching) == 0 {
		return nil
	}
	acts, err := in.count(ctx, f, names...)
	if err != nil {
		return err
	}
	for k, i := range matching {
		to := &selected[i]
		if f.Reorder && (to.Reorder == uuid.Nil || acts[k] && !to.Hold) {
			to.Reorder, to.Hold = f.ID, acts[k]
		}
		if !acts[k] {
			continue
		}
		to.Duplicates += f.Duplicate
		to.Delay += f.Delay
		to.WrongSignature = to.WrongSignature || f.WrongSignature
		to.Truncate = to.Truncate || f.Truncated
		to.Drop = to.Drop || f.Dropped
	}
	return nil
}

// matchesEvent reports whether the pattern of a fault, a subject, subject:action or *,
// matches the event. That of a fault on calls is "" and matches none.
func matchesEvent(pattern, event string) bool {
	subject, _, _ := strings.Cut(event, ":")
	return pattern != "" && (pattern == "*" || pattern == event || pattern == subject)
}

// expired reports whether the fault has expired. now is the tenant's time.
func (f fault) expired(now time.Time) bool {
	return f.ExpiresAt != nil && !now.Before(*f.ExpiresAt)
}
