package sandbox

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// failureRecorder is a testing.TB that records its failure messages instead of
// failing.
type failureRecorder struct {
	testing.TB
	message string
}

func (r *failureRecorder) Helper() {}

func (r *failureRecorder) Errorf(format string, args ...any) {
	r.message += fmt.Sprintf(format, args...)
}

func (r *failureRecorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failureOf runs a test that must fail by t.Fatal, and returns its failure
// messages.
func failureOf(t *testing.T, test func(t testing.TB)) string {
	t.Helper()
	recorder := &failureRecorder{TB: t}
	done, returned := make(chan struct{}), false
	go func() {
		defer close(done)
		test(recorder)
		returned = true
	}()
	<-done
	if returned {
		t.Errorf("the test did not call Fatal")
	}
	return recorder.message
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

// TestTenantIsDeletedWithTest checks that a test leaves no tenant, and that it
// may delete the tenant itself.
func TestTenantIsDeletedWithTest(t *testing.T) {
	t.Parallel()
	var s *Sandbox
	t.Run("test", func(t *testing.T) { s = Start(t) })
	got, err := s.server.call(t.Context(), http.MethodGet, s.tenantPath(""), nil)
	if err != nil || got.status != http.StatusNotFound {
		t.Errorf("read the tenant after the test: got %v, %d %s, want 404", err, got.status, got.body)
	}
	t.Run("deleted by the test", func(t *testing.T) {
		s := Start(t, WithName("short-lived"))
		s.callControl(http.MethodDelete, s.tenantPath(""), nil, nil)
	})
}
