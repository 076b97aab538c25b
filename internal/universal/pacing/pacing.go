// Package pacing determines how long submissions wait before each state, from the tenant's settings.
package pacing

import (
	"strings"
	"time"

	"understudy.example/internal/auth"
)

// Times is how long a submission waits before each state, or how many status
// polls it takes to leave a state.
type Times struct {
	Scheduled, Started, Finished time.Duration

	PerState *int // status polls in each state; nil = the clock moves the submission
}

// For returns the pacing of a file. With `.slow.` in its name it is ten
// times as long.
func For(settings auth.Pacing, filename string) Times {
	factor := 1
	if strings.Contains(filename, ".slow.") {
		factor = 10
	}
	switch settings.Mode {
	case "immediate":
		return Times{}
	case "polls":
		perState := factor * max(1, settings.PerState)
		return Times{PerState: &perState}
	}
	return Times{
		Scheduled: time.Duration(factor) * parseWait(settings.Scheduled, 500*time.Millisecond),
		Started:   time.Duration(factor) * parseWait(settings.Started, time.Second),
		Finished:  time.Duration(factor) * parseWait(settings.Finished, 2*time.Second),
	}
}

// parseWait parses a wait from the settings, which were validated when they were
// set; "" is the default.
func parseWait(text string, defaultWait time.Duration) time.Duration {
	if wait, err := time.ParseDuration(text); err == nil {
		return wait
	}
	return defaultWait
}
