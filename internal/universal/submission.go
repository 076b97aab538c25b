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
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
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
	s.tx_id, s.tenant_id, s.user_id, s.filename, s.status, s.created_at, s.upload_expires_at,
	s.object_key, s.sha256, s.polls_per_state, s.parked, s.started_at, s.finished_at, s.review, s.c_report_id, s.l_report_id`

// ofTenant is the condition that a submission s which is found by its tx_id belongs to the
// tenant. It is written so that it matches no index: if the table was small when PostgreSQL
// planned the statement, an index of the tenant's submissions would seem as good as the
// primary key.
const ofTenant = `(s.tenant_id = @tenant_id) is true`

// find returns the tenant's submission with the tx_id, which may be any text. The
// error is an *api.Error if there is none.
func find(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (submission, error) {
	id, ok := api.ParseID(txID)
	if !ok {
		return submission{}, transactionNotFound()
	}
	found, err := storage.One[submission](ctx, db, `
		select `+submissionColumns+`
		from submissions s
		where s.tx_id = @tx_id
		and `+ofTenant,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return submission{}, transactionNotFound()
	}
	if err != nil {
		return submission{}, fmt.Errorf("find submission: %w", err)
	}
	return found, nil
}

// LookUpStatus returns a data.StatusLookup, which returns the status of the caller's
// submission in the caller's vocabulary, and whether its data can be read.
func LookUpStatus(db storage.DB) data.StatusLookup {
	return func(ctx context.Context, caller auth.Caller, txID string) (status string, readable, found bool, err error) {
		submission, err := find(ctx, db, caller.TenantID, txID)
		if refusal := new(api.Error); errors.As(err, &refusal) {
			return "", false, false, nil
		}
		if err != nil {
			return "", false, false, err
		}
		return statusFor(caller.Settings, submission.Status), submission.Status == Completed, true, nil
	}
}
