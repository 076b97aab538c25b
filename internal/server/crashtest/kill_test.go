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
	first := []fault{
		{point: delivering, victim: server},
		{point: parsing, victim: worker},
		{point: atRandom, victim: postmaster},
		{point: movingClock, victim: server},
		{point: parsing, victim: server},
		{point: atRandom, victim: backend},
	}
	points := []string{atRandom, uploading, triggering, parsing, delivering, delivered, movingClock, makingOne, subscribing, submitting}
	plan := planFor(first, points, server, postmaster, backend)
	plan = append(plan, fault{point: starting, victim: server})
	for _, point := range []string{atRandom, delivering, movingClock} {
		plan = append(plan, fault{point: point, victim: worker})
	}
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
	commits := []string{beforeCommit, afterCommit, beforeResponse}
	first := []fault{{afterCommit, server, "reports"}, {beforeCommit, backend, "submissions"}}
	for _, table := range []string{"tenants", "submissions", "reports", "deliveries", "hooks"} {
		for _, point := range commits {
			first = append(first, fault{point, server, table})
		}
	}
	plan := planFor(first, commits, server, backend, postmaster)
	plan = planFor(plan, []string{delivering, movingClock, parsing}, server)
	r.inject(max(1, n-n*2/3), plan)
	r.finish(stop)
}
