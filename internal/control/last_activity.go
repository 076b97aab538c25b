package control

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/feed"
	"understudy.example/internal/journal"
	"understudy.example/internal/storage"
)

// lastActivity returns the tenant's time of the last call or state of each tenant.
// Tenants without any are missing.
func lastActivity(ctx context.Context, db storage.DB, ids []uuid.UUID) (map[uuid.UUID]api.Time, error) {
	calls, err1 := journal.LastCalls(ctx, db, ids)
	states, err2 := feed.LastStates(ctx, db, ids)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	last := make(map[uuid.UUID]api.Time, len(ids))
	for _, id := range ids {
		last[id] = api.Time(calls[id])
		if states[id].After(calls[id]) {
			last[id] = api.Time(states[id])
		}
	}
	return last, nil
}
