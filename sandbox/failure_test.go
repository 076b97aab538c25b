package sandbox

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// witness is a test that may fail, and remembers why.
type witness struct {
	testing.TB
	why string
}

func (w *witness) Helper()                         {}
func (w *witness) Errorf(format string, of ...any) { w.why += fmt.Sprintf(format, of...) }
func (w *witness) Fatalf(format string, of ...any) {
	w.Errorf(format, of...)
	runtime.Goexit()
}

// failure runs a test that must fail, and returns why it did.
func failure(t *testing.T, test func(t testing.TB)) string {
	t.Helper()
	w := &witness{TB: t}
	done, survived := make(chan struct{}), false
	go func() {
		defer close(done)
		test(w)
		survived = true
	}()
	<-done
	if survived {
		t.Errorf("it went on")
	}
	return w.why
}

// TestFailures: what can't be done fails the test, and says why.
func TestFailures(t *testing.T) {
	t.Parallel()
	for why, test := range map[string]func(testing.TB){
		`unknown route "GET /nowhere"`:               func(t testing.TB) { Start(t).Fault(Fault{Route: "GET /nowhere"}) },
		"advance: want a duration":                   func(t testing.TB) { Start(t).Advance(-time.Second) },
		"match: want a filename":                     func(t testing.TB) { Start(t).SetOutcome(Outcome{Status: Failed}) },
		`permissions: there is no "all"`:             func(t testing.TB) { Start(t, WithPermissions("all")) },
		"name: want 1 to 63 lower-case letters":      func(t testing.TB) { Start(t, WithName("No!")) },
		"404 Not Found":                              func(t testing.TB) { Start(t).Transaction("none") },
		"within: want a duration":                    func(t testing.TB) { Start(t).Await("*", "", time.Hour) },
		"no claims:paid within 1ms. Seen instead:\n": func(t testing.TB) { Start(t).Await("claims:paid", "", time.Millisecond) },
		"upload address: 403 Forbidden":              func(t testing.TB) { Start(t, WithPermissions("::data/v2:get")).Submit("a.txt", nil) },
		"token: 503 Service Unavailable": func(t testing.TB) {
			s := Start(t)
			s.Fault(Fault{Route: "POST /auth/token", Status: 503})
			s.Token()
		},
	} {
		if said := failure(t, test); !strings.Contains(said, why) {
			t.Errorf("want %s: %s", why, said)
		}
	}
}

// TestAwaitShowsWhatCame: whoever waits in vain learns what happened instead.
func TestAwaitShowsWhatCame(t *testing.T) {
	t.Parallel()
	said := failure(t, func(t testing.TB) {
		s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
		txID := s.Submit("letter.fail.txt", []byte(letter))
		s.Await("universal_submit:failed", txID, time.Minute)
		s.Await("universal_submit:completed", txID, time.Millisecond)
	})
	if !strings.Contains(said, "universal_submit:failed") {
		t.Error(said)
	}
}

// TestDeletedWithTheTest: a test leaves no tenant, and may delete it itself.
func TestDeletedWithTheTest(t *testing.T) {
	t.Parallel()
	var s *Sandbox
	t.Run("test", func(t *testing.T) { s = Start(t) })
	got, err := s.server.call(t.Context(), http.MethodGet, s.path(""), nil)
	if err != nil || got.status != http.StatusNotFound {
		t.Errorf("%v %s", err, got.body)
	}
	t.Run("deletes it", func(t *testing.T) {
		s := Start(t, WithName("short-lived"))
		s.do(http.MethodDelete, s.path(""), nil, nil)
	})
}
