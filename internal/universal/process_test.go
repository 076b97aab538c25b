package universal

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/extract"
	"understudy.example/internal/storage"
	"understudy.example/internal/worker"
)

// rows is what the database holds of submissions, timelines and reports.
func rows(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	var all string
	if err := db.QueryRow(t.Context(), `
		select concat(
			(select jsonb_agg(to_jsonb(s) order by tx_id) from submissions s),
			(select jsonb_agg(to_jsonb(l) order by tx_id, status) from submission_timeline l),
			(select jsonb_agg(to_jsonb(r) order by c_report_id) from reports r),
			(select jsonb_agg(to_jsonb(e) order by id) from events e))`).Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// started makes a submission that is due to be processed, with its file.
func started(t *testing.T, db *pgxpool.Pool, tenantID uuid.UUID) (uuid.UUID, storage.Objects) {
	t.Helper()
	objects, err := storage.OpenObjects("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const letter = "Named Insured: Foxglove Bakery LLC\n"
	if err := objects.Put(t.Context(), "acme/a", strings.NewReader(letter)); err != nil {
		t.Fatal(err)
	}
	id := submissionIn(t, db, tenantID, Started)
	if _, err := db.Exec(t.Context(), "update submissions set size = $2 where tx_id = $1", id, len(letter)); err != nil {
		t.Fatal(err)
	}
	return id, objects
}

// state is how the submission stands: its status and why it failed.
func state(t *testing.T, db *pgxpool.Pool, id uuid.UUID) string {
	t.Helper()
	var text string
	if err := db.QueryRow(t.Context(), "select concat_ws(': ', status, failure) from submissions where tx_id = $1", id).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// readers are shared by all tests.
var readers = sync.OnceValue(func() *worker.Pool {
	return worker.NewPool(2, 1, worker.Limits{Wall: 30 * time.Second, Memory: 512 << 20})
})

// process runs the step once at the given time.
func process(t *testing.T, db *pgxpool.Pool, objects storage.Objects, now time.Time) (time.Duration, error) {
	t.Helper()
	return Process(t.Context(), db, objects, readers(), func() time.Time { return now }, 2, func() {})
}

// TestTakeover: work whose holder died is another's once its lease is over, and
// not before.
func TestTakeover(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	id, objects := started(t, db, tenantID)
	first, err := claim(t.Context(), db, at, 2)
	if err != nil || first.TxID != id || first.Attempt != 1 {
		t.Fatalf("claim %+v, %v", first, err)
	}
	for _, now := range []time.Time{at, at.Add(time.Second), at.Add(lease - time.Microsecond)} {
		if _, err := claim(t.Context(), db, now, 2); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("claimed again after %v: %v", now.Sub(at), err)
		}
	}
	if lease < 10*time.Second || lease > 20*time.Second {
		t.Errorf("a lease of %v", lease)
	}
	if _, err := process(t, db, objects, at.Add(lease)); err != nil {
		t.Fatal(err)
	}
	if got := state(t, db, id); got != Completed {
		t.Errorf("it is %s", got)
	}
}

// TestRelease: what the dead had in hand is taken up at once.
func TestRelease(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	id, objects := started(t, db, tenantID)
	if _, err := claim(t.Context(), db, at, 2); err != nil {
		t.Fatal(err)
	}
	if err := Release(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if _, err := process(t, db, objects, at); err != nil {
		t.Fatal(err)
	}
	if got := state(t, db, id); got != Completed {
		t.Errorf("it is %s", got)
	}
}

// TestLateWorker: one that was taken over changes nothing any more.
func TestLateWorker(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	id, _ := started(t, db, tenantID)
	late, err := claim(t.Context(), db, at, 2)
	if err != nil {
		t.Fatal(err)
	}
	now := at.Add(lease)
	holder, err := claim(t.Context(), db, now, 2)
	if err != nil || holder.Attempt != 2 {
		t.Fatalf("claim %+v, %v", holder, err)
	}
	tryAll := func() {
		t.Helper()
		before := rows(t, db)
		for name, err := range map[string]error{
			"complete":  complete(t.Context(), db, late, ending{extraction: &extract.Extraction{}}, now),
			"fail":      fail(t.Context(), db, late, "too late", now),
			"give back": giveBack(t.Context(), db, late, now),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if diff := cmp.Diff(before, rows(t, db)); diff != "" {
			t.Errorf("the late worker changed rows:\n%s", diff)
		}
	}
	tryAll()
	if err := complete(t.Context(), db, holder, ending{extraction: &extract.Extraction{}}, now); err != nil {
		t.Fatal(err)
	}
	if got := state(t, db, id); got != Completed {
		t.Errorf("it is %s", got)
	}
	tryAll()
	late = holder // nor does the holder itself, a second time
	tryAll()
}

// TestDocumentThatKillsItsReaders is given up after a few of them.
func TestDocumentThatKillsItsReaders(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	id, objects := started(t, db, tenantID)
	now := at
	for attempt := range maxVanished {
		work, err := claim(t.Context(), db, now, 2)
		if err != nil || work.Attempt != attempt+1 {
			t.Fatalf("claim %+v, %v", work, err)
		}
		now = now.Add(lease) // and nothing is heard of the holder
	}
	if _, err := process(t, db, objects, now); err != nil {
		t.Fatal(err)
	}
	if got := state(t, db, id); got != "Failed: processing was interrupted 50 times" {
		t.Errorf("it is %s", got)
	}
}

// TestOurFaultIsNotTheDocuments: work that can't be done for now is tried again,
// however often.
func TestOurFaultIsNotTheDocuments(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	id, objects := started(t, db, tenantID)
	key := func(key string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), "update submissions set object_key = $2 where tx_id = $1", id, key); err != nil {
			t.Fatal(err)
		}
	}
	key("../a") // the store fails on it
	now := at
	for range 6 {
		if _, err := process(t, db, objects, now); err == nil {
			t.Fatal("the store did not fail")
		}
		before := rows(t, db)
		if wait, err := process(t, db, objects, now.Add(pause-time.Millisecond)); err != nil || wait <= 0 {
			t.Errorf("tried again at once: %v, %v", wait, err)
		}
		if diff := cmp.Diff(before, rows(t, db)); diff != "" {
			t.Errorf("rows changed:\n%s", diff)
		}
		now = now.Add(pause)
	}
	key("acme/a")
	if _, err := process(t, db, objects, now); err != nil {
		t.Fatal(err)
	}
	if got := state(t, db, id); got != Completed {
		t.Errorf("it is %s", got)
	}
}

// TestStoppingFinishesWhatWasBegun: the step's context ends, its work does not.
func TestStoppingFinishesWhatWasBegun(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	id, objects := started(t, db, tenantID)
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	if _, err := Process(ctx, db, objects, readers(), func() time.Time {
		if calls++; calls > 1 {
			stop() // after the claim
		}
		return at
	}, 2, func() {}); err != nil {
		t.Fatal(err)
	}
	if got := state(t, db, id); got != Completed {
		t.Errorf("it is %s", got)
	}
}

// TestClaimsAtOnce: many workers, and each submission is one worker's.
func TestClaimsAtOnce(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	const submissions = 40
	for range submissions {
		submissionIn(t, db, tenantID, Started)
	}
	var mu sync.Mutex
	var workers sync.WaitGroup
	held := map[uuid.UUID]int{}
	for range 8 {
		workers.Go(func() {
			for {
				work, err := claim(t.Context(), db, at, submissions)
				if errors.Is(err, pgx.ErrNoRows) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				held[work.TxID]++
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if len(held) != submissions {
		t.Errorf("%d of %d claimed", len(held), submissions)
	}
	for id, times := range held {
		if times != 1 {
			t.Errorf("%s claimed %d times", id, times)
		}
	}
}

// TestShare: one tenant's documents leave room for another's.
func TestShare(t *testing.T) {
	t.Parallel()
	db, first := tenant(t)
	for range 3 {
		submissionIn(t, db, first, Started)
	}
	for range 2 {
		if _, err := claim(t.Context(), db, at, 2); err != nil {
			t.Fatal(err)
		}
	}
	if work, err := claim(t.Context(), db, at, 2); !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("a third was claimed: %v, %v", work, err)
	}
	if _, err := claim(t.Context(), db, at, 3); err != nil {
		t.Errorf("with a larger share: %v", err)
	}
}
