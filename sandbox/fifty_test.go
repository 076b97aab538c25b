package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy.example/sandbox"
)

// TestFifty runs fifty tests in parallel on one server.
func TestFifty(t *testing.T) {
	if testing.Short() {
		t.Skip("the other tests also run in parallel")
	}
	for n := range 50 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.NoFindings())
			receiver := s.Receiver(sandbox.ReceiverOptions{})
			want, event := "Completed", "universal_submit:completed"
			if n%2 == 1 {
				want, event = "Failed", "universal_submit:failed"
				s.SetOutcome(sandbox.Outcome{Match: sandbox.Match{Filename: "letter*"}, Status: sandbox.Failed})
			}
			txID := s.Submit(fmt.Sprintf("letter%d.txt", n), []byte("Insured: Foxglove Bakery LLC"))
			s.Advance(time.Minute)
			if got := string(s.Transaction(txID).Status); got != want {
				t.Errorf("status %s, want %s", got, want)
			}
			if got := receiver.Wait(event, time.Minute).Data; !strings.Contains(string(got), txID) {
				t.Errorf("webhook with %s, want %s", got, txID)
			}
		})
	}
}
