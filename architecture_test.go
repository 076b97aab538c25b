// Package understudy_test compares ARCHITECTURE.md with the code.
package understudy_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "understudy.example/"

// goPackage is a package of the module.
type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string // without tests
	Imports    []string // of the package without its tests
}

// name returns the package's name in ARCHITECTURE.md: its path below internal, or
// below the top of the repository.
func (p goPackage) name() string { return shortName(p.ImportPath) }

func shortName(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "internal/")
}

// packages returns the packages of the module that have more than tests.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
}

// architecture returns ARCHITECTURE.md.
func architecture(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// importList returns the names in ARCHITECTURE.md's import list, in its order, and
// the line of each.
func importList(t *testing.T) (names []string, lines map[string]string) {
	t.Helper()
	_, rest, found := strings.Cut(architecture(t), "```imports\n")
	list, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no import list")
	}
	lines = map[string]string{}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
		lines[name] = line
	}
	return names, lines
}

// TestImportListIsTheCode checks that the list has the imports of every package.
func TestImportListIsTheCode(t *testing.T) {
	t.Parallel()
	_, listed := importList(t)
	actual := map[string]string{}
	for _, p := range packages(t) {
		var line strings.Builder
		line.WriteString(p.name() + ":")
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, module) {
				line.WriteString(" " + shortName(imported))
			}
		}
		actual[p.name()] = line.String()
	}
	if diff := cmp.Diff(listed, actual); diff != "" {
		t.Errorf("import list (- ARCHITECTURE.md, + code):\n%s", diff)
	}
}

// TestNoPackageImportsUpward checks that each package imports only packages that the
// import list has below it.
func TestNoPackageImportsUpward(t *testing.T) {
	t.Parallel()
	names, _ := importList(t)
	layer := map[string]int{}
	for i, name := range names {
		if _, twice := layer[name]; twice {
			t.Errorf("the import list has %s twice", name)
		}
		layer[name] = i
	}
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if name := shortName(imported); strings.HasPrefix(imported, module) && layer[name] <= layer[p.name()] {
				t.Errorf("%s imports %s, which the import list does not have below it", p.name(), name)
			}
		}
	}
}

// TestPackagesAreDescribed checks that ARCHITECTURE.md names every package of the
// import list outside the list too.
func TestPackagesAreDescribed(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile("(?s)```imports\n.*?```").ReplaceAllString(architecture(t), "")
	described := map[string]bool{}
	for _, path := range regexp.MustCompile(`[\w./]+(?:\{[\w,]+\})?`).FindAllString(text, -1) {
		parent, children, _ := strings.Cut(strings.TrimSuffix(path, "}"), "{")
		for child := range strings.SplitSeq(children, ",") {
			described[strings.TrimPrefix(parent+child, "internal/")] = true
		}
	}
	names, _ := importList(t)
	for _, name := range names {
		if !described[name] {
			t.Errorf("ARCHITECTURE.md does not say what %s is for", name)
		}
	}
}

// TestPathsExist checks every path in ARCHITECTURE.md.
func TestPathsExist(t *testing.T) {
	t.Parallel()
	paths := regexp.MustCompile("`((?:cmd|internal|examples|migrations|sandbox|bench|docs|tools|\\.ci)/[\\w./-]*)`")
	for _, path := range paths.FindAllStringSubmatch(architecture(t), -1) {
		if _, err := os.Stat(path[1]); err != nil {
			t.Errorf("ARCHITECTURE.md names %v", err)
		}
	}
}

const (
	maxFiles = 30
	maxLines = 4_000
)

// TestPackagesAreSmall checks the size of every package without its tests. extract
// is one pipeline, which many small files share.
func TestPackagesAreSmall(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.name() == "extract" {
			continue
		}
		lines := 0
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(text), "\n")
		}
		if lines > maxLines || len(p.GoFiles) > maxFiles {
			t.Errorf("%s has %d lines in %d files, want at most %d lines and %d files: it is several packages",
				p.name(), lines, len(p.GoFiles), maxLines, maxFiles)
		}
	}
}
