// Package expiry deletes submissions that have been kept long enough, and finds the files that
// submissions still need.
package expiry

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// Ended and Untriggered select the submissions of a kind that expire.
const (
	Ended       Kind = `status in ('` + universal.Completed + `', '` + universal.Failed + `')` // aged from the final state
	Untriggered Kind = `status = '` + universal.Pending + `'`                                  // aged from the creation or the last upload
)

// Kind is a kind of submission that expires: the condition of its rows. It is a
// constant in the SQL, as in the index of the kind.
type Kind string

// Aged is a submission with the real time from which its age counts.
type Aged struct {
	TenantID uuid.UUID
	TxID     uuid.UUID
	AgedFrom time.Time
}

// Find returns at most limit submissions of the kind whose age counts from before a
// real time, the oldest first, after the given one.
func Find(ctx context.Context, db storage.DB, kind Kind, before time.Time, after Aged, limit int) ([]Aged, error) {
	found, err := storage.All[Aged](ctx, db, `
		select tenant_id, tx_id, aged_from
		from submissions
		where `+string(kind)+`
		and aged_from < @before
		and (aged_from, tx_id) > (@after, @after_id)
		order by aged_from, tx_id
		limit @limit`,
		pgx.StrictNamedArgs{"before": before, "after": after.AgedFrom, "after_id": after.TxID, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("find expired submissions: %w", err)
	}
	return found, nil
}

// Deleted is a submission that was deleted.
type Deleted struct {
	TxID      uuid.UUID
	ObjectKey string // of its file, which no row refers to once the transaction is committed; "" if there is none
}

// Delete deletes those of the tenant's submissions that are still expired, with
// their timelines. It skips rows that another transaction has locked.
func Delete(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, kind Kind, before time.Time, ids []uuid.UUID) ([]Deleted, error) {
	deleted, err := storage.All[Deleted](ctx, tx, `
		with expired as (
			select tx_id
			from submissions
			where tenant_id = @tenant_id
			and tx_id = any(@ids)
			and `+string(kind)+`
			and aged_from < @before
			for update skip locked
		)
		delete from submissions s
		using expired
		where s.tx_id = expired.tx_id
		returning s.tx_id, coalesce(s.object_key, '') as object_key`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "ids": ids, "before": before})
	if err != nil {
		return nil, fmt.Errorf("delete expired submissions: %w", err)
	}
	return deleted, nil
}

// Unreferenced returns those of the keys that no submission has as the key of its file.
func Unreferenced(ctx context.Context, db storage.DB, keys []string) ([]string, error) {
	rows, err := db.Query(ctx, `
		with candidate as materialized (
			-- The key contains a tx_id, by which most rows are found at once. If the
			-- submission got another id after its file was stored, the row is found
			-- only below.
			select key
			from unnest(@keys::text[]) key
			where not exists (
				select from submissions
				where tx_id = left(split_part(key, '/', 2), 36)::uuid
				and object_key = key
			)
		)
		select key
		from candidate c
		where not exists (
			select from submissions
			where object_key = c.key
		)`,
		pgx.StrictNamedArgs{"keys": keys})
	if err != nil {
		return nil, fmt.Errorf("find objects without a submission: %w", err)
	}
	unreferenced, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find objects without a submission: %w", err)
	}
	return unreferenced, nil
}

// HaveFiles reports whether submissions that have not ended have files in the object
// store.
func HaveFiles(ctx context.Context, db storage.DB) (found bool, err error) {
	err = db.QueryRow(ctx, `
		select exists (
			select from submissions
			where object_key is not null
			and status not in (@completed, @failed)
		)`,
		pgx.StrictNamedArgs{"completed": universal.Completed, "failed": universal.Failed}).Scan(&found)
	return found, err
}
