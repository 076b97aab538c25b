package control_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// TestClockListsWhatIsDue lists what happens next, and jumps from one time to the next
// until nothing is left: each time, what was listed first happens.
func TestClockListsWhatIsDue(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, clock: what is due next is listed")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"10s","started":"20s","finished":"30s"}}`)
	tenant.MoveClock(`{"frozen":true}`)
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	unused, _ := tenant.Announce("b.txt")
	fault := tenant.Fault(`{"route":"GET /hooks","expires":"15s"}`)
	tenant.Control("POST /clients/"+tenant.Credentials.ClientID+"/rotate", `{"overlap":"1h"}`).Want(t, http.StatusOK)

	type step struct{ kind, what string }
	var steps []step
	for range 10 {
		due := tenant.Control("GET /clock?due=true", "").Want(t, http.StatusOK).Get(t, "due").([]any)
		if len(due) == 0 {
			break
		}
		next := due[0].(map[string]any)
		text := func(key string) string { value, _ := next[key].(string); return value }
		if id := text("tx_id") + text("fault_id") + text("client_id"); id != txID && id != unused && id != fault && id != tenant.Credentials.ClientID {
			t.Errorf("due: %v", next)
		}
		steps = append(steps, step{text("kind"), text("status") + text("what")})
		effects := tenant.MoveClock(`{"set":"` + text("at") + `"}`)
		if len(effects) == 0 || effects[0].Kind != text("kind") || effects[0].At != text("at") || effects[0].What != text("what") {
			t.Errorf("after the jump to %v: %+v", next, effects)
		}
	}
	want := []step{
		{"state", "Scheduled"}, {"expired", "fault"}, {"state", "Started"}, {"state", ""}, {"expired", "upload_url"}, {"expired", "client_secret"},
	}
	if diff := cmp.Diff(want, steps, cmp.AllowUnexported(step{})); diff != "" {
		t.Errorf("what was due (- want):\n%s", diff)
	}
}
