package sandbox

import (
	"strings"
	"testing"
)

func TestStream(t *testing.T) {
	t.Parallel()
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	s.Token() // causes a first event
	txID, lastCursor := "", ""
	var states []string
	for e := range s.Stream() {
		lastCursor = e.Cursor
		if txID == "" { // submit only once the stream is open
			txID = s.Submit("letter.txt", []byte(letter))
		}
		if e.Kind == "state" && e.TxID == txID {
			states = append(states, e.Name)
		}
		if e.Name == "universal_submit:completed" {
			break
		}
	}
	checkEqual(t, "states", states, []string{
		"universal_submit:submission_in_progress", "universal_submit:scheduled", "universal_submit:started", "universal_submit:completed",
	})
	checkEqual(t, "cursor", lastCursor, s.Await("universal_submit:completed", txID, 0).Cursor)
}

func TestStreamFailureFailsTest(t *testing.T) {
	t.Parallel()
	message := failureOf(t, func(t testing.TB) {
		s := Start(t)
		s.TenantName = "nobody"
		for range s.Stream() {
			t.Error("the stream yielded an event")
		}
	})
	if !strings.Contains(message, "stream: 404 Not Found") {
		t.Errorf("got %q, want it to contain stream: 404 Not Found", message)
	}
}
