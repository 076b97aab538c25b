//go:build linux

package crashtest

import (
	"context"
	"slices"
	"syscall"
	"time"
)

// fault is the kill of a victim at a point.
type fault struct {
	point  string
	victim victim
	table  string // that the committed transaction must change; "" for any
}

// pointLimit is the time after which a point counts as not reached.
const pointLimit = 20 * time.Second

// inject makes n faults happen, one after another, and lets the servers recover after
// each. It goes through the plan in its order first, and then repeatedly in random order.
func (r *run) inject(n int, plan []fault) {
	r.t.Helper()
	plan = slices.Clone(plan)
	for i := 0; r.tally.total() < n; i++ {
		if i > 0 && i%25 == 0 {
			r.t.Logf("%d of %d kills after %.0f s", r.tally.total(), n, time.Since(r.journal.start).Seconds())
		}
		next := i % len(plan)
		if i > 0 && next == 0 {
			r.random.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
		}
		time.Sleep(time.Duration(r.random.IntN(400)) * time.Millisecond) // so that the clients make progress
		if !r.injectOne(plan[next]) {
			r.tally.miss(plan[next].point)
			if len(r.tally.missed) > 0 && i > 10*n {
				r.t.Fatal("too many points were not reached")
			}
		}
		r.recover()
	}
}

// injectOne makes the fault happen and reports whether it did.
func (r *run) injectOne(f fault) bool {
	happen := func(at place) { r.kill(f.victim, at) }
	switch f.point {
	case atRandom:
		happen(place{point: atRandom})
		return true
	case starting:
		n := r.nodes[0]
		r.kill(server, place{point: starting, node: n})
		n.startAndKill(time.Duration(r.random.IntN(400)) * time.Millisecond)
		r.tally.add(place{point: starting}, server)
		return true
	case parsing:
		times := 1
		if f.victim == worker {
			times = 2 // a third attempt must succeed
		}
		return r.whileParsing(happen, times)
	}
	_, happened := r.points.await(pointLimit, happen, f.point, f.table)
	return happened
}

// whileParsing makes the fault happen the given number of times while worker processes
// parse a long document. It waits until the document has ended, so that no other fault
// kills its worker.
func (r *run) whileParsing(happen func(place), times int) bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &client{run: r, random: r.newRandom(r.random.Uint64()), tenant: r.tenants[0]}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if s, ok := c.submit(ctx, r.longDocument()); ok {
			c.follow(ctx, s)
		}
	}()
	happened := true
	for range times {
		pid := r.awaitBusyWorker(ended)
		if happened = pid != 0; !happened {
			break
		}
		happen(place{point: parsing, pid: pid})
	}
	r.recover()
	select {
	case <-ended:
	case <-time.After(endLimit): // check reports it
		cancel()
		<-ended
	}
	return happened
}

// awaitBusyWorker returns the id of a worker process that has used some CPU time for one
// document, 0 if there is none until ended is closed.
func (r *run) awaitBusyWorker(ended <-chan struct{}) int {
	const enough = 25 // hundredths of a second; other documents and the start of a worker need less
	before := map[int]int{}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, n := range r.nodes {
			for _, w := range n.workers() {
				if first, known := before[w.pid]; !known {
					before[w.pid] = w.ticks
				} else if w.ticks-first >= enough {
					return w.pid
				}
			}
		}
		select {
		case <-ended:
			return 0
		case <-tick.C:
		}
	}
}

// kill kills a victim at the place.
func (r *run) kill(v victim, at place) {
	killed := 0
	switch v {
	case server:
		n := at.node
		if n == nil {
			n = r.nodes[r.documents.Load()%int64(len(r.nodes))]
		}
		r.journal.write(everybody, "--- kill -9 of %s %s %s", n.name, at.point, at.tables)
		n.kill()
		r.tally.add(at, v)
		return
	case postmaster:
		killed = postmasterOf(r.clusterDir)
		r.killedPostmaster = killed
	case backend:
		killed = at.pid
		if killed == 0 || at.point == parsing {
			killed = busiest(backendsOf(r.clusterDir))
		}
	case worker:
		killed = at.pid
		if killed == 0 {
			killed = busiest(r.nodes[0].workers())
		}
	}
	if killed == 0 {
		return
	}
	r.journal.write(everybody, "--- kill -9 of a %s (%d) %s %s", v, killed, at.point, at.tables)
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		return // it has just ended
	}
	r.tally.add(at, v)
}

// busiest returns the id of the process that has used the most CPU time, 0 if there is
// none.
func busiest(processes []process) (pid int) {
	most := -1
	for _, p := range processes {
		if p.ticks > most {
			pid, most = p.pid, p.ticks
		}
	}
	return pid
}

// planFor returns each of the points with each of the victims. The first faults of a
// plan are those of the short form.
func planFor(first []fault, points []string, victims ...victim) []fault {
	plan := slices.Clone(first)
	for _, point := range points {
		for _, v := range victims {
			if f := (fault{point, v, ""}); !slices.Contains(plan, f) {
				plan = append(plan, f)
			}
		}
	}
	return plan
}
