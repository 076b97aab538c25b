package journal

import (
	"context"

	"github.com/google/uuid"

	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// findRejectedDeliveries finds the delivery attempts that had no 2xx response.
func findRejectedDeliveries(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	count, ids, err := hooks.RejectedAttempts(ctx, db, tenantID, maxEvidence)
	found := evidence{Count: count}
	for _, id := range ids {
		found.IDs = append(found.IDs, id.String())
	}
	return found, err
}

// raisedEvents are the events that the emulator raises, and the subjects that the
// real service raises with any action.
var raisedEvents = []string{
	"universal_submit:submission_in_progress", "universal_submit:scheduled", "universal_submit:started",
	"universal_submit:completed", "universal_submit:failed", "company_submit:completed", "hook:test",
	"application_form", "quote_request", "question_set", "carrier",
}

// findUnraisedSubscriptions finds the subscriptions with an entry that matches
// neither a raised event nor one that was delivered to the tenant, as one that a
// test fired was.
func findUnraisedSubscriptions(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	ids, err := hooks.SubscriptionsToOthers(ctx, db, tenantID, raisedEvents)
	found := evidence{Count: len(ids)}
	for _, id := range ids[:min(len(ids), maxEvidence)] {
		found.IDs = append(found.IDs, id.String())
	}
	return found, err
}
