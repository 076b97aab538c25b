package understudy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/server/servertest"
)

// TestImports holds ARCHITECTURE.md's import list to what the code imports.
func TestImports(t *testing.T) {
	t.Parallel()
	_, rest, found := strings.Cut(pageOf(t, "ARCHITECTURE.md"), "```imports\n")
	list, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no import list")
	}
	if diff := cmp.Diff(list, imports(t)); diff != "" {
		t.Errorf("ARCHITECTURE.md's import list is not the code's (- page, + code):\n%s", diff)
	}
	// Each package that the list has is told of, by its path, in the page.
	text, _, _ := strings.Cut(pageOf(t, "ARCHITECTURE.md"), "```imports\n")
	for line := range strings.Lines(list) {
		name, _, _ := strings.Cut(line, ":")
		if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`internal/"+name+"`") {
			t.Errorf("ARCHITECTURE.md does not say what %s is for", name)
		}
	}
}

// imports is what each package imports of this module, as the page lists it.
func imports(t *testing.T) string {
	t.Helper()
	command := exec.Command("go", "list", "-f", `{{.ImportPath}}:{{range .Imports}} {{.}}{{end}}`, "./...")
	command.Dir = "../.."
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for line := range strings.Lines(string(out)) {
		name, of, _ := strings.Cut(strings.TrimSpace(line), ":")
		list.WriteString(short(name) + ":")
		for path := range strings.FieldsSeq(of) {
			if strings.HasPrefix(path, "understudy.example/") {
				list.WriteString(" " + short(path))
			}
		}
		list.WriteString("\n")
	}
	return list.String()
}

// TestPaths: every path that ARCHITECTURE.md names is there.
func TestPaths(t *testing.T) {
	t.Parallel()
	for _, path := range regexp.MustCompile("`((?:cmd|internal|examples|migrations|sandbox|\\.ci)/[\\w./-]*)`").FindAllStringSubmatch(pageOf(t, "ARCHITECTURE.md"), -1) {
		if _, err := os.Stat(filepath.Join("../..", path[1])); err != nil {
			t.Errorf("ARCHITECTURE.md names %v", err)
		}
	}
}

// TestTables: ARCHITECTURE.md gives every table and view an owner.
func TestTables(t *testing.T) {
	w := servertest.New(t)
	_, rest, _ := strings.Cut(pageOf(t, "ARCHITECTURE.md"), "## Tables by owner\n")
	owners, _, found := strings.Cut(rest, "\nNo package reads")
	if !found {
		t.Fatal("ARCHITECTURE.md has no list of tables")
	}
	rows, err := w.DB.Query(t.Context(), `
		select table_name
		from information_schema.tables
		where table_schema = current_schema() and table_name <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	for _, table := range tables {
		if !strings.Contains(owners, "`"+table+"`") {
			t.Errorf("ARCHITECTURE.md gives %s no owner", table)
		}
	}
}

// pageOf is a page at the top of the repository.
func pageOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// short is an import path as the page writes it.
func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "understudy.example/"), "internal/")
}
