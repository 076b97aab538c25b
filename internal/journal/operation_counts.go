package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// OperationCount is how often an operation of the API has returned a status to a
// tenant's clients since the tenant was created or reset. Times are the tenant's.
type OperationCount struct {
	Operation string // method and pattern
	Status    int    // 0 = no response
	Calls     int64
	FirstAt   time.Time
	LastAt    time.Time
}

// OperationCounts returns the tenant's counts.
func OperationCounts(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]OperationCount, error) {
	counts, err := storage.All[OperationCount](ctx, db, `
		select operation, status, calls, first_at, last_at
		from operation_counts
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("read operation counts: %w", err)
	}
	return counts, nil
}

// LastCalls returns the tenant's time of the last call of each tenant that has made
// any.
func LastCalls(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID]time.Time, error) {
	found, err := storage.All[struct {
		TenantID uuid.UUID
		LastAt   time.Time
	}](ctx, db, `
		select tenant_id, max(last_at) as last_at
		from operation_counts
		where tenant_id = any(@ids)
		group by tenant_id`,
		pgx.StrictNamedArgs{"ids": tenantIDs})
	if err != nil {
		return nil, fmt.Errorf("read last calls: %w", err)
	}
	last := make(map[uuid.UUID]time.Time, len(found))
	for _, row := range found {
		last[row.TenantID] = row.LastAt
	}
	return last, nil
}

// countedOperation identifies a row of operation_counts.
type countedOperation struct {
	tenantID  uuid.UUID
	operation string
	status    int
}

// countOperations adds the calls of a batch to the counts, in one statement. Calls of
// unknown routes and calls that cannot be attributed are not counted.
func countOperations(ctx context.Context, tx pgx.Tx, written []*row) error {
	counts := map[countedOperation]OperationCount{}
	for _, r := range written {
		key := countedOperation{r.tenantID, r.operation, r.status}
		if r.tenantID == unattributed || r.operation == "" {
			continue
		}
		c, counted := counts[key]
		if !counted || r.at.Before(c.FirstAt) {
			c.FirstAt = r.at
		}
		if r.at.After(c.LastAt) {
			c.LastAt = r.at
		}
		c.Calls++
		counts[key] = c
	}
	if len(counts) == 0 {
		return nil
	}
	n := len(counts)
	tenants, operations, statuses := make([]uuid.UUID, 0, n), make([]string, 0, n), make([]int, 0, n)
	calls, first, last := make([]int64, 0, n), make([]time.Time, 0, n), make([]time.Time, 0, n)
	for key, c := range counts {
		tenants, operations, statuses = append(tenants, key.tenantID), append(operations, key.operation), append(statuses, key.status)
		calls, first, last = append(calls, c.Calls), append(first, c.FirstAt), append(last, c.LastAt)
	}
	if _, err := tx.Exec(ctx, `
		insert into operation_counts as counted (tenant_id, operation, status, calls, first_at, last_at)
		select *
		from unnest(@tenants::uuid[], @operations::text[], @statuses::int[], @calls::bigint[], @first::timestamptz[], @last::timestamptz[])
			batch (tenant_id, operation, status, calls, first_at, last_at)
		order by tenant_id, operation, status -- all servers lock the rows in this order
		on conflict (tenant_id, operation, status) do update
		set calls = counted.calls + excluded.calls,
			first_at = least(counted.first_at, excluded.first_at),
			last_at = greatest(counted.last_at, excluded.last_at)`,
		pgx.StrictNamedArgs{
			"tenants": tenants, "operations": operations, "statuses": statuses, "calls": calls, "first": first, "last": last,
		}); err != nil {
		return fmt.Errorf("count operations: %w", err)
	}
	return nil
}
