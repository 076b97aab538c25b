package universal_test

import (
	"errors"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/universal"
	"understudy.example/internal/worker"
)

// withWorkers is an option: the server has worker processes of its own.
func withWorkers(t *testing.T, limits worker.Limits) func(*servertest.Options) {
	t.Helper()
	pool := worker.NewPool(1, 1, limits)
	t.Cleanup(pool.Close)
	return func(o *servertest.Options) { o.Workers, o.MaxUpload = pool, 64<<20 }
}

// TestStoppedServerReleasesSubmission checks that a submission whose document is
// being extracted when the server stops is released, without an open attempt, and
// that the next server processes it.
func TestStoppedServerReleasesSubmission(t *testing.T) {
	servertest.Slow(t)
	servertest.Proves(t, "Chosen, process: a stop: documents in processing finish or are released")
	s := servertest.New(t, withWorkers(t, worker.Limits{Time: 2 * time.Minute, Memory: 512 << 20}))
	txID := s.Acme().SubmitFile("a.csv", []byte(statementOfValues(20_000)))
	for _, wait := range []time.Duration{500 * time.Millisecond, time.Second} {
		s.Pass(wait)
		if _, err := universal.Advance(t.Context(), s.DB, s.Now()); err != nil {
			t.Fatal(err)
		}
	}
	s.Pass(2 * time.Second)
	processed := make(chan error)
	go func() {
		_, err := s.App.Processor().Process(t.Context())
		processed <- err
	}()
	servertest.Until(t, "the submission is claimed", func() bool {
		return servertest.Value[int](s, "select attempt from submissions where tx_id = $1", txID) == 1
	})
	s.App.Workers.Close()
	if err := <-processed; !errors.Is(err, worker.ErrClosed) {
		t.Fatalf("error %v, want %v", err, worker.ErrClosed)
	}
	status := func() string {
		t.Helper()
		return servertest.Value[string](s, "select status from submissions where tx_id = $1", txID)
	}
	if open := servertest.Value[int](s, "select open_attempts from submissions where tx_id = $1", txID); open != 0 || status() != "Started" {
		t.Errorf("%d open attempts in %s, want none in Started", open, status())
	}
	next := s.App.Processor()
	next.Workers = worker.NewPool(1, 1, worker.Limits{Time: 2 * time.Minute, Memory: 512 << 20})
	t.Cleanup(next.Workers.Close)
	s.Pass(10 * time.Second)
	if _, err := next.Process(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status() != "Completed" {
		t.Errorf("status %s, want Completed", status())
	}
}

// TestWorkerLimits checks that a document that takes too much time or memory
// fails at its first attempt, and that later ones are processed.
func TestWorkerLimits(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: a document that takes too much time or memory fails")
	for name, test := range map[string]struct {
		limits  worker.Limits
		failure string
	}{
		"time":   {worker.Limits{Time: 300 * time.Millisecond, Memory: 512 << 20}, "processing took longer than 300ms"},
		"memory": {worker.Limits{Time: 30 * time.Second, Memory: 64 << 20}, "processing took more than 64 MiB of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t, withWorkers(t, test.limits))
			acme := s.Acme()
			ended := submitToEnd(t, acme, "a.csv", statementOfValues(199_000))
			if ended.Status != "Failed" || ended.Failure != test.failure {
				t.Errorf("status %s, failure %q, want %q", ended.Status, ended.Failure, test.failure)
			}
			if attempts := servertest.Value[int](s, "select attempt from submissions where tx_id = $1", ended.TxID); attempts != 1 {
				t.Errorf("%d attempts, want 1", attempts)
			}
			if later := submitToEnd(t, acme, "b.csv", statementOfValues(3)); later.Status != "Completed" {
				t.Errorf("a later submission: %s, %q", later.Status, later.Failure)
			}
		})
	}
}
