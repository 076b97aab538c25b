package hooks

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// SubscriptionsToOthers returns the tenant's subscriptions, the oldest first, with an
// entry that matches neither a known event nor one of the newest stored events of the
// tenant, at most maxCountedEvents. A known event is subject:action, or a subject with
// any action. The stored events are read only if an entry matches no known event.
func SubscriptionsToOthers(ctx context.Context, db storage.DB, tenantID uuid.UUID, known []string) ([]uuid.UUID, error) {
	ids, err := storage.IDs(ctx, db, `
		with other as (
			select h.id, h.created_at, entry
			from hooks h
			cross join unnest(h.events) entry
			where h.tenant_id = @tenant_id
			and entry <> '*'
			and not entry = any(@known)
			and not split_part(entry, ':', 1) = any(@known) -- a known subject has any action
			and not entry = any(select split_part(event, ':', 1) from unnest(@known::text[]) event)
		)
		select id
		from other
		where entry not in (
			select unnest(array[event, split_part(event, ':', 1)])
			from (
				select event
				from events
				where tenant_id = @tenant_id
				order by id desc
				limit @max
			) newest
		)
		group by id, created_at
		order by created_at, id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "known": known, "max": maxCountedEvents})
	if err != nil {
		return nil, fmt.Errorf("list subscriptions to other events: %w", err)
	}
	return ids, nil
}
