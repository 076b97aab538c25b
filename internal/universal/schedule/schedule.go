// Package schedule calls a background step when rows are due. It does not know the rows.
package schedule

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// pollInterval is the time between two looks of a background step at the database,
	// which other servers change too.
	pollInterval = 500 * time.Millisecond
	// Lookahead is how far ahead a look reads due times, so that the next look comes
	// before the last of them.
	Lookahead = 2 * pollInterval
	// stepErrorPause is the time before a failed step is repeated.
	stepErrorPause = time.Second
)

// Schedule calls a background step when rows are due. It knows the due times of the near
// future: from the last look at the database, and from the transactions of this server
// since then. So a step looks for due rows only once per pollInterval, but acts at each
// due time. The zero value is ready.
type Schedule struct {
	mu      sync.Mutex
	due     []time.Time   // ascending, without duplicates
	stale   bool          // the next call of the step has to look
	changed chan struct{} // receives after a change; nil until it is used
}

// Add adds due times.
func (s *Schedule) Add(times ...time.Time) {
	if len(times) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range times {
		at = at.Truncate(time.Microsecond) // as PostgreSQL stores it
		if i, known := slices.BinarySearchFunc(s.due, at, time.Time.Compare); !known {
			s.due = slices.Insert(s.due, i, at)
		}
	}
	s.signal()
}

// Look makes the step look at the database at once.
func (s *Schedule) Look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	s.signal()
}

// signal ends the wait of Run. s.mu is held.
func (s *Schedule) signal() {
	select {
	case s.changes() <- struct{}{}:
	default:
	}
}

// changes returns the channel that receives after a change. s.mu is held.
func (s *Schedule) changes() chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{}, 1)
	}
	return s.changed
}

// Take removes the due times up to now and returns how many there were.
func (s *Schedule) Take(now time.Time) (due int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for due < len(s.due) && !s.due[due].After(now) {
		due++
	}
	s.due = slices.Delete(s.due, 0, due)
	return due
}

// takeLook reports whether Look was called since the last call of takeLook.
func (s *Schedule) takeLook() (look bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look, s.stale = s.stale, false
	return look
}

// wait returns the time from now until the next due time, but no more than most, and the
// channel that receives when the due times change.
func (s *Schedule) wait(now time.Time, most time.Duration) (time.Duration, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.due) > 0 {
		most = min(max(s.due[0].Sub(now), 0), most)
	}
	return most, s.changes()
}

// forget removes due times after now that are too far ahead: a later look finds them.
func (s *Schedule) forget(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = slices.DeleteFunc(s.due, func(at time.Time) bool { return at.After(now.Add(Lookahead)) })
}

// Run calls the step at each due time, and with look once per pollInterval, until ctx
// ends. now returns the real time. due is the number of due times that have been reached.
func (s *Schedule) Run(ctx context.Context, name string, now func() time.Time, step func(ctx context.Context, due int, look bool) error) {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	look := true
	for ctx.Err() == nil {
		look = s.takeLook() || look
		if due := s.Take(now()); look || due > 0 {
			if err := step(ctx, due, look); err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "background step failed", "step", name, "err", err)
				select {
				case <-time.After(stepErrorPause):
				case <-ctx.Done():
				}
				look = true
				continue
			}
			look = false
		}
		wait, changed := s.wait(now(), pollInterval)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		case <-poll.C:
			look = true
			s.forget(now())
		}
		timer.Stop()
	}
}
