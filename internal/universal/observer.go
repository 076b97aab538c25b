package universal

import (
	"context"
	"errors"
	"time"

	"understudy.example/internal/extract"
	"understudy.example/internal/worker"
)

// Observer is called by a Processor about its work, for metrics.
type Observer interface {
	// Extracted is called after each extraction of a document. cause is the class of
	// the failure, "" if there was none.
	Extracted(took time.Duration, cause string)
	// Ended is called when a submission has ended with OutcomeCompleted, OutcomeReview
	// or OutcomeFailed. cause is the class of the failure, "" if it has not failed.
	Ended(outcome, cause string)
}

// Outcomes of a submission.
const (
	OutcomeCompleted = "completed"
	OutcomeReview    = "review" // completed, but a person should review it
	OutcomeFailed    = "failed"
)

// Causes of a failed submission, besides those of extract and worker.
const (
	causeFilename    = "filename"     // it contains .fail.
	causeOutcome     = "outcome"      // a preset outcome
	causeInterrupted = "interrupted"  // maxLostAttempts times
	causeFileMissing = "file_missing" // in the object store
	causeObjectStore = "object_store" // away for too long
)

// outcomeName returns the outcome of the submission.
func (e ending) outcomeName() string {
	switch {
	case e.failure != "":
		return OutcomeFailed
	case e.review:
		return OutcomeReview
	}
	return OutcomeCompleted
}

// extractionCause returns the class of an error of an extraction; "" if it succeeded.
func extractionCause(ctx context.Context, err error) string {
	unreadable, isUnreadable := errors.AsType[*extract.Unreadable](err)
	_, crashed := errors.AsType[*worker.Crash](err)
	switch {
	case err == nil:
		return ""
	case isUnreadable:
		return string(unreadable.Cause)
	case crashed:
		return string(worker.CauseCrash)
	case isStoreFault(err):
		return causeObjectStore
	case ctx.Err() != nil, errors.Is(err, worker.ErrClosed):
		return causeInterrupted
	}
	return "error"
}
