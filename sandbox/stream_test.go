package sandbox

import (
	"strings"
	"testing"
)

func TestStream(t *testing.T) {
	t.Parallel()
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	s.Token() // something to begin with
	txID, last := "", ""
	var states []string
	for e := range s.Stream() {
		last = e.Cursor
		if txID == "" { // the stream is there before what it tells
			txID = s.Submit("letter.txt", []byte(letter))
		}
		if e.Kind == "state" && e.TxID == txID {
			states = append(states, e.Event)
		}
		if e.Event == "universal_submit:completed" {
			break
		}
	}
	equal(t, "states", states, []string{
		"universal_submit:submission_in_progress", "universal_submit:scheduled", "universal_submit:started", "universal_submit:completed",
	})
	equal(t, "cursor", last, s.Await("universal_submit:completed", txID, 0).Cursor)
}

func TestStreamFails(t *testing.T) {
	t.Parallel()
	why := failure(t, func(t testing.TB) {
		s := Start(t)
		s.Tenant = "nobody"
		for range s.Stream() {
			t.Error("an event")
		}
	})
	if !strings.Contains(why, "stream: 404 Not Found") {
		t.Error(why)
	}
}
