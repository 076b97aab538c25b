package data

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// ofCompany is the condition of the reports of company submits, whose tx_id is longer
// than that of a submission. It is a constant in the SQL, as in the index.
const ofCompany = `length(tx_id) > 36`

// Aged is the report of a company submit with the real time from which its age counts.
type Aged struct {
	TenantID uuid.UUID
	TxID     string
	SavedAt  time.Time
}

// ExpiredCompanies returns at most limit reports of company submits that were saved before
// a real time, the oldest first, after the given one. The reports of submissions are
// deleted with the submissions.
func ExpiredCompanies(ctx context.Context, db storage.DB, before time.Time, after Aged, limit int) ([]Aged, error) {
	found, err := storage.All[Aged](ctx, db, `
		select tenant_id, tx_id, saved_at
		from reports
		where `+ofCompany+`
		and saved_at < @before
		and (saved_at, tx_id) > (@after, @after_id)
		order by saved_at, tx_id
		limit @limit`,
		pgx.StrictNamedArgs{"before": before, "after": after.SavedAt, "after_id": after.TxID, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("find expired company reports: %w", err)
	}
	return found, nil
}

// DeleteTransactions deletes the tenant's reports of the transactions.
func DeleteTransactions(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, txIDs []string) error {
	if _, err := tx.Exec(ctx, `
		delete from reports
		where tenant_id = @tenant_id
		and tx_id = any(@tx_ids)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_ids": txIDs}); err != nil {
		return fmt.Errorf("delete reports of transactions: %w", err)
	}
	return nil
}
