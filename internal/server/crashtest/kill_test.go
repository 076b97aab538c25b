//go:build linux

package crashtest

import (
	"context"
	"testing"
)

// TestKillsWithAPrivateDatabase kills a server, its private PostgreSQL, the backends of
// that and worker processes.
func TestKillsWithAPrivateDatabase(t *testing.T) {
	t.Parallel()
	n, _ := kills(t)
	r := newRun(t)
	r.startPrivate("data")
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.startClients(ctx)
	first := []fault{{delivering, server}, {parsing, worker}, {atRandom, postmaster}, {movingClock, server}, {parsing, server}, {atRandom, backend}}
	points := []string{atRandom, uploading, triggering, parsing, delivering, delivered, movingClock, makingOne, subscribing, submitting}
	plan := planFor(first, points, server, postmaster, backend)
	plan = append(plan, fault{parsing, worker}, fault{atRandom, worker}, fault{delivering, worker}, fault{movingClock, worker})
	r.inject(max(1, n*2/3), plan)
	r.finish(stop)
}

// TestKillsAtCommits kills two servers that share a database, its backends and its
// PostgreSQL exactly before and after commits.
func TestKillsAtCommits(t *testing.T) {
	t.Parallel()
	n, _ := kills(t)
	r := newRun(t)
	r.startShared(2, (*relay).address)
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.startClients(ctx)
	first := []fault{{afterCommit, server}, {beforeCommit, backend}}
	plan := planFor(first, []string{beforeCommit, afterCommit, beforeResponse}, server, backend)
	plan = append(plan, fault{beforeCommit, postmaster}, fault{afterCommit, postmaster}, fault{delivering, server}, fault{movingClock, server}, fault{parsing, server})
	r.inject(max(1, n-n*2/3), plan)
	r.finish(stop)
}
