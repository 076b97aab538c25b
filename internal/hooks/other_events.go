package hooks

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// SubscriptionsToOthers returns the tenant's subscriptions, the oldest first, with an
// entry that matches neither a known event nor a stored event of the tenant. A known
// event is subject:action, or a subject with any action.
func SubscriptionsToOthers(ctx context.Context, db storage.DB, tenantID uuid.UUID, known []string) ([]uuid.UUID, error) {
	ids, err := storage.IDs(ctx, db, `
		with published as (
			select unnest(@known::text[]) as event
			union
			select event
			from events
			where tenant_id = @tenant_id
		)
		select h.id
		from hooks h
		where h.tenant_id = @tenant_id
		and exists(
			select
			from unnest(h.events) entry
			where entry <> '*'
			and not exists(
				select
				from published
				where event in (entry, split_part(entry, ':', 1)) -- split_part: a known subject has any action
				or split_part(event, ':', 1) = entry
			)
		)
		order by h.created_at, h.id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "known": known})
	if err != nil {
		return nil, fmt.Errorf("list subscriptions to other events: %w", err)
	}
	return ids, nil
}
