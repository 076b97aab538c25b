package control

import (
	"context"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Step makes a step of an advance whose last step has left the number of pending rows. It returns
// the duration of the step, and the number of pending rows after it.
func Step(ctx context.Context, db storage.DB, gate *auth.Gate, tenantID uuid.UUID, pending int, limit time.Duration) (time.Duration, int, error) {
	a := advance{db: db, gate: gate, tenantID: tenantID, pending: pending}
	moved, err := a.step(ctx, limit)
	return moved, a.pending, err
}
