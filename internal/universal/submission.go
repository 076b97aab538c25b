// Package universal is universal submit: it takes a file, moves the submission
// through its states, and has the file extracted and the company enriched when
// the submission is due. It does not know formats, fields or the shape of data.
package universal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// submission is a row of submissions as the endpoints need it. Times are the
// tenant's.
type submission struct {
	TxID            uuid.UUID
	TenantID        uuid.UUID
	UserID          uuid.UUID
	Filename        string
	Status          string
	CreatedAt       time.Time
	UploadExpiresAt time.Time
	UploadNonce     []byte // the random part of its upload URL; nil if it was created by an older server or imported
	ObjectKey       *string
	SHA256          []byte
	PollsPerState   *int // status polls that it takes to leave a state; nil = the clock moves it
	StartedAt       *time.Time
	FinishedAt      *time.Time
	Parked          bool // it waits for the object store
	Review          bool // a person should review it; only version 4 shows this
	CReportID       *string
	LReportID       *string
}

const submissionColumns = `
	s.tx_id, s.tenant_id, s.user_id, s.filename, s.status, s.created_at, s.upload_expires_at, s.upload_nonce,
	s.object_key, s.sha256, s.polls_per_state, s.parked, s.started_at, s.finished_at, s.review, s.c_report_id, s.l_report_id`

// ofTenant is the condition that a submission s which is found by its tx_id belongs to the
// tenant. It is written so that it matches no index: if the table was small when PostgreSQL
// planned the statement, an index of the tenant's submissions would seem as good as the
// primary key.
const ofTenant = `(s.tenant_id = @tenant_id) is true`

// decodeSubmission decodes the submissionColumns.
func decodeSubmission(row *storage.Values) submission {
	return submission{
		TxID: row.UUID(), TenantID: row.UUID(), UserID: row.UUID(), Filename: row.Text(), Status: row.Text(), CreatedAt: row.Time(), UploadExpiresAt: row.Time(), UploadNonce: row.Bytes(),
		ObjectKey: row.OptionalText(), SHA256: row.Bytes(), PollsPerState: row.OptionalInt(), Parked: row.Bool(), StartedAt: row.OptionalTime(), FinishedAt: row.OptionalTime(),
		Review: row.Bool(), CReportID: row.OptionalText(), LReportID: row.OptionalText(),
	}
}

// Finder finds submissions. Concurrent calls share queries.
type Finder struct {
	submissions *storage.Lookup[submissionKey, submission]
}

type submissionKey struct{ tenantID, txID uuid.UUID }

const findQuery = `
	select ` + submissionColumns + `
	from submissions s
	where (s.tenant_id = any($1)) is true -- see ofTenant
	and s.tx_id = any($2)`

// NewFinder returns a Finder that queries the database.
func NewFinder(db storage.DB) *Finder {
	return &Finder{storage.NewLookup(func(ctx context.Context, keys []submissionKey) (map[submissionKey]submission, error) {
		tenantIDs, txIDs := make([]uuid.UUID, len(keys)), make([]uuid.UUID, len(keys))
		for i, key := range keys {
			tenantIDs[i], txIDs[i] = key.tenantID, key.txID
		}
		found := make(map[submissionKey]submission, len(keys))
		err := storage.AllValues(ctx, db, findQuery, []any{pgtype.FlatArray[uuid.UUID](tenantIDs), pgtype.FlatArray[uuid.UUID](txIDs)}, func(row *storage.Values) {
			s := decodeSubmission(row)
			found[submissionKey{s.TenantID, s.TxID}] = s
		})
		return found, err
	})}
}

// find returns the tenant's submission with the tx_id, which may be any text. The
// error is an *api.Error if there is none.
func (f *Finder) find(ctx context.Context, tenantID uuid.UUID, txID string) (submission, error) {
	id, ok := api.ParseID(txID)
	if !ok {
		return submission{}, transactionNotFound()
	}
	found, exists, err := f.submissions.Find(ctx, submissionKey{tenantID, id})
	switch {
	case err != nil:
		return submission{}, fmt.Errorf("find submission: %w", err)
	case !exists:
		return submission{}, transactionNotFound()
	}
	return found, nil
}

// LookUpStatus returns the status of the caller's submission in the caller's vocabulary,
// and whether its data can be read. It is a data.StatusLookup.
func (f *Finder) LookUpStatus(ctx context.Context, caller auth.Caller, txID string) (status string, readable, found bool, err error) {
	submission, err := f.find(ctx, caller.TenantID, txID)
	if refusal := new(api.Error); errors.As(err, &refusal) {
		return "", false, false, nil
	}
	if err != nil {
		return "", false, false, err
	}
	return statusFor(caller.Settings, submission.Status), submission.Status == Completed, true, nil
}
