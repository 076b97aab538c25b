//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/extract"
)

// remembering are the limits of worker processes that respond with the names of all
// documents that they have had.
var remembering = Limits{Time: 23 * time.Second, Memory: 512 << 20}

func init() {
	if os.Args[0] == processName && len(os.Args) > 1 && os.Args[1] == remembering.Time.String() {
		var names []string
		work = func(_ context.Context, req request, _ io.ReaderAt) response {
			if req.Name != "probe" {
				names = append(names, req.Name)
			}
			return response{Reason: strings.Join(append([]string{"documents:"}, names...), " ")}
		}
	}
}

// documentsOf has a document of the tenant extracted and returns the names of all
// documents that its worker process has had.
func documentsOf(t *testing.T, tenant string, extractWith func(context.Context, string, string, Document) (*extract.Extraction, error)) []string {
	t.Helper()
	_, err := extractWith(t.Context(), tenant, tenant, strings.NewReader(letter))
	unreadable, ok := errors.AsType[*extract.Unreadable](err)
	if !ok {
		t.Errorf("got %v, want the names of documents", err)
		return nil
	}
	return strings.Fields(unreadable.Reason)[1:]
}

// TestTenantsShareNoProcess checks that no worker process gets documents of two tenants,
// however many tenants there are, and that there are never more processes than the pool
// may have.
func TestTenantsShareNoProcess(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2} {
		p := newPool(t, size, remembering)
		var callers sync.WaitGroup
		for i := range 3 {
			tenant := fmt.Sprint("tenant", i)
			callers.Go(func() {
				for n := range 4 {
					extractWith := p.Extract
					if n == 2 {
						extractWith = p.ExtractFresh
					}
					for _, name := range documentsOf(t, tenant, extractWith) {
						if name != tenant {
							t.Errorf("a worker process had documents of %s and %s", name, tenant)
						}
					}
					if err := p.Probe(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		callers.Wait()
		waitUntil(t, p, func() bool { return len(p.all) <= size && !p.warming })
	}
}

// TestTenantKeepsProcess checks that the documents of one tenant are extracted by the same
// worker process, that another tenant gets an unused one meanwhile, and that unused ones
// replace those of tenants that have no more documents.
func TestTenantKeepsProcess(t *testing.T) {
	t.Parallel()
	p := NewPool(3, 1, remembering)
	t.Cleanup(p.Close)
	oneUnused := func() bool { return p.unused() == 1 && !p.warming }
	waitUntil(t, p, oneUnused)
	for n := 1; n <= 5; n++ {
		for _, tenant := range []string{"acme", "globex"} {
			if names := documentsOf(t, tenant, p.Extract); len(names) != n {
				t.Errorf("%s, document %d: its worker process had %q", tenant, n, names)
			}
			waitUntil(t, p, oneUnused)
		}
	}
	p.mu.Lock()
	if len(p.all) != 3 {
		t.Errorf("got %d worker processes, want one of each tenant and an unused one", len(p.all))
	}
	for _, worker := range p.idle {
		worker.idleSince = worker.idleSince.Add(-idleTimeout)
	}
	p.mu.Unlock()
	p.stopSurplus()
	waitUntil(t, p, func() bool { return len(p.all) == 1 && p.unused() == 1 })
}

// TestSharedPool checks that the tenants of a shared pool use the same worker process, and that a fresh one replaces it.
func TestSharedPool(t *testing.T) {
	t.Parallel()
	p := NewSharedPool(1, 1, remembering)
	t.Cleanup(p.Close)
	waitUntil(t, p, func() bool { return p.unused() == 1 && !p.warming })
	for n, tenant := range []string{"acme", "globex", "initech"} {
		if names := documentsOf(t, tenant, p.Extract); len(names) != n+1 {
			t.Errorf("document %d: its worker process had %q", n+1, names)
		}
		if err := p.Probe(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if names := documentsOf(t, "acme", p.ExtractFresh); len(names) != 1 {
		t.Errorf("a fresh worker process had %q", names)
	}
}
