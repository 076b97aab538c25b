package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// failureRecorder is a testing.TB that records its failure messages instead of
// failing.
type failureRecorder struct {
	testing.TB
	ctx      context.Context
	cleanups []func()

	mu      sync.Mutex
	message string
}

func (r *failureRecorder) Helper() {}

func (r *failureRecorder) Context() context.Context { return r.ctx }

func (r *failureRecorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *failureRecorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.message += fmt.Sprintf(format, args...)
}

func (r *failureRecorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// run runs f in a goroutine, and reports whether it returned, without Fatal.
func (r *failureRecorder) run(f func()) (returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
		returned = true
	}()
	<-done
	return returned
}

// messagesOf runs a test to its end, and returns its failure messages.
func messagesOf(t *testing.T, test func(t testing.TB)) string {
	t.Helper()
	message, _ := runTest(t, test)
	return message
}

// failureOf runs a test that must fail by t.Fatal, and returns its failure
// messages.
func failureOf(t *testing.T, test func(t testing.TB)) string {
	t.Helper()
	message, returned := runTest(t, test)
	if returned {
		t.Errorf("the test did not call Fatal")
	}
	return message
}

func runTest(t *testing.T, test func(t testing.TB)) (message string, returned bool) {
	ctx, cancel := context.WithCancel(t.Context())
	recorder := &failureRecorder{TB: t, ctx: ctx}
	returned = recorder.run(func() { test(recorder) })
	cancel()
	for _, cleanup := range slices.Backward(recorder.cleanups) {
		recorder.run(cleanup)
	}
	return recorder.message, returned
}

func TestErrorsFailTheTest(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]func(testing.TB){
		`unknown route "GET /nowhere"`:                            func(t testing.TB) { Start(t).AddFault(Fault{Route: "GET /nowhere"}) },
		"advance: want a duration":                                func(t testing.TB) { Start(t).Advance(-time.Second) },
		"match: want a filename":                                  func(t testing.TB) { Start(t).SetOutcome(Outcome{Status: Failed}) },
		`permissions: unknown permission "all"`:                   func(t testing.TB) { Start(t, WithPermissions("all")) },
		"name: want 1 to 63 lower-case letters":                   func(t testing.TB) { Start(t, WithName("No!")) },
		"404 Not Found":                                           func(t testing.TB) { Start(t).Transaction("none") },
		"within: want a duration":                                 func(t testing.TB) { Start(t).Await("*", "", time.Hour) },
		"no event claims:paid within 1ms; events seen instead:\n": func(t testing.TB) { Start(t).Await("claims:paid", "", time.Millisecond) },
		"upload URL: 403 Forbidden":                               func(t testing.TB) { Start(t, WithPermissions("::data/v2:get")).Submit("a.txt", nil) },
		"token: 503 Service Unavailable": func(t testing.TB) {
			s := Start(t)
			s.AddFault(Fault{Route: "POST /auth/token", Status: 503})
			s.Token()
		},
	} {
		if got := failureOf(t, test); !strings.Contains(got, want) {
			t.Errorf("got %q, want it to contain %q", got, want)
		}
	}
}

func TestAwaitTimeoutShowsEvents(t *testing.T) {
	t.Parallel()
	message := failureOf(t, func(t testing.TB) {
		s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
		txID := s.Submit("letter.fail.txt", []byte(letter))
		s.Await("universal_submit:failed", txID, time.Minute)
		s.Await("universal_submit:completed", txID, time.Millisecond)
	})
	if !strings.Contains(message, "universal_submit:failed") {
		t.Errorf("got %q, want it to contain universal_submit:failed", message)
	}
}

// TestTenantIsKept checks that a test leaves its tenant if the environment says so, as in
// `server exec`.
func TestTenantIsKept(t *testing.T) {
	t.Setenv("UNDERSTUDY_KEEP_TENANTS", "1")
	var s *Sandbox
	t.Run("test", func(t *testing.T) { s = Start(t) })
	response, err := s.server.call(t.Context(), http.MethodDelete, s.tenantPath(""), nil)
	if err != nil || response.Status != http.StatusNoContent {
		t.Errorf("delete the tenant after the test: got %v, %d %s, want 204", err, response.Status, response.Body)
	}
}

// TestTenantIsDeletedWithTest checks that a test leaves no tenant, and that it
// may delete the tenant itself.
func TestTenantIsDeletedWithTest(t *testing.T) {
	t.Setenv("UNDERSTUDY_KEEP_TENANTS", "")
	var s *Sandbox
	t.Run("test", func(t *testing.T) { s = Start(t) })
	got, err := s.server.call(t.Context(), http.MethodGet, s.tenantPath(""), nil)
	if err != nil || got.Status != http.StatusNotFound {
		t.Errorf("read the tenant after the test: got %v, %d %s, want 404", err, got.Status, got.Body)
	}
	t.Run("deleted by the test", func(t *testing.T) {
		s := Start(t, WithName("short-lived"))
		s.callControl(http.MethodDelete, s.tenantPath(""), nil, nil)
	})
}
