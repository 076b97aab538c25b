package universal

import (
	"context"
	"strings"
	"sync"
	"time"

	"understudy.example/internal/extract"
	"understudy.example/internal/field"
	"understudy.example/internal/outcome"
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
