package journal

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Summaries summarises journals. It remembers the evidence of rules that depend on
// calls only until the journal changes, because an open page requests them often.
type Summaries struct {
	mu   sync.Mutex
	last map[uuid.UUID]summarised
}

// summarised is the evidence of each rule in a state of a journal.
type summarised struct {
	state    journalState
	evidence map[int]evidence // by position in rules
}

// journalState identifies a state of a tenant's journal.
type journalState struct {
	calls  int
	newest int64 // seq of the newest call; 0 = none
}

// maxSummaries is the number of tenants whose evidence is remembered.
const maxSummaries = 100

// NewSummaries returns Summaries that remember nothing yet.
func NewSummaries() *Summaries { return &Summaries{last: map[uuid.UUID]summarised{}} }

// Summarise returns the number of the tenant's calls in the journal, and the findings.
func (s *Summaries) Summarise(ctx context.Context, db storage.DB, tenantID uuid.UUID) (calls int, found []Finding, err error) {
	var state journalState
	if err := db.QueryRow(ctx, `
		select count(*), coalesce(max(seq), 0)
		from calls
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&state.calls, &state.newest); err != nil {
		return 0, nil, fmt.Errorf("count calls: %w", err)
	}
	s.mu.Lock()
	last := s.last[tenantID]
	s.mu.Unlock()
	current := summarised{state, map[int]evidence{}}
	found, err = findingsBy(func(i int, rule rule) (evidence, error) {
		_, onlyCalls := rule.finder.(callQuery)
		if known, ok := last.evidence[i]; ok && last.state == state {
			current.evidence[i] = known
			return known, nil
		}
		evidence, err := rule.find(ctx, db, tenantID)
		if onlyCalls {
			current.evidence[i] = evidence
		}
		return evidence, err
	})
	if err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) >= maxSummaries {
		clear(s.last)
	}
	s.last[tenantID] = current
	return min(state.calls, maxCalls), found, nil
}
