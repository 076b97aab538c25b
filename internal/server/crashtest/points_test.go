//go:build linux

package crashtest

import (
	"strings"
	"sync"
	"time"
)

// Named points at which a fault can happen, besides those of commitPoints.
const (
	atRandom    = "at random"
	starting    = "while starting"
	parsing     = "while parsing"
	uploading   = "in the middle of an upload"
	delivering  = "in the middle of a delivery"
	delivered   = "after a delivery's response"
	triggering  = "while triggering"
	movingClock = "while advancing a clock"
	makingOne   = "while making a tenant"
	subscribing = "while changing a subscription"
	submitting  = "while submitting a company"
)

// Points in a transaction. At the first two, the server does not know whether it was
// committed.
const (
	beforeCommit   = "before a commit"
	afterCommit    = "after a commit, before PostgreSQL responds"
	beforeResponse = "after PostgreSQL's response, before ours"
)

// place is where a run reached a point. Its fields are zero where they do not apply.
type place struct {
	point  string
	node   *node  // whose connection to the database it is
	pid    int    // of the backend at the other end of that connection, or of the worker process that parses
	tables string // that the transaction changes
}

// points makes faults happen at named points. The zero value is ready.
type points struct {
	mu    sync.Mutex
	armed *armed
}

// armed is a fault that waits for a point.
type armed struct {
	point  string
	table  string // that the transaction must change; "" for any
	happen func(place)
	done   chan place // receives the place after the fault has happened
}

// await makes the fault happen when the run reaches the point, and returns where it
// happened. At a point in a transaction, the transaction must change the table, unless
// that is "". It returns false if that takes longer than the timeout.
func (p *points) await(timeout time.Duration, happen func(place), point, table string) (place, bool) {
	a := &armed{point, table, happen, make(chan place, 1)}
	p.mu.Lock()
	p.armed = a
	p.mu.Unlock()
	select {
	case at := <-a.done:
		return at, true
	case <-time.After(timeout):
	}
	p.mu.Lock()
	waiting := p.armed == a
	p.armed = nil
	p.mu.Unlock()
	if waiting {
		return place{}, false
	}
	return <-a.done, true // it is just happening
}

// wants reports whether a fault waits for the point.
func (p *points) wants(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.armed != nil && p.armed.point == name
}

// reached makes the fault happen that waits for the point, and reports whether there
// was one.
func (p *points) reached(at place) bool {
	p.mu.Lock()
	a := p.armed
	if a == nil || a.point != at.point || !strings.Contains(at.tables, a.table) {
		p.mu.Unlock()
		return false
	}
	p.armed = nil
	p.mu.Unlock()
	a.happen(at)
	a.done <- at
	return true
}
