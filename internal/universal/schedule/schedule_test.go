package schedule

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// call is a call of a step.
type call struct {
	After time.Duration // the start
	Due   int
	Look  bool
}

// run runs a schedule for a time. act is called by each call of the step, with its number
// from 1. It returns the calls.
func run(t *testing.T, duration time.Duration, s *Schedule, act func(n int) error) (calls []call) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), duration)
		defer stop()
		begun := time.Now()
		s.Run(ctx, "test", time.Now, func(_ context.Context, due int, look bool) error {
			calls = append(calls, call{time.Since(begun), due, look})
			return act(len(calls))
		})
	})
	return calls
}

// TestStepIsCalledAtDueTimes checks that the step looks once per poll interval, and is
// called at each due time, once for several that have passed.
func TestStepIsCalledAtDueTimes(t *testing.T) {
	var s Schedule
	got := run(t, 1100*time.Millisecond, &s, func(n int) error {
		if n == 1 {
			now := time.Now()
			s.Add(now.Add(700*time.Millisecond), now.Add(200*time.Millisecond), now.Add(200*time.Millisecond), now.Add(-time.Second), now)
			s.Add()
		}
		return nil
	})
	const ms = time.Millisecond
	want := []call{{0, 0, true}, {0, 2, false}, {200 * ms, 1, false}, {500 * ms, 0, true}, {700 * ms, 1, false}, {1000 * ms, 0, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (- want, + got):\n%s", diff)
	}
}

// TestLookDuringAStepIsNotLost checks that the step looks again at once if Look is called
// while it runs, even if it takes due times itself afterwards.
func TestLookDuringAStepIsNotLost(t *testing.T) {
	var s Schedule
	got := run(t, 400*time.Millisecond, &s, func(n int) error {
		if n == 1 {
			s.Look()
			s.Add(time.Now())
			if due := s.Take(time.Now()); due != 1 {
				t.Errorf("%d due, want 1", due)
			}
		}
		return nil
	})
	if diff := cmp.Diff([]call{{0, 0, true}, {0, 0, true}}, got); diff != "" {
		t.Errorf("calls (- want, + got):\n%s", diff)
	}
}

// TestFailedStepIsRepeated checks that a step that fails is repeated after a pause, with a
// look.
func TestFailedStepIsRepeated(t *testing.T) {
	var s Schedule
	got := run(t, 1200*time.Millisecond, &s, func(n int) error {
		if n == 1 {
			return errors.New("unreachable")
		}
		return nil
	})
	if len(got) < 2 || got[0] != (call{0, 0, true}) || got[1] != (call{stepErrorPause, 0, true}) {
		t.Errorf("calls %v, want another one with a look after %s", got, stepErrorPause)
	}
}

// TestFarDueTimesAreForgotten checks that due times that later looks find are not kept.
func TestFarDueTimesAreForgotten(t *testing.T) {
	var s Schedule
	got := run(t, 5*time.Second, &s, func(n int) error {
		if n == 1 {
			s.Add(time.Now().Add(4 * time.Second))
		}
		return nil
	})
	for _, c := range got {
		if !c.Look || c.Due > 0 {
			t.Errorf("call %+v for a forgotten due time", c)
		}
	}
}
