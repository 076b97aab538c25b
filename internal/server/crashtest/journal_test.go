//go:build linux

package crashtest

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// journal records what the clients and the receiver of a run have seen. It is safe for
// concurrent use.
type journal struct {
	mu       sync.Mutex
	start    time.Time
	entries  []entry
	findings []finding
	counts   map[string]int // for the table
}

// entry is a call, a delivery or a fault.
type entry struct {
	at   time.Duration // since the start
	key  string        // the transaction, tenant or subscription that it is about; "" for none
	text string

	times int // number of times that it was repeated immediately
}

// everybody is the key of a fault, which may affect every object.
const everybody = "*"

// class is the kind of a finding.
type class string

// Classes of findings.
const (
	lost        class = "something acknowledged was lost"
	backward    class = "a status went back"
	goodFailed  class = "a good document failed"
	notEnded    class = "a submission did not end"
	wrongEvent  class = "wrong events"
	badResponse class = "a response that no fault explains"
	remains     class = "a killed process left something behind"
	noRecovery  class = "no recovery"
)

// finding is a violation of the contract.
type finding struct {
	class class
	key   string
	text  string
}

func newJournal() *journal { return &journal{start: time.Now(), counts: map[string]int{}} }

// write adds an entry.
func (j *journal) write(key, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry{at: time.Since(j.start), key: key, text: fmt.Sprintf(format, args...)})
}

// count adds one to a number of the table.
func (j *journal) count(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[name]++
}

// fail adds a finding about the key.
func (j *journal) fail(c class, key, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry{at: time.Since(j.start), key: key, text: "! " + text})
	j.findings = append(j.findings, finding{c, key, text})
}

// Limits of what report prints.
const (
	shownFindings = 5  // of each class
	shownEntries  = 40 // of each finding
)

// report returns the findings as text, each with its part of the journal. It returns "" if
// there are none.
func (j *journal) report() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var b strings.Builder
	shown := map[class]int{}
	for _, f := range j.findings {
		if shown[f.class]++; shown[f.class] > shownFindings {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s\n", f.class, f.text)
		about := j.about(f.key)
		if skipped := len(about) - shownEntries; skipped > 0 {
			fmt.Fprintf(&b, "    … %d entries\n", skipped)
			about = about[skipped:]
		}
		for _, e := range about {
			fmt.Fprintf(&b, "    %8.3f s  %s", e.at.Seconds(), e.text)
			if e.times > 0 {
				fmt.Fprintf(&b, " (%d times)", e.times+1)
			}
			b.WriteByte('\n')
		}
	}
	for c, n := range shown {
		if n > shownFindings {
			fmt.Fprintf(&b, "\n%s: %d more\n", c, n-shownFindings)
		}
	}
	return b.String()
}

// about returns the entries about the key, with the faults that happened in between.
func (j *journal) about(key string) []entry {
	if key == "" {
		return nil
	}
	var about []entry
	last := 0
	for _, e := range j.entries {
		if n := len(about); e.key == key && n > 0 && about[n-1].text == e.text {
			about[n-1].times++ // the same status again
		} else if e.key == key {
			last = n + 1
			about = append(about, e)
		} else if e.key == everybody && last > 0 {
			about = append(about, e)
		}
	}
	return about[:last]
}
