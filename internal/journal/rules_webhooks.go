package journal

import (
	"context"
	"slices"
	"strings"

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

// publishedEvents are the events that the emulator publishes, and the subjects that the
// real service publishes with any action.
var publishedEvents = []string{
	"universal_submit:submission_in_progress", "universal_submit:scheduled", "universal_submit:started",
	"universal_submit:completed", "universal_submit:failed", "company_submit:completed", "hook:test",
	"application_form", "quote_request", "question_set", "carrier",
}

// findUnpublishedSubscriptions finds the subscriptions with an entry that matches
// neither a published event nor a stored event of the tenant, such as one that a test
// published.
func findUnpublishedSubscriptions(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	ids, err := hooks.SubscriptionsToOthers(ctx, db, tenantID, publishedEvents)
	found := evidence{Count: len(ids)}
	for _, id := range ids[:min(len(ids), maxEvidence)] {
		found.IDs = append(found.IDs, id.String())
	}
	return found, err
}

// EmulatedEvents returns the events that the emulator publishes itself.
func EmulatedEvents() []string {
	return slices.DeleteFunc(slices.Clone(publishedEvents), func(event string) bool { return !strings.Contains(event, ":") })
}
