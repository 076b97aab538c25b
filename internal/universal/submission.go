// Package universal is universal submit: it takes a file, moves the submission
// through its states, and has the file read and the company enriched when its
// time comes. It knows nothing of formats, fields or the shape of data.
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
	"understudy.example/internal/storage"
)

// States of a submission: vocabulary A of service.md, "States and
// transitions", with Pending before the trigger.
const (
	Pending    = "Pending"
	InProgress = "Submission_in_progress"
	Scheduled  = "Scheduled"
	Started    = "Started"
	Completed  = "Completed"
	Failed     = "Failed"
)

// polling is vocabulary B: what the status endpoint calls each state for a
// tenant whose status_vocabulary is "polling".
var polling = map[string]string{
	Pending:    "Pending",
	InProgress: "Pending",
	Scheduled:  "Pending",
	Started:    "Started",
	Completed:  "Succeeded",
	Failed:     "Failed",
}

// submission is a row as the endpoints need it. Times are the tenant's.
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
	PollsPerState   *int // moved by status polls; nil = by time
	StartedAt       *time.Time
	FinishedAt      *time.Time
	Review          bool // a person is to look at it; only version 4 shows it
	CReportID       *string
	LReportID       *string
}

const submissionColumns = `
	tx_id, tenant_id, user_id, filename, status, created_at, upload_expires_at,
	object_key, sha256, polls_per_state, started_at, finished_at, review, c_report_id, l_report_id`

// find returns the tenant's submission of the given tx_id, which may be any
// text.
func find(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (submission, error) {
	id, ok := api.ParseID(txID)
	if !ok {
		return submission{}, transactionNotFound()
	}
	found, err := storage.One[submission](ctx, db, `
		select `+submissionColumns+`
		from submissions
		where tenant_id = @tenant_id
		and tx_id = @tx_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return submission{}, transactionNotFound()
	}
	if err != nil {
		return submission{}, fmt.Errorf("find submission: %w", err)
	}
	return found, nil
}

// Complete tells how a tenant's submission stands, for a data inquiry.
func Complete(ctx context.Context, db storage.DB, caller auth.Caller, txID string) (status string, complete, found bool, err error) {
	submission, err := find(ctx, db, caller.TenantID, txID)
	if refusal := new(api.Error); errors.As(err, &refusal) {
		return "", false, false, nil
	}
	if err != nil {
		return "", false, false, err
	}
	return statusFor(caller.Settings, submission.Status), submission.Status == Completed, true, nil
}

// statusFor is the state in the vocabulary of a tenant with these settings.
func statusFor(settings auth.Settings, state string) string {
	if settings.StatusVocabulary == "polling" {
		return polling[state]
	}
	return state
}
