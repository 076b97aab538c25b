// Package archived reads the submissions that an archive has, and inserts those of an
// archive. It shares the tables of package universal. It does not know the form of archives.
package archived

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// Submission is a submission in an archive of version 1, without its report and its file.
// Times are the tenant's, except RealAt.
type Submission struct {
	TxID            uuid.UUID       `json:"tx_id"`
	UserID          uuid.UUID       `json:"user_id"`
	Filename        string          `json:"filename"`
	Status          string          `json:"status"`
	Review          bool            `json:"review"`
	CreatedAt       time.Time       `json:"created_at"`
	UploadExpiresAt time.Time       `json:"upload_expires_at"`
	StartedAt       *time.Time      `json:"started_at,omitempty"`
	FinishedAt      *time.Time      `json:"finished_at,omitempty"`
	Failure         *string         `json:"failure,omitempty"`
	Company         string          `json:"company"` // name of the insured; "" if it is unknown
	File            *File           `json:"file,omitempty"`
	Timeline        []State         `json:"timeline"`
	Extraction      json.RawMessage `json:"extraction,omitempty"`
}

// File describes the file of a submission.
type File struct {
	Size       int64     `json:"size"`   // bytes
	SHA256     []byte    `json:"sha256"` // in Base64
	UploadedAt time.Time `json:"uploaded_at"`
	Missing    bool      `json:"missing,omitempty"` // the object store did not have it
}

// State is a state that a submission reached.
type State struct {
	Status string     `json:"status"`
	At     time.Time  `json:"at"`
	RealAt *time.Time `json:"real_at,omitempty"`
}

// archivable is the condition of submissions that are archived: those that have ended or
// that wait for their trigger.
const archivable = `status in ('Pending', 'Completed', 'Failed')`

// Count returns how many of the tenant's submissions can be archived, and how
// many cannot because they are in progress.
func Count(ctx context.Context, db storage.DB, tenantID uuid.UUID) (count, inProgress int, err error) {
	if err := db.QueryRow(ctx, `
		select count(*) filter (where `+archivable+`), count(*) filter (where not `+archivable+`)
		from submissions
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&count, &inProgress); err != nil {
		return 0, 0, fmt.Errorf("count submissions to archive: %w", err)
	}
	return count, inProgress, nil
}

// Found is a submission that can be archived.
type Found struct {
	universal.TransactionCursor
	ExtractionBytes int64 // as it is stored, which is compressed
}

// Next returns the tenant's submission after the cursor, the oldest first. The
// error is pgx.ErrNoRows if there is none.
func Next(ctx context.Context, db storage.DB, tenantID uuid.UUID, after universal.TransactionCursor) (Found, error) {
	next, err := storage.One[Found](ctx, db, `
		select created_at, tx_id, coalesce(pg_column_size(extraction), 0) as extraction_bytes
		from submissions
		where tenant_id = @tenant_id
		and (created_at, tx_id) > (@created_at, @tx_id)
		and `+archivable+`
		order by created_at, tx_id
		limit 1`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "created_at": after.CreatedAt, "tx_id": after.TxID})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("find submission to archive: %w", err)
	}
	return next, err
}

// Read returns the tenant's submission and the key of its file, which is "" if
// it has none. The error is pgx.ErrNoRows if it was deleted or triggered meanwhile.
func Read(ctx context.Context, db storage.DB, tenantID, txID uuid.UUID) (a Submission, objectKey string, err error) {
	row, err := storage.One[struct {
		universal.Transaction
		ObjectKey  *string
		Extraction json.RawMessage
		Timeline   []State
	}](ctx, db, `
		select
			tx_id, user_id, filename, status, review, created_at, upload_expires_at, size, sha256, uploaded_at,
			started_at, finished_at, failure, c_report_id, l_report_id, company, object_key, extraction,
			coalesce((
				select jsonb_agg(jsonb_build_object('status', t.status, 'at', t.at, 'real_at', t.real_at) order by t.at, t.status)
				from submission_timeline t
				where t.tx_id = s.tx_id
			), '[]') as timeline
		from submissions s
		where tenant_id = @tenant_id
		and tx_id = @tx_id
		and `+archivable,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": txID})
	if errors.Is(err, pgx.ErrNoRows) {
		return Submission{}, "", err
	}
	if err != nil {
		return Submission{}, "", fmt.Errorf("read submission to archive: %w", err)
	}
	a = Submission{
		TxID: row.TxID, UserID: row.UserID, Filename: row.Filename, Status: row.Status, Review: row.Review,
		CreatedAt: row.CreatedAt, UploadExpiresAt: row.UploadExpiresAt, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
		Failure: row.Failure, Company: row.Company, Timeline: row.Timeline, Extraction: row.Extraction,
	}
	if row.ObjectKey != nil {
		a.File = &File{Size: *row.Size, SHA256: row.SHA256, UploadedAt: *row.UploadedAt}
		objectKey = *row.ObjectKey
	}
	return a, objectKey, nil
}
