package universal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/enrich"
	"understudy.example/internal/extract"
	"understudy.example/internal/field"
	"understudy.example/internal/storage"
	"understudy.example/internal/worker"
)

const (
	lease   = 15 * time.Second // after this, work whose holder died is taken over
	renewal = 5 * time.Second
	pause   = 5 * time.Second // before work that failed through our fault is tried again
	// maxVanished is after how many lost holders a document is taken for what
	// kills them. Servers are killed for other reasons, again and again in some
	// tests, and that must not cost a good document.
	maxVanished = 50
)

// claimed is a submission that this server has taken to process.
type claimed struct {
	TxID       uuid.UUID
	TenantID   uuid.UUID
	Filename   string
	ObjectKey  string
	SHA256     []byte
	DueAt      time.Time
	Attempt    int
	Unfinished int           // attempts that did not end, this one included
	Postponed  time.Duration // by an outcome
}

// Process is the background step that takes one submission whose time has
// come, has its file read and its company enriched, and records the end. now
// is real time. A document is read by readers, never in this process. share is
// how many submissions of one tenant are read at once, so that one tenant's
// documents leave room for the others'. wake tells the other steps that there
// is work. Process returns how long until more is due.
func Process(ctx context.Context, db storage.DB, objects storage.Objects, readers *worker.Pool, now func() time.Time, share int, wake func()) (time.Duration, error) {
	work, err := claim(ctx, db, now(), share)
	if errors.Is(err, pgx.ErrNoRows) {
		return untilDue(ctx, db, now(), Started)
	}
	if err != nil {
		return 0, fmt.Errorf("claim submission: %w", err)
	}
	// Work that was begun is finished, even while the server stops.
	ctx = context.WithoutCancel(ctx)
	end, err := held(ctx, db, work, now, func(ctx context.Context) (ending, error) {
		return decide(ctx, db, objects, readers, work)
	})
	if err != nil {
		return 0, errors.Join(err, giveBack(ctx, db, work, now()))
	}
	defer wake()
	switch {
	case end.after > 0:
		return 0, postpone(ctx, db, work, end.after)
	case end.reason != "":
		slog.InfoContext(ctx, "submission failed", "tx_id", work.TxID, "reason", end.reason)
		return 0, fail(ctx, db, work, end.reason, now())
	}
	return 0, complete(ctx, db, work, end, now())
}

// claim takes the submission that is due longest: its attempt number fences
// off whoever held it before.
func claim(ctx context.Context, db storage.DB, now time.Time, share int) (claimed, error) {
	return storage.One[claimed](ctx, db, `
		update submissions
		set attempt = attempt + 1, unfinished = unfinished + 1, lease_until = @lease
		where tx_id = (
			select tx_id
			from submissions s
			where due_at <= @now
			and status = @started
			and (lease_until is null or lease_until <= @now)
			and @share > (
				select count(*)
				from submissions held
				where held.tenant_id = s.tenant_id
				and held.lease_until > @now
			)
			order by due_at
			limit 1
			for update skip locked
		)
		returning tx_id, tenant_id, filename, object_key, sha256, due_at, attempt, unfinished, postponed`,
		pgx.StrictNamedArgs{"now": now, "started": Started, "lease": now.Add(lease), "share": share})
}

// held does what is done under the lease, which is renewed meanwhile. The end
// is recorded after that: its transaction holds the row itself.
func held(ctx context.Context, db storage.DB, work claimed, now func() time.Time, do func(context.Context) (ending, error)) (ending, error) {
	ctx, lost := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { renew(ctx, db, work, now, lost) })
	end, err := do(ctx)
	lost(nil)
	renewing.Wait()
	return end, err
}

// renew keeps the lease while the work runs. When the lease is lost, so is the
// work: it ends the context.
func renew(ctx context.Context, db storage.DB, work claimed, now func() time.Time, lost context.CancelCauseFunc) {
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		kept, err := db.Exec(ctx, `
			update submissions
			set lease_until = @lease
			where tx_id = @tx_id
			and attempt = @attempt
			and status = @started`,
			pgx.StrictNamedArgs{"tx_id": work.TxID, "attempt": work.Attempt, "started": Started, "lease": now().Add(lease)})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			slog.WarnContext(ctx, "lease not renewed", "tx_id", work.TxID, "err", err)
		} else if kept.RowsAffected() == 0 {
			lost(errors.New("lease lost"))
			return
		}
	}
}

// Release gives back what servers that died had in hand, for whoever knows that
// none is alive: the work goes on at once, not only when their leases end.
func Release(ctx context.Context, db storage.DB) error {
	if _, err := db.Exec(ctx, `
		update submissions
		set lease_until = null
		where lease_until is not null`); err != nil {
		return fmt.Errorf("release submissions: %w", err)
	}
	return nil
}

// giveBack lets the work be tried again soon: that it failed is our fault.
func giveBack(ctx context.Context, db storage.DB, work claimed, now time.Time) error {
	_, err := db.Exec(ctx, `
		update submissions
		set unfinished = unfinished - 1, lease_until = @pause
		where tx_id = @tx_id
		and attempt = @attempt
		and status = @started`,
		pgx.StrictNamedArgs{"tx_id": work.TxID, "attempt": work.Attempt, "started": Started, "pause": now.Add(pause)})
	return err
}

// read extracts the submission's file, or says why it can't be read. An error
// is ours: the file is not to blame.
func read(ctx context.Context, objects storage.Objects, readers *worker.Pool, work claimed) (result *extract.Extraction, reason string, err error) {
	if work.Unfinished > maxVanished {
		return nil, fmt.Sprintf("processing was interrupted %d times", maxVanished), nil
	}
	file, err := objects.Open(ctx, work.ObjectKey)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "the uploaded file is gone", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("open %s: %w", work.ObjectKey, err)
	}
	defer file.Close()
	result, err = readers.Extract(ctx, work.Filename, file)
	if unreadable := new(extract.Unreadable); errors.As(err, &unreadable) {
		return nil, unreadable.Reason, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("extract %s: %w", work.TxID, err)
	}
	return result, "", nil
}

// complete records the report and the final state, unless the work was taken
// over meanwhile.
func complete(ctx context.Context, db storage.DB, work claimed, end ending, now time.Time) error {
	return finish(ctx, db, work, now, Completed, func(tx pgx.Tx, at time.Time) (result, error) {
		seed := seedOf(end.extraction.Facts)
		var report enrich.Report
		if end.given.HasValues() {
			report = end.given.Report(seed, at)
		} else {
			report = enrich.Enrich(enrich.Input{
				Seed:      seed,
				Facts:     end.extraction.Facts,
				Options:   end.extraction.Options,
				Locations: end.extraction.Locations,
				Today:     at,
			})
		}
		ids, err := data.Save(ctx, tx, work.TenantID, work.TxID.String(), report, at)
		return result{Extraction: end.extraction, Review: end.review, CReportID: &ids.Company, LReportID: &ids.Location}, err
	})
}

// seedOf is the insured's name and address as first extracted.
func seedOf(facts []field.Value) (seed enrich.Seed) {
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

// fail records the final state Failed with its reason.
func fail(ctx context.Context, db storage.DB, work claimed, reason string, now time.Time) error {
	return finish(ctx, db, work, now, Failed, func(pgx.Tx, time.Time) (result, error) {
		return result{Failure: &reason}, nil
	})
}

// result is what a submission ends with.
type result struct {
	Extraction *extract.Extraction
	Review     bool
	CReportID  *string
	LReportID  *string
	Failure    *string
}

// errTakenOver ends a transaction whose work another server has taken over.
var errTakenOver = errors.New("taken over")

// finish moves the submission to its final state, together with what record
// writes. Work that was taken over changes nothing.
func finish(ctx context.Context, db storage.DB, work claimed, now time.Time, state string, record func(tx pgx.Tx, at time.Time) (result, error)) error {
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		// Its own row first, as all who change a submission and more do.
		held, err := tx.Exec(ctx, `
			select from submissions
			where tx_id = @tx_id
			and attempt = @attempt
			and status = @started
			for update`,
			pgx.StrictNamedArgs{"tx_id": work.TxID, "attempt": work.Attempt, "started": Started})
		if err != nil {
			return err
		}
		if held.RowsAffected() == 0 {
			return errTakenOver
		}
		tenants, err := auth.Tenants(ctx, tx, []uuid.UUID{work.TenantID})
		if err != nil {
			return err
		}
		at := tenants[work.TenantID].Time(now)
		result, err := record(tx, at)
		if err != nil {
			return err
		}
		moved, err := storage.All[submission](ctx, tx, `
			update submissions
			set status = @state, finished_at = @at, due_at = null, lease_until = null,
				review = @review, failure = @failure, extraction = @extraction, c_report_id = @c_report_id, l_report_id = @l_report_id
			where tx_id = @tx_id
			and attempt = @attempt
			and status = @started
			returning `+submissionColumns,
			pgx.StrictNamedArgs{
				"tx_id": work.TxID, "attempt": work.Attempt, "started": Started,
				"state": state, "at": at, "review": result.Review, "failure": result.Failure, "extraction": result.Extraction,
				"c_report_id": result.CReportID, "l_report_id": result.LReportID,
			})
		if err != nil {
			return err
		}
		if len(moved) == 0 {
			return errTakenOver
		}
		if err := note(ctx, tx, reached{work.TenantID, work.TxID, state, at}); err != nil {
			return err
		}
		return tell(ctx, tx, tenants, moved, now)
	})
	if errors.Is(err, errTakenOver) {
		slog.WarnContext(ctx, "submission was taken over", "tx_id", work.TxID, "attempt", work.Attempt)
		return nil
	}
	if err != nil {
		return fmt.Errorf("finish submission %s: %w", work.TxID, err)
	}
	return nil
}
