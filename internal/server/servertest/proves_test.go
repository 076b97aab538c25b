package servertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSentences: names are unique, and every package that must prove a sentence
// has tests that call Main.
func TestSentences(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sentences() {
		if seen[s.name] {
			t.Errorf("%q is there twice", s.name)
		}
		seen[s.name] = true
		if len(s.packages) == 0 {
			t.Errorf("no package proves %q", s.name)
		}
		for _, pkg := range s.packages {
			if !callsMain(t, filepath.Join(Root(t), "internal", pkg)) {
				t.Errorf("%q: no TestMain of internal/%s calls servertest.Main", s.name, pkg)
			}
		}
	}
}

func callsMain(t *testing.T, dir string) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "servertest.Main(m)") {
			return true
		}
	}
	return false
}

func TestCheckProved(t *testing.T) {
	all := func() map[string]bool {
		recorded := map[string]bool{}
		for _, s := range sentences() {
			for _, pkg := range s.packages {
				if pkg == "hooks" {
					recorded[s.name] = true
				}
			}
		}
		return recorded
	}
	if len(all()) == 0 {
		t.Fatal("hooks proves nothing")
	}
	if err := checkProved("hooks", all()); err != nil {
		t.Error(err)
	}
	missing := all()
	for name := range missing {
		delete(missing, name)
		break
	}
	if err := checkProved("hooks", missing); err == nil || !strings.HasPrefix(err.Error(), "no test of internal/hooks proves") {
		t.Errorf("error %v for a missing sentence", err)
	}
	surplus := all()
	surplus["Access token response: scope"] = true
	if err := checkProved("hooks", surplus); err == nil || !strings.Contains(err.Error(), "add the package") {
		t.Errorf("error %v for a sentence of another package", err)
	}
}
