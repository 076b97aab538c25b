package universal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Transaction is a submission with everything that the control API shows of it.
// Times are the tenant's.
type Transaction struct {
	TxID            uuid.UUID
	UserID          uuid.UUID
	Filename        string
	Status          string
	Review          bool
	CreatedAt       time.Time
	UploadExpiresAt time.Time
	Size            *int64
	SHA256          []byte
	UploadedAt      *time.Time
	StartedAt       *time.Time
	FinishedAt      *time.Time
	Failure         *string
	CReportID       *string
	LReportID       *string
	Company         string // name of the insured; "" until it is known
}

const transactionColumns = `
	s.tx_id, s.user_id, s.filename, s.status, s.review, s.created_at, s.upload_expires_at, s.size, s.sha256, s.uploaded_at,
	s.started_at, s.finished_at, s.failure, s.c_report_id, s.l_report_id, s.company`

// TransactionDetails is a submission with its timeline and the values extracted from its
// document.
type TransactionDetails struct {
	Transaction
	Timeline       []TimelineEntry
	Extraction     json.RawMessage // with an empty array of locations, if it has an array
	HasLocations   bool            // it has an array
	ExtractionSize int64           // in bytes, as it is stored
}

// ReachedState is a state that a submission reached.
type ReachedState struct {
	TxID   uuid.UUID
	Status string
	At     time.Time // tenant's time
}

// TimelineEntry is a state with the real time at which it was reached.
type TimelineEntry struct {
	ReachedState
	RealAt time.Time
}

// ReadTransaction returns the tenant's submission. The error is an *api.Error if there is
// none.
func ReadTransaction(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (TransactionDetails, error) {
	id, ok := api.ParseID(txID)
	if !ok {
		return TransactionDetails{}, transactionNotFound()
	}
	found, err := storage.One[struct {
		Transaction
		Extraction     json.RawMessage
		HasLocations   bool
		ExtractionSize int64
	}](ctx, db, `
		select
			`+transactionColumns+`,
			coalesce(pg_column_size(extraction), 0) as extraction_size,
			has_locations,
			case when has_locations then jsonb_set(extraction, '{locations}', '[]') else extraction end as extraction
		from submissions s
		cross join lateral (
			select coalesce(jsonb_typeof(extraction -> 'locations') = 'array', false) as has_locations
		) form
		where tenant_id = @tenant_id
		and tx_id = @tx_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return TransactionDetails{}, transactionNotFound()
	}
	if err != nil {
		return TransactionDetails{}, fmt.Errorf("find transaction: %w", err)
	}
	timeline, err := storage.All[TimelineEntry](ctx, db, `
		select tx_id, status, at, real_at
		from submission_timeline t
		where tx_id = @tx_id
		order by at, `+StateOrder,
		pgx.StrictNamedArgs{"tx_id": id})
	if err != nil {
		return TransactionDetails{}, fmt.Errorf("read timeline: %w", err)
	}
	return TransactionDetails{found.Transaction, timeline, found.Extraction, found.HasLocations, found.ExtractionSize}, nil
}

// ExtractedLocations returns the locations extracted from the submission's document, at
// most the given number from the first index, each as JSON. They are read in batches.
// room is the memory for one batch.
func ExtractedLocations(ctx context.Context, db storage.DB, txID uuid.UUID, first, most int, room *api.Room) iter.Seq2[any, error] {
	texts := storage.Array(ctx, db, `
		select location
		from submissions
		left join lateral jsonb_path_query(
			extraction, '$.locations[$from to $until]', jsonb_build_object('from', @from::int, 'until', @until::int)
		) with ordinality batch (location, position) on true
		where tx_id = @tx_id
		order by position`,
		pgx.StrictNamedArgs{"tx_id": txID}, first, most, room.Resize)
	return func(yield func(any, error) bool) {
		for text, err := range texts {
			if errors.Is(err, storage.ErrRowGone) {
				yield(nil, transactionNotFound())
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read extracted locations: %w", err))
				return
			}
			if !yield(text, nil) {
				return
			}
		}
	}
}

// StateOrder is the SQL expression that sorts states of the timeline t that a submission
// reached at the same time.
const StateOrder = `array_position('{Submission_in_progress,Scheduled,Started,Completed,Failed}'::text[], t.status)`

// Delete deletes the tenant's submissions and returns the keys of their files,
// which no row refers to once the transaction is committed.
func Delete(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) (files []string, err error) {
	deleted, err := storage.All[struct{ ObjectKey *string }](ctx, tx, `
		delete from submissions
		where tenant_id = @tenant_id
		returning object_key`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("delete submissions: %w", err)
	}
	for _, row := range deleted {
		if row.ObjectKey != nil {
			files = append(files, *row.ObjectKey)
		}
	}
	return files, nil
}

// deleteBatch is the number of submissions that DeleteMost deletes in a transaction.
const deleteBatch = 500

// DeleteMost deletes the tenant's submissions in batches, each in its own transaction, if
// there is more than one batch. It reports whether there was. deleteFiles is called with
// the keys of the files of each batch. Submissions that another transaction has locked
// are skipped.
func DeleteMost(ctx context.Context, db storage.DB, tenantID uuid.UUID, deleteFiles func(keys []string)) (many bool, err error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "batch": deleteBatch}
	if err := db.QueryRow(ctx, `
		select exists (
			select
			from submissions
			where tenant_id = @tenant_id
			offset @batch
			limit 1
		)`, args).Scan(&many); err != nil {
		return false, fmt.Errorf("count submissions: %w", err)
	}
	for more := many; more; {
		keys, err := storage.All[struct{ ObjectKey string }](ctx, db, `
			delete from submissions
			where ctid = any(array(
				select ctid
				from submissions
				where tenant_id = @tenant_id
				order by created_at desc, tx_id desc
				limit @batch
				for update skip locked
			))
			returning coalesce(object_key, '') as object_key`, args)
		if err != nil {
			return false, fmt.Errorf("delete submissions: %w", err)
		}
		var files []string
		for _, row := range keys {
			if row.ObjectKey != "" {
				files = append(files, row.ObjectKey)
			}
		}
		deleteFiles(files)
		more = len(keys) == deleteBatch
	}
	return many, nil
}

// DeleteTransaction deletes the tenant's submission with its timeline. It returns the
// tx_id, and the key of the file, which no row refers to once the transaction is
// committed; "" if there is no file. A server that is processing the submission
// discards the result. The error is an *api.Error if there is no such submission.
func DeleteTransaction(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, txID string) (id uuid.UUID, file string, err error) {
	id, ok := api.ParseID(txID)
	if !ok {
		return uuid.Nil, "", transactionNotFound()
	}
	err = tx.QueryRow(ctx, `
		delete from submissions
		where tenant_id = @tenant_id
		and tx_id = @tx_id
		returning coalesce(object_key, '')`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": id}).Scan(&file)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, "", transactionNotFound()
	}
	if err != nil {
		return uuid.Nil, "", fmt.Errorf("delete transaction: %w", err)
	}
	return id, file, nil
}
