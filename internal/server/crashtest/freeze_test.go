//go:build linux

package crashtest

import (
	"context"
	"syscall"
	"testing"
	"time"
)

const (
	// lease is the time after which another server takes over the work of one that no
	// longer runs.
	lease = 15 * time.Second
	// freezeLimit is the time in which everything that was triggered before a server
	// froze must end at the other one.
	freezeLimit = 2 * lease
)

// TestAFrozenServer freezes one of two servers past its leases, each time at another
// point. Meanwhile, the other server must end all submissions, even if the frozen
// server is in the middle of a transaction. When the frozen server runs again, it must
// not repeat or undo anything.
func TestAFrozenServer(t *testing.T) {
	t.Parallel()
	n, long := kills(t)
	freezes := []fault{{point: beforeCommit, table: "reports"}}
	if long {
		freezes = append(freezes, fault{point: delivering}, fault{point: beforeCommit, table: "deliveries"}, fault{point: afterCommit}, fault{point: atRandom})
		freezes = freezes[:min(len(freezes), 1+n/50)]
	}
	r := newRun(t)
	r.startShared(2, (*relay).address)
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for i, tenant := range r.tenants[:2] { // a clock cannot be advanced past work that a frozen server holds
		r.startClient(ctx, uint64(10+i), tenant, func(c *client, ctx context.Context) { c.submit(ctx, c.newDocument(c.random)) })
	}
	for _, f := range freezes {
		time.Sleep(time.Duration(500+r.random.IntN(500)) * time.Millisecond)
		r.freeze(f.point, f.table)
		r.recover()
	}
	r.finish(stop)
}

// freeze stops a server at the point, and lets it continue when the other one has ended
// all submissions that were triggered before, and the leases are over.
func (r *run) freeze(point, table string) {
	r.t.Helper()
	stopped, proceed, done := make(chan *node, 1), make(chan struct{}), make(chan bool, 1)
	stop := func(at place) {
		if at.node == nil {
			at.node = r.nodes[0]
		}
		at.node.signal(syscall.SIGSTOP)
		r.journal.write(everybody, "--- SIGSTOP of %s %s %s", at.node.name, at.point, at.tables)
		stopped <- at.node
		<-proceed // its connection to the database stays open
	}
	go func() {
		if point == atRandom {
			stop(place{point: atRandom})
			done <- true
			return
		}
		_, happened := r.points.await(pointLimit, stop, point, table)
		done <- happened
	}()
	var frozen *node
	select {
	case frozen = <-stopped:
	case <-done:
		r.tally.miss(point)
		return
	}
	begun := time.Now()
	other := r.nodes[0]
	if other == frozen {
		other = r.nodes[1]
	}
	r.awaitOther(other, begun.Add(freezeLimit))
	took := time.Since(begun)
	time.Sleep(time.Until(begun.Add(lease + time.Second)))
	r.tally.note("frozen %s %s: after %.1f s the other server had ended everything", point, table, took.Seconds())
	r.journal.write(everybody, "--- SIGCONT of %s", frozen.name)
	frozen.signal(syscall.SIGCONT)
	close(proceed)
	<-done
}

// awaitOther waits until the server, which is not frozen, shows that everything triggered
// so far has ended.
func (r *run) awaitOther(other *node, deadline time.Time) {
	var triggered []*submission
	r.lock(func() {
		for _, s := range r.submitted {
			if s.trigger != "" && order[s.status] != 4 {
				triggered = append(triggered, s)
			}
		}
	})
	every(triggered, func(s *submission) {
		c := r.client(s.tenant)
		c.only = other
		for final, ok := false, true; ok && !final; final, ok = c.poll(r.t.Context(), s) {
			if time.Now().After(deadline) {
				r.journal.fail(notEnded, s.txID, "%s is %s %v after a server froze", s.document.filename, s.status, freezeLimit)
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}
