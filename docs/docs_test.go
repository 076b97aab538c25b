package docs_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notOfAnchor is what a heading's address leaves out.
var notOfAnchor = regexp.MustCompile(`[^a-z0-9 -]`)

// TestReadmeContents holds README's table of contents to its sections, and its
// links to what is there.
func TestReadmeContents(t *testing.T) {
	t.Parallel()
	readme := pageOf(t, "README.md")
	_, rest, _ := strings.Cut(readme, "\n## Contents\n")
	list, rest, found := strings.Cut(rest, "\n## ")
	if !found {
		t.Fatal("README has no table of contents")
	}
	var listed, sections []string
	for _, entry := range regexp.MustCompile(`(?m)^- \[(.+?)\]`).FindAllStringSubmatch(list, -1) {
		listed = append(listed, entry[1])
	}
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^(##+) (.+)$`).FindAllStringSubmatch("## "+rest, -1) {
		if heading[1] == "##" {
			sections = append(sections, heading[2])
		}
		anchors["#"+strings.ReplaceAll(notOfAnchor.ReplaceAllString(strings.ToLower(heading[2]), ""), " ", "-")] = true
	}
	if diff := cmp.Diff(sections, listed); diff != "" {
		t.Errorf("README's contents are not its sections (- sections, + contents):\n%s", diff)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(readme, -1) {
		switch target := link[1]; {
		case strings.HasPrefix(target, "https://"):
		case strings.HasPrefix(target, "#"):
			if !anchors[target] {
				t.Errorf("README links to %s: no heading has that name", target)
			}
		default:
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("README links to a file that is not there: %v", err)
			}
		}
	}
}

// TestReadmeFlags: README's table has each flag of the server with its variable
// and its default, and no other.
func TestReadmeFlags(t *testing.T) {
	t.Parallel()
	var flags, listed []string
	for field := range reflect.TypeFor[Config]().Fields() {
		variable, standard := field.Tag.Get("env"), field.Tag.Get("default")
		flag := "--" + strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(field.Name, "$1-$2"))
		flags = append(flags, flag+" "+variable+" "+standard)
	}
	row := regexp.MustCompile("(?m)^\\| `(--[a-z-]+)` \\| `([A-Z_]+)` \\| (?:`([^`]*)`|off|) *\\|")
	for _, cells := range row.FindAllStringSubmatch(pageOf(t, "README.md"), -1) {
		listed = append(listed, cells[1]+" "+cells[2]+" "+cells[3])
	}
	if diff := cmp.Diff(flags, listed); diff != "" {
		t.Errorf("README's flags are not the server's (- server, + page):\n%s", diff)
	}
}
