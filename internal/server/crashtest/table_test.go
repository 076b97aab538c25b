//go:build linux

package crashtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// victim is the kind of process that a fault stops.
type victim string

// Victims.
const (
	server     victim = "server"
	postmaster victim = "PostgreSQL"
	backend    victim = "backend"
	worker     victim = "worker"
)

var victims = []victim{server, postmaster, backend, worker}

// tally counts the faults of a run.
type tally struct {
	mu     sync.Mutex
	kills  map[string]map[victim]int // by point
	missed map[string]int            // points that were not reached in time
	tables map[string]bool           // changed by the transactions at whose commits a fault happened
	others []string                  // faults other than kills
}

func (t *tally) add(at place, v victim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kills == nil {
		t.kills, t.tables = map[string]map[victim]int{}, map[string]bool{}
	}
	if t.kills[at.point] == nil {
		t.kills[at.point] = map[victim]int{}
	}
	t.kills[at.point][v]++
	if at.tables != "" {
		t.tables[at.tables] = true
	}
}

func (t *tally) miss(point string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed == nil {
		t.missed = map[string]int{}
	}
	t.missed[point]++
}

// note adds a line about a fault that does not kill a process.
func (t *tally) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.others = append(t.others, fmt.Sprintf(format, args...))
}

// total returns the number of kills.
func (t *tally) total() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, byVictim := range t.kills {
		for _, times := range byVictim {
			n += times
		}
	}
	return n
}

// table returns the figures of the run.
func (r *run) table() string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-46s %s\n", name, fmt.Sprintf(format, args...))
	}
	findings := map[class]int{}
	r.journal.mu.Lock()
	for _, f := range r.journal.findings {
		findings[f.class]++
	}
	counts := maps.Clone(r.journal.counts)
	r.journal.mu.Unlock()

	fmt.Fprintf(&b, "%d kills, seed %d\n", r.tally.total(), r.seed)
	r.tally.mu.Lock()
	if len(r.tally.kills) > 0 {
		fmt.Fprintf(&b, "  %-46s", "")
		for _, v := range victims {
			fmt.Fprintf(&b, "%12s", v)
		}
		b.WriteByte('\n')
		for _, point := range slices.Sorted(maps.Keys(r.tally.kills)) {
			fmt.Fprintf(&b, "  %-46s", point)
			for _, v := range victims {
				fmt.Fprintf(&b, "%12d", r.tally.kills[point][v])
			}
			b.WriteByte('\n')
		}
	}
	for _, point := range slices.Sorted(maps.Keys(r.tally.missed)) {
		row("not reached: "+point, "%d", r.tally.missed[point])
	}
	if len(r.tally.tables) > 0 {
		row("commits of different sets of tables", "%d", len(r.tally.tables))
	}
	for _, line := range r.tally.others {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	r.tally.mu.Unlock()

	row("server starts until ready", "%s", &r.restarts)
	row("recoveries of the database until ready", "%s", &r.recoveries)
	row("until a killed server's processes had ended", "%s", &r.orphanTimes)
	row("calls", "%d acknowledged, %d without a response, %d with 503, %d others", counts["2xx"], counts["no response"], counts["503"], counts["other"])
	good, ended := 0, 0
	for _, s := range r.submitted {
		if s.document.good {
			good++
		}
		if order[s.status] == 4 {
			ended++
		}
	}
	row("submissions", "%d, %d of good documents, %d ended", len(r.submitted), good, ended)
	row("company submits, tenants", "%d, %d", len(r.companies), len(r.tenants)+len(r.disposable))
	deliveries, events := r.receiver.totals()
	row("deliveries", "%d of %d events: %d repeats", deliveries, events, deliveries-events)
	row("uploaded files that nothing refers to", "%d", counts["unused files"])
	row("lost", "%d", findings[lost])
	for _, c := range slices.Sorted(maps.Keys(findings)) {
		if c != lost {
			row("! "+string(c), "%d", findings[c])
		}
	}
	return b.String()
}
