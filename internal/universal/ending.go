package universal

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/extract"
	"understudy.example/internal/field"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
)

// ending describes how a submission ends.
type ending struct {
	extraction *extract.Extraction
	failure    string           // why it fails; "" = it completes
	cause      string           // class of the failure
	review     bool             // a person should review it
	outcome    *outcome.Outcome // the outcome that decided it; nil = none
	completion completion       // what is written if it completes
	after      time.Duration    // if positive, it does not end yet but this much later
}

// decide determines how the submission ends. The newest matching outcome takes
// precedence, then the file name, then the document. The document is extracted only
// if that is needed. large is called before large values of an outcome are read.
func (p *Processor) decide(ctx context.Context, work claimed, large func() error) (ending, error) {
	outcomes, err := outcome.ForFile(ctx, p.Endings, work.TenantID, work.Filename, work.SHA256)
	if err != nil {
		return ending{}, err
	}
	fromDocument := sync.OnceValues(func() (ending, error) { return p.extractFile(ctx, work) })
	for i := range outcomes {
		candidate := &outcomes[i]
		if candidate.CompanyName != nil {
			document, err := fromDocument()
			if err != nil {
				return ending{}, err
			}
			if document.extraction == nil || !candidate.MatchesCompany(seedInput(document.extraction.Facts).CompanyName) {
				continue
			}
			if work.Postponed < candidate.After {
				return ending{after: candidate.After - work.Postponed}, nil
			}
		}
		if candidate.Bytes >= largeOutcome {
			if err := large(); err != nil {
				return ending{}, err
			}
		}
		preset, err := outcome.Load(ctx, p.Endings, work.TenantID, candidate.ID)
		if err != nil {
			return ending{}, err
		}
		if preset != nil { // it was not deleted in the meantime
			return endingByOutcome(preset, fromDocument)
		}
	}
	if strings.Contains(work.Filename, ".fail.") {
		return ending{failure: "the file name contains .fail.", cause: causeFilename}, nil
	}
	end, err := fromDocument()
	end.review = end.failure == "" && strings.Contains(work.Filename, ".review.")
	return end, err
}

// endingByOutcome returns the ending that an outcome sets. The document determines
// everything that the outcome does not set. If the outcome sets a status that
// completes the submission, even an unreadable document completes.
func endingByOutcome(preset *outcome.Outcome, fromDocument func() (ending, error)) (end ending, err error) {
	switch {
	case preset.HasStatus(outcome.Failed):
		return ending{failure: "an outcome set the status to Failed", cause: causeOutcome}, nil
	case preset.HasValues():
		end.extraction = extractionOf(preset)
	default:
		if end, err = fromDocument(); err != nil {
			return ending{}, err
		}
		if preset.Status != nil && end.failure != "" {
			end = ending{extraction: extractionOf(preset)}
		}
	}
	end.outcome, end.review = preset, preset.HasStatus(outcome.ReviewRequired)
	return end, nil
}

// extractionOf returns the outcome's values as an extraction.
func extractionOf(preset *outcome.Outcome) *extract.Extraction {
	extraction := &extract.Extraction{
		Facts:     preset.Facts.FieldValues(),
		Options:   preset.Options.FieldValues(),
		Locations: make([][]field.Value, len(preset.Locations)),
		Parts:     []extract.Part{},
	}
	for i, location := range preset.Locations {
		extraction.Locations[i] = location.FieldValues()
	}
	return extraction
}

// fail ends the submission as Failed. It returns the same as finish.
func fail(ctx context.Context, db storage.DB, work claimed, reason string, now time.Time) (done *Work, err error) {
	return finish(ctx, db, work, now, Failed, func(pgx.Tx, auth.Tenant, time.Time) (result, error) {
		return result{failure: &reason}, nil
	})
}

// errTenantLocked is the error of a submission whose tenant is being deleted or reset. If
// the deletion or the reset fails, the submission is processed again.
var errTenantLocked = errors.New("the tenant is being deleted or reset")

// errNotHeld is the error of an attempt that no longer holds its submission.
var errNotHeld = errors.New("the submission is not held by the attempt")

// finish moves the submission to its final state, and calls save in the same
// transaction. It returns what is due after the commit, or nil if this attempt no longer
// held the submission: another server may have claimed it, or its tenant may have
// deleted it.
func finish(ctx context.Context, db storage.DB, work claimed, now time.Time, to string, save func(tx pgx.Tx, tenant auth.Tenant, at time.Time) (result, error)) (done *Work, err error) {
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		free, locked, err := auth.TryLockTenants(ctx, tx, work.TenantID)
		if err != nil {
			return err
		}
		if len(locked) > 0 {
			return errTenantLocked // a wait would keep a connection from other tenants
		}
		tenant := free[work.TenantID]
		at := tenant.Time(now)
		result, err := save(tx, tenant, at)
		if err != nil {
			return err
		}
		moved, due, err := apply(ctx, tx, now, transition{
			txID: work.TxID, tenant: tenant, filename: work.Filename, from: Started, reached: []reached{{to, at}}, held: &work, result: result,
		})
		if err == nil && len(moved) == 0 {
			return errNotHeld // what save wrote is rolled back
		}
		done = &due
		return err
	})
	if err != nil {
		done = nil
	}
	if errors.Is(err, errNotHeld) {
		err = nil
	}
	return done, err
}
