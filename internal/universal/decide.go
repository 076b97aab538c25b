package universal

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/extract"
	"understudy.example/internal/field"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
	"understudy.example/internal/worker"
)

// ending is how a submission is to end.
type ending struct {
	extraction *extract.Extraction
	reason     string           // why it fails; "" = it completes
	review     bool             // a person is to look at it
	given      *outcome.Outcome // what the tenant's tests have asked for
	after      time.Duration    // not yet, but this much later
}

// decide finds out how the submission ends: as an outcome says, newest first,
// else as its name says, else as its document does. The document is read only
// when it comes to that.
func decide(ctx context.Context, db storage.DB, objects storage.Objects, readers *worker.Pool, work claimed) (ending, error) {
	outcomes, err := outcome.ForFile(ctx, db, work.TenantID, work.Filename, work.SHA256)
	if err != nil {
		return ending{}, err
	}
	document := sync.OnceValues(func() (ending, error) {
		extraction, reason, err := read(ctx, objects, readers, work)
		return ending{extraction: extraction, reason: reason}, err
	})
	for i := range outcomes {
		given := &outcomes[i]
		if given.CompanyName != nil {
			read, err := document()
			if err != nil {
				return ending{}, err
			}
			if read.extraction == nil || !given.MatchesCompany(seedOf(read.extraction.Facts).CompanyName) {
				continue
			}
			if work.Postponed < given.After {
				return ending{after: given.After - work.Postponed}, nil
			}
		}
		return endingOf(given, document)
	}
	if strings.Contains(work.Filename, ".fail.") {
		return ending{reason: "asked for by the file name"}, nil
	}
	end, err := document()
	end.review = end.reason == "" && strings.Contains(work.Filename, ".review.")
	return end, err
}

// endingOf is the ending that an outcome asks for. What it leaves open, the
// document tells; asked to complete, even one that can't be read does.
func endingOf(given *outcome.Outcome, document func() (ending, error)) (end ending, err error) {
	switch {
	case given.HasStatus(outcome.Failed):
		return ending{reason: "asked for by an outcome"}, nil
	case given.HasValues():
		end.extraction = stated(given)
	default:
		if end, err = document(); err != nil {
			return ending{}, err
		}
		if given.Status != nil && end.reason != "" {
			end = ending{extraction: stated(given)}
		}
	}
	end.given, end.review = given, given.HasStatus(outcome.ReviewRequired)
	return end, nil
}

// stated is the outcome's values as an extraction.
func stated(given *outcome.Outcome) *extract.Extraction {
	extraction := &extract.Extraction{
		Facts:     given.Facts.FieldValues(),
		Options:   given.Options.FieldValues(),
		Locations: make([][]field.Value, len(given.Locations)),
		Parts:     []extract.Part{},
	}
	for i, location := range given.Locations {
		extraction.Locations[i] = location.FieldValues()
	}
	return extraction
}

// postpone puts the end off, and gives the work back until then.
func postpone(ctx context.Context, db storage.DB, work claimed, by time.Duration) error {
	if _, err := db.Exec(ctx, `
		update submissions
		set due_at = due_at + @by::interval, postponed = postponed + @by::interval, lease_until = null, unfinished = unfinished - 1
		where tx_id = @tx_id
		and attempt = @attempt
		and status = @started`,
		pgx.StrictNamedArgs{"tx_id": work.TxID, "attempt": work.Attempt, "started": Started, "by": by}); err != nil {
		return fmt.Errorf("postpone submission %s: %w", work.TxID, err)
	}
	return nil
}

// extraTime is how much longer an outcome has a file take that it matches by
// name or hash. One that asks for a company as well is only known to match
// once the document is read.
func extraTime(ctx context.Context, db storage.DB, tenantID uuid.UUID, filename string, sha256 []byte) (time.Duration, error) {
	outcomes, err := outcome.ForFile(ctx, db, tenantID, filename, sha256)
	if err != nil {
		return 0, err
	}
	for _, o := range outcomes {
		if o.CompanyName == nil {
			return o.After, nil
		}
	}
	return 0, nil
}
