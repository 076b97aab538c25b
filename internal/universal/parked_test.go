package universal_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// takeAway moves the directory of the server's object store, and returns a function
// that moves it back.
func takeAway(s *servertest.Server) (bringBack func()) {
	s.T.Helper()
	dir := filepath.Join(s.Files, "objects")
	move := func(from, to string) {
		s.T.Helper()
		if err := os.Rename(from, to); err != nil {
			s.T.Fatal(err)
		}
	}
	move(dir, dir+".away")
	return func() {
		s.T.Helper()
		move(dir+".away", dir)
	}
}

// waiting returns the number of submissions that wait for the object store.
func waiting(s *servertest.Server) int {
	s.T.Helper()
	return servertest.Value[int](s, "select count(*) from submissions where parked and open_attempts = 0")
}

// TestSubmissionWaitsForTheObjectStore checks that a submission whose file cannot be read
// because the store is away is processed once it is back, and that no clock waits for it.
func TestSubmissionWaitsForTheObjectStore(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	var txIDs []string
	for range 5 { // more than are processed at a time
		txIDs = append(txIDs, acme.SubmitFile("a.txt", servertest.Letter))
	}
	s.Pass(500 * time.Millisecond)
	s.Work()
	bringBack := takeAway(s)
	s.Settle()
	for range 3 {
		s.Pass(time.Minute)
		s.Work()
		if n := waiting(s); n != 5 {
			t.Fatalf("%d submissions wait, want 5", n)
		}
	}
	if got := acme.Status(txIDs[0]).Text(t, "status"); got != "Started" {
		t.Errorf("status %s, want Started", got)
	}
	begun := time.Now()
	s.Control("POST /tenants/acme/clock", `{"advance":"12h"}`).Want(t, http.StatusOK)
	s.Control("POST /tenants/acme/clock", `{"frozen":true}`).Want(t, http.StatusOK)
	s.Control("POST /tenants/acme/clock", `{"advance":"12h"}`).Want(t, http.StatusOK)
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("the clock waited for %v", took)
	}
	if n := waiting(s); n != 5 {
		t.Fatalf("%d submissions wait, want 5: the wait is real time", n)
	}
	bringBack()
	s.Work()
	acme = s.Acme() // the token has expired
	for _, txID := range txIDs {
		if got := acme.Status(txID).Text(t, "status"); got != "Completed" {
			t.Errorf("status %s, want Completed", got)
		}
	}
}

// TestStoreThatStaysAwayFailsSubmissions checks that a submission fails after it has
// waited for the object store for 15 minutes of real time, and at once if the store is
// there without its file.
func TestStoreThatStaysAwayFailsSubmissions(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	fails := func(txID, reason string) {
		t.Helper()
		s.Work()
		if got := servertest.Value[string](s, "select coalesce(failure, status) from submissions where tx_id = $1", txID); got != reason {
			t.Errorf("got %q, want %q", got, reason)
		}
	}
	waits := tenant.SubmitFile("a.txt", servertest.Letter)
	gone := tenant.SubmitFile("b.txt", servertest.Letter)
	if err := s.App.Objects.Delete(t.Context(), servertest.Value[string](s, "select object_key from submissions where tx_id = $1", gone)); err != nil {
		t.Fatal(err)
	}
	bringBack := takeAway(s)
	s.Work() // one state at a time
	fails(waits, "Started")
	s.Pass(15*time.Minute - time.Microsecond)
	fails(waits, "Started")
	if n := waiting(s); n != 2 {
		t.Errorf("%d submissions wait, want 2", n)
	}
	s.Pass(time.Microsecond)
	s.Exec("update submissions set store_away_since = store_away_since + interval '1 h' where tx_id = $1", gone)
	fails(waits, "the object store was not available for 15 minutes")
	bringBack()
	fails(gone, "the uploaded file is missing")
}

// TestPollsDoNotWaitForTheObjectStore checks that with the pacing polls, the poll that
// makes the end due does not wait for a file that cannot be read.
func TestPollsDoNotWaitForTheObjectStore(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"polls","per_state":1}}`)
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	bringBack := takeAway(s)
	servertest.Until(t, "the submission waits for the object store", func() bool {
		begun := time.Now()
		tenant.Status(txID)
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("a poll took %v", took)
		}
		return waiting(s) == 1
	})
	bringBack()
	tenant.AwaitStatus(txID, "Completed")
}

// TestUnreadableFileWaitsForTheObjectStore checks the errors with which a file system
// fails to open a file or to read from it.
func TestUnreadableFileWaitsForTheObjectStore(t *testing.T) {
	for name, failing := range map[string]func(storage.Backend, string) (storage.Object, error){
		"input/output error": func(storage.Backend, string) (storage.Object, error) {
			return nil, &os.PathError{Op: "open", Path: "a", Err: syscall.EIO}
		},
		"stale file handle": func(storage.Backend, string) (storage.Object, error) {
			return nil, &os.PathError{Op: "open", Path: "a", Err: syscall.ESTALE}
		},
		"permission": func(storage.Backend, string) (storage.Object, error) { return nil, os.ErrPermission },
		"error while the file is read": func(storage.Backend, string) (storage.Object, error) {
			f, err := os.CreateTemp("", "write-only-")
			if err != nil {
				return nil, err
			}
			defer os.Remove(f.Name())
			f.Close()
			if f, err = os.OpenFile(f.Name(), os.O_WRONLY, 0); err != nil { // reading fails with EBADF
				return nil, err
			}
			return sizedFile{f}, nil
		},
		"error while a remote object is read": func(storage.Backend, string) (storage.Object, error) { return brokenObject{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			failOpen := &failingBackend{open: failing}
			s := servertest.New(t, func(o *servertest.Options) {
				failOpen.Backend = o.Objects.Backend
				o.Objects.Backend = failOpen
			})
			tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
			failOpen.active = false
			txID := tenant.SubmitFile("a.txt", servertest.Letter)
			failOpen.active = true
			s.Work()
			s.Work()
			if n := waiting(s); n != 1 {
				t.Fatalf("%d submissions wait, want 1: %s", n, tenant.Status(txID).Body)
			}
			failOpen.active = false
			s.Work()
			if got := tenant.Status(txID).Text(t, "status"); got != "Completed" {
				t.Errorf("status %s, want Completed", got)
			}
		})
	}
}

// failingBackend opens files of submissions with another function while it is active.
type failingBackend struct {
	storage.Backend
	active bool
	open   func(storage.Backend, string) (storage.Object, error)
}

func (b *failingBackend) Open(ctx context.Context, key string) (storage.Object, error) {
	if b.active && strings.Contains(key, "/") {
		return b.open(b.Backend, key)
	}
	return b.Backend.Open(ctx, key)
}

type sizedFile struct{ *os.File }

func (sizedFile) Size() int64 { return int64(len(servertest.Letter)) }

// brokenObject is an object that is not a file and cannot be read.
type brokenObject struct{}

func (brokenObject) ReadAt([]byte, int64) (int, error) { return 0, syscall.ECONNRESET }
func (brokenObject) Size() int64                       { return int64(len(servertest.Letter)) }
func (brokenObject) Close() error                      { return nil }

// TestFileOfAnotherSizeIsNotProcessed checks that a submission waits if the object store
// returns less than was uploaded, and is processed once it returns everything.
func TestFileOfAnotherSizeIsNotProcessed(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	key := servertest.Value[string](s, "select object_key from submissions where tx_id = $1", txID)
	put := func(content []byte) {
		t.Helper()
		if err := s.App.Objects.Put(t.Context(), key, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	put(servertest.Letter[:100])
	s.Settle()
	if n := waiting(s); n != 1 {
		t.Errorf("%d submissions wait, want 1", n)
	}
	put(servertest.Letter)
	s.Pass(time.Minute)
	s.Settle()
	if got := tenant.Status(txID).Text(t, "status"); got != "Completed" {
		t.Errorf("status %s, want Completed", got)
	}
}

// TestDamagedFilesAreTriedInTurn checks that of many submissions whose files cannot be read,
// though the store is available, only some are tried at once.
func TestDamagedFilesAreTriedInTurn(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	const damaged = 40
	for range damaged {
		tenant.SubmitFile("a.txt", servertest.Letter)
	}
	for path := range s.StoredFiles() {
		if err := os.Truncate(path, 10); err != nil {
			t.Fatal(err)
		}
	}
	s.Work()
	if n := waiting(s); n != damaged {
		t.Fatalf("%d submissions wait, want %d", n, damaged)
	}
	s.Pass(time.Second)
	if _, err := s.App.Processor().Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := waiting(s); n != damaged-25 {
		t.Errorf("%d submissions wait after one call, want %d", n, damaged-25)
	}
}

// TestReadableFilesAreResumedFaster checks that each call makes more submissions due as long as
// none of them has to wait again, and that the number is small again after one had to.
func TestReadableFilesAreResumedFaster(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	tenant.SubmitFile("a.txt", servertest.Letter)
	s.Exec(`
		insert into submissions
		select (jsonb_populate_record(s, jsonb_build_object('tx_id', gen_random_uuid(), 'object_key', n::text))).*
		from submissions s
		cross join generate_series(1, 199) n`)
	s.Exec("update submissions set parked = true, store_away_since = $1", s.Now())
	for _, want := range []int{175, 125, 25, 60} {
		if _, err := s.App.Processor().Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := waiting(s); n != want {
			t.Errorf("%d submissions wait, want %d", n, want)
		}
		if want == 25 {
			s.Exec("update submissions set parked = true where tx_id in (select tx_id from submissions where not parked limit 60)")
		}
	}
}

// TestFileThatStaysDifferentIsReadLessOften checks that a file whose content stays different from
// the upload is read after longer and longer pauses, and that the failure says so.
func TestFileThatStaysDifferentIsReadLessOften(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	for path := range s.StoredFiles() {
		if err := os.Truncate(path, 10); err != nil {
			t.Fatal(err)
		}
	}
	for range 16 * 60 {
		s.Work()
		s.Pass(time.Second)
	}
	if n := servertest.Value[int](s, "select attempt from submissions where tx_id = $1", txID); n < 15 || n > 25 {
		t.Errorf("%d attempts, want about 20", n)
	}
	const want = "the object store did not return the uploaded content for 15 minutes"
	if got := servertest.Value[string](s, "select coalesce(failure, status) from submissions where tx_id = $1", txID); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
