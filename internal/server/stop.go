package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

const (
	// stopTimeout is the maximum time that a stop takes: a stopping server first waits
	// for the stop delay, and then for requests and processing in flight.
	stopTimeout = 20 * time.Second
	// ephemeralStopTimeout is for work in flight in an ephemeral server, whose results are
	// deleted. The user of the server, such as a test suite, waits for them.
	ephemeralStopTimeout = 2 * time.Second
	// maxStopDelay leaves the other half of stopTimeout to requests in flight.
	maxStopDelay = stopTimeout / 2
	// sharedStopDelay is the default stop delay of a shared deployment. It is enough for
	// load balancers that check every second and need two or three failures.
	sharedStopDelay = 5 * time.Second
)

// StopFlags configure how the server stops.
type StopFlags struct {
	StopDelay *time.Duration `env:"STOP_DELAY" help:"How long a stopping server accepts calls after /readyz has started to return 503, so that load balancers can stop sending calls to it. At most 10s. If not set, it is 0 in the profile local and 5s in uat."`
}

// check returns an error if the delay is out of range.
func (f StopFlags) check() error {
	if f.StopDelay != nil && (*f.StopDelay < 0 || *f.StopDelay > maxStopDelay) {
		return fmt.Errorf("STOP_DELAY is %s: want 0 to %s", *f.StopDelay, maxStopDelay)
	}
	return nil
}

// stopDelay returns how long the server accepts calls after /readyz has turned 503.
func (c *Config) stopDelay() time.Duration {
	switch {
	case c.StopDelay != nil:
		return *c.StopDelay
	case c.uat():
		return sharedStopDelay
	}
	return 0
}

// drainTimeout returns how long the server waits for work in flight, after the delay.
func (c *Config) drainTimeout() time.Duration {
	if c.Ephemeral {
		return ephemeralStopTimeout
	}
	return stopTimeout - c.stopDelay()
}

// awaitStop waits until ctx ends or a listener fails. If ctx ends, the server is no
// longer ready, but accepts calls for the duration of the delay.
func (a *App) awaitStop(ctx context.Context, failed <-chan error, delay time.Duration) error {
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	slog.Info("stopping")
	a.Requests.Announce()
	select {
	case err := <-failed:
		return err
	case <-time.After(delay):
		return nil
	}
}

// drain ends the app's work, within the time that ctx allows: first calls that wait
// for events, then requests, then background work, which requests may wait for.
// Documents that are still being processed after three quarters of that time are
// released for another server.
func (a *App) drain(ctx context.Context, stopWorking context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	allowed := time.Until(deadline)
	release := time.AfterFunc(allowed*3/4, a.Workers.Close)
	defer release.Stop()
	a.Feed.Close()
	defer a.Journal.Close(ctx)
	drained := a.Requests.Stop()
	select {
	case <-drained:
	case <-time.After(allowed / 2):
	}
	stopWorking()
	select {
	case <-drained:
	case <-ctx.Done():
	}
	a.WaitBackground(ctx)
}
