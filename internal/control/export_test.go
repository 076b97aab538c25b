package control

import (
	"context"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Step makes one step of an advance whose previous step left this number of pending rows. It
// returns the duration by which the clock moved, and the number of pending rows after the step.
func Step(ctx context.Context, db storage.DB, gate *auth.Gate, tenantID uuid.UUID, pending int, limit time.Duration) (time.Duration, int, error) {
	a := advance{db: db, gate: gate, tenantID: tenantID, pending: pending}
	moved, err := a.step(ctx, limit)
	return moved, a.pending, err
}
