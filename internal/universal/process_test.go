package universal

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/worker"
)

// sharedWorkers are used by all tests.
var sharedWorkers = sync.OnceValue(func() *worker.Pool {
	return worker.NewPool(2, 1, worker.Limits{Time: 30 * time.Second, Memory: 512 << 20})
})

// newProcessor returns a processor with the clock.
func newProcessor(t *testing.T, db *pgxpool.Pool, objects storage.Backend, now func() time.Time) *Processor {
	t.Helper()
	store, err := storage.BindStore(t.Context(), db, objects, storagetest.Environment, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Processor{DB: db, Endings: db, Objects: store, Workers: sharedWorkers(), Now: now, Share: 2, Wake: func(Work) {}, Observer: noObserver{}}
}

// processOnce processes a due submission at the given time. It reports whether there was one.
func processOnce(t *testing.T, db *pgxpool.Pool, objects storage.Backend, now time.Time) (found bool, err error) {
	t.Helper()
	return newProcessor(t, db, objects, func() time.Time { return now }).Process(t.Context())
}

// noObserver is an Observer that does nothing.
type noObserver struct{}

func (noObserver) Extracted(time.Duration, string) {}

func (noObserver) Ended(string, string) {}

// TestRepeatedlyInterruptedDocumentFails checks that a document whose processing
// never ends, because its servers vanish, is given up.
func TestRepeatedlyInterruptedDocumentFails(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	id, objects := insertDue(t, db, tenantID)
	now := at
	for attempt := range maxLostAttempts {
		work, err := claimOne(t.Context(), db, now, nil, 1)
		if err != nil || work.Attempt != attempt+1 {
			t.Fatalf("claim %+v, %v", work, err)
		}
		now = now.Add(leaseDuration) // the server vanishes
	}
	if _, err := processOnce(t, db, objects, now); err != nil {
		t.Fatal(err)
	}
	if got, want := statusOf(t, db, id), "Failed: processing was interrupted 50 times"; got != want {
		t.Errorf("status %q, want %q", got, want)
	}
}

// TestOurErrorsAreRetried checks that an error that the document did not cause is
// retried after a pause, however often it occurs.
func TestOurErrorsAreRetried(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	id, objects := insertDue(t, db, tenantID)
	setKey := func(key string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), "update submissions set object_key = $2 where tx_id = $1", id, key); err != nil {
			t.Fatal(err)
		}
	}
	setKey("../a") // the object store refuses it
	now := at
	for range 6 {
		if _, err := processOnce(t, db, objects, now); err == nil {
			t.Fatal("the object store did not fail")
		}
		before := allRows(t, db)
		if found, err := processOnce(t, db, objects, now.Add(errorPause-time.Millisecond)); err != nil || found {
			t.Errorf("before the pause is over: claimed %v, %v", found, err)
		}
		if diff := cmp.Diff(before, allRows(t, db)); diff != "" {
			t.Errorf("rows changed before the pause was over:\n%s", diff)
		}
		now = now.Add(errorPause)
	}
	setKey("acme/a")
	if _, err := processOnce(t, db, objects, now); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, db, id); got != Completed {
		t.Errorf("status %s, want %s", got, Completed)
	}
}

// TestClaimedSubmissionIsFinishedOnStop checks that a submission that has been
// claimed is processed to its end even if the step's context ends.
func TestClaimedSubmissionIsFinishedOnStop(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	id, objects := insertDue(t, db, tenantID)
	ctx, stop := context.WithCancel(t.Context())
	processor := newProcessor(t, db, stopOnOpen{objects, stop}, func() time.Time { return at })
	if _, err := processor.Process(ctx); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Fatal("the file was not opened")
	}
	if got := statusOf(t, db, id); got != Completed {
		t.Errorf("status %s, want %s", got, Completed)
	}
}

// stopOnOpen calls stop when a file of a submission is opened.
type stopOnOpen struct {
	storage.Backend
	stop func()
}

func (o stopOnOpen) Open(ctx context.Context, key string) (storage.Object, error) {
	if strings.Contains(key, "/") {
		o.stop()
	}
	return o.Backend.Open(ctx, key)
}
