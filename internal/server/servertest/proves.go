package servertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// proved are the sentences that tests of this process have recorded.
var proved sync.Map // name of a sentence → true

// Proves records that the test checks the sentences of the specification, each
// in the form "Section: sentence". It counts if the test passes. Main fails when
// a sentence that the table expects of the package was not recorded.
func Proves(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if !slices.ContainsFunc(sentences(), func(s sentence) bool { return s.name == name }) {
			t.Fatalf("the table of sentences has no %q", name)
		}
	}
	t.Cleanup(func() {
		if t.Failed() || t.Skipped() {
			return
		}
		for _, name := range names {
			proved.Store(name, true)
		}
	})
}

// checkProved compares the sentences that tests have recorded with those that
// the table expects of the package.
func checkProved(pkg string, recorded map[string]bool) error {
	expected := map[string]bool{}
	for _, s := range sentences() {
		if slices.Contains(s.packages, pkg) {
			expected[s.name] = true
		}
	}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if !recorded[name] {
			faults = append(faults, fmt.Sprintf("no test of internal/%s proves %q", pkg, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		if !expected[name] {
			faults = append(faults, fmt.Sprintf("a test of internal/%s proves %q: add the package to the table of sentences", pkg, name))
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return nil
}
