package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestImports holds ARCHITECTURE.md's import list to what the code imports.
func TestImports(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```imports\n")
	list, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no import list")
	}
	command := exec.Command("go", "list", "-f", `{{.ImportPath}}:{{range .Imports}} {{.}}{{end}}`, "./...")
	command.Dir = "../.."
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var imports strings.Builder
	for line := range strings.Lines(string(out)) {
		name, of, _ := strings.Cut(strings.TrimSpace(line), ":")
		imports.WriteString(short(name) + ":")
		for path := range strings.FieldsSeq(of) {
			if strings.HasPrefix(path, "understudy/") {
				imports.WriteString(" " + short(path))
			}
		}
		imports.WriteString("\n")
	}
	if diff := cmp.Diff(list, imports.String()); diff != "" {
		t.Errorf("ARCHITECTURE.md's import list is not the code's (- page, + code):\n%s", diff)
	}
}

// short is an import path as the page writes it.
func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "understudy/"), "internal/")
}
