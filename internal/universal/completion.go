package universal

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
	"understudy.example/internal/storage"
	"understudy.example/internal/turns"
)

// Reports with many locations, or with long lists, take turns on this server: at most one
// large report and one medium report are made and written at a time. Therefore, they use
// the memory of one large and one medium report, about 4 KB per location, and small reports
// never wait for them. Large reports, which take seconds, use at most one connection of Endings.
const (
	mediumReport = 200  // locations and entries of lists
	largeReport  = 2001 // locations and entries of lists
)

// queueFor returns the turns that a report of that size waits for; nil for a small one.
func (p *Processor) queueFor(size int) *turns.Queue {
	switch {
	case size >= largeReport:
		return &p.large
	case size >= mediumReport:
		return &p.medium
	default:
		return nil
	}
}

// largeOutcome is the size in bytes of an outcome's values from which its report takes
// turns with large reports.
const largeOutcome = 64 << 10

// completion is what a completed submission's transaction writes, already encoded.
type completion struct {
	extraction string // JSON
	company    string // name of the insured, cut to MaxCompany
	report     data.EncodedReport
}

// prepare decides how the submission ends and encodes what complete writes. The caller
// must call release after the submission has been recorded, also after an error.
func (p *Processor) prepare(ctx context.Context, work claimed) (end ending, release func(), err error) {
	release = func() {}
	takeTurn := func(queue *turns.Queue) error {
		err := queue.Take(ctx, work.TenantID)
		if err == nil {
			release = queue.Pass
		}
		return err
	}
	large := false
	end, err = p.decide(ctx, work, sync.OnceValue(func() error {
		large = true
		return takeTurn(&p.large)
	}))
	if err != nil || end.extraction == nil {
		return end, release, err
	}
	if queue := p.queueFor(end.extraction.Entries()); queue != nil && !large {
		if err := takeTurn(queue); err != nil {
			return end, release, err
		}
	}
	// The report depends only on the year of this time, so it hardly matters if the clock
	// has moved since the claim.
	end.completion, err = newCompletion(end, work.Time(p.Now()))
	end.extraction = nil // it can be large
	return end, release, err
}

// newCompletion makes the report and encodes it. today is the tenant's time.
func newCompletion(end ending, today time.Time) (completion, error) {
	seed := seedInput(end.extraction.Facts)
	var report enrich.Report
	if end.outcome.HasValues() {
		report = end.outcome.Report(seed, today)
	} else {
		report = enrich.Enrich(enrich.Input{
			Seed:      seed,
			Facts:     end.extraction.Facts,
			Options:   end.extraction.Options,
			Locations: end.extraction.Locations,
			Today:     today,
		})
	}
	encoded, err := data.EncodeReport(report)
	if err != nil {
		return completion{}, err
	}
	extraction, err := json.Marshal(end.extraction)
	if err != nil {
		return completion{}, fmt.Errorf("encode extraction: %w", err)
	}
	return completion{string(extraction), cutRunes(seed.CompanyName, MaxCompany), encoded}, nil
}

// complete ends the submission as Completed and saves its report. It returns the same as
// finish.
func complete(ctx context.Context, db storage.DB, work claimed, end ending, now time.Time) (done *Work, err error) {
	return finish(ctx, db, work, now, Completed, func(tx pgx.Tx, tenant auth.Tenant, at time.Time) (result, error) {
		ids, err := data.SaveReport(ctx, tx, tenant, work.TxID.String(), end.completion.report, at, now)
		search := SearchText(work.Filename, end.completion.company)
		return result{extraction: &end.completion.extraction, company: end.completion.company, search: &search, review: end.review, reports: reportIDs{&ids.Company, &ids.Location}}, err
	})
}

// seedInput returns the insured's name and address as first extracted.
func seedInput(facts []field.Value) (seed enrich.Seed) {
	for _, fact := range facts {
		switch {
		case fact.Field == "company_name" && seed.CompanyName == "":
			seed.CompanyName = fact.Text
		case fact.Field == "address" && seed.Address == "":
			seed.Address = fact.Text
		}
	}
	return seed
}
