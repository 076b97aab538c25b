package universal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Work is what transactions of this server have made due. The background steps act on it
// without asking the database for it first.
type Work struct {
	Advance    []time.Time // real times at which Advance moves a submission
	Process    []ProcessDue
	Deliveries bool // there are new deliveries of events
}

// ProcessDue is a submission that is to be processed.
type ProcessDue struct {
	TenantID uuid.UUID
	At       time.Time // real time

	claim *claimed // by the transaction that made it due; nil = it has not claimed it
}

// workAfter returns the work that follows transitions.
func workAfter(made []transition, moved []movedRow, deliveries bool) Work {
	work := Work{Deliveries: deliveries}
	for i, t := range made {
		switch {
		case t.dueAt == nil:
		case t.to() == Started:
			due := ProcessDue{TenantID: t.tenant.ID, At: *t.dueAt}
			if t.lease != nil {
				due.claim = moved[i].claimed(t)
			}
			work.Process = append(work.Process, due)
		default:
			work.Advance = append(work.Advance, *t.dueAt)
		}
	}
	return work
}

// upcoming returns the real times, after one and until another, at which submissions in
// the states are due. If there are very many, it returns the first ones.
func upcoming(ctx context.Context, db storage.DB, after, until time.Time, in ...string) ([]time.Time, error) {
	rows, err := db.Query(ctx, `
		select distinct due_at
		from submissions
		where due_at > @after
		and due_at <= @until
		and status = any(@states)
		and not parked
		order by due_at
		limit 1000`,
		pgx.StrictNamedArgs{"after": after, "until": until, "states": in})
	if err != nil {
		return nil, fmt.Errorf("find next due submissions: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[time.Time])
}
