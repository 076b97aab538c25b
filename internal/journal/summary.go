package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Summaries summarises journals. The summary of a journal with many calls can be up to 2
// s old.
type Summaries struct {
	recent *storage.Recent[summarised, summary]
}

// summarised identifies a summary.
type summarised struct {
	tenantID uuid.UUID
	newest   int
}

type summary struct {
	calls int
	found []Finding
}

// manyCalls is the number of calls from which the summary is cached.
const manyCalls = 1_000

// NewSummaries returns Summaries whose cache is empty. now returns the real time.
func NewSummaries(now func() time.Time) *Summaries {
	return &Summaries{storage.NewRecent[summarised, summary](now)}
}

// Summarise returns the number of the tenant's calls in the journal, and the findings
// in the newest of these calls: in as many as newest says, or in all if it is 0.
func (s *Summaries) Summarise(ctx context.Context, db storage.DB, tenantID uuid.UUID, newest int) (calls int, found []Finding, err error) {
	sum, err := s.recent.Read(summarised{tenantID, newest}, func() (sum summary, err error) {
		if err := db.QueryRow(ctx, `
			select coalesce(sum(call_count), 0)
			from call_batches
			where tenant_id = @tenant_id`,
			pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&sum.calls); err != nil {
			return summary{}, fmt.Errorf("count calls: %w", err)
		}
		in := allCalls
		if newest > 0 {
			in = newestCalls(newest)
		}
		sum.found, err = findings(ctx, db, tenantID, in)
		return sum, err
	}, func(sum summary) bool { return sum.calls >= manyCalls })
	return min(sum.calls, maxAll.Calls), sum.found, err
}
