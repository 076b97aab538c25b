package universal_test

import (
	"context"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// forgetful is a store other than a directory that can respond that a submission's file does not
// exist.
type forgetful struct {
	storage.Backend
	forgets *atomic.Bool
}

func (forgetful) IsFileSystem() bool { return false }

func (f forgetful) Open(ctx context.Context, key string) (storage.Object, error) {
	if f.forgets.Load() && strings.Contains(key, "/") {
		return nil, fs.ErrNotExist
	}
	return f.Backend.Open(ctx, key)
}

// TestFileThatTheStoreLosesForAWhile checks that a submission waits if a store other than a directory
// responds that it has no such object, and fails if the file is still missing after 15 minutes.
func TestFileThatTheStoreLosesForAWhile(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	store := forgetful{s.App.Objects.Backend, new(atomic.Bool)}
	s.App.Objects.Backend = store
	ends := func(txID, want string) {
		t.Helper()
		s.Work()
		if got := servertest.Value[string](s, "select coalesce(failure, status) from submissions where tx_id = $1", txID); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	returned := tenant.SubmitFile("a.txt", servertest.Letter)
	store.forgets.Store(true)
	s.Work()
	ends(returned, "Started")
	store.forgets.Store(false)
	s.Pass(time.Minute)
	ends(returned, "Completed")

	lost := tenant.SubmitFile("b.txt", servertest.Letter)
	store.forgets.Store(true)
	s.Work()
	ends(lost, "Started")
	s.Pass(15 * time.Minute)
	s.Work()
	ends(lost, "the uploaded file is missing")
}
