// Package docs_test compares README.md and the pages of this directory with the
// repository: their contents, their links and the table of flags.
package docs_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server"
)

// page is a page in Markdown.
type page struct {
	path     string // from the top of the repository
	text     string // without blocks of code
	sections []string
	anchors  map[string]bool
}

var (
	codeBlock = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	heading   = regexp.MustCompile(`(?m)^(#+) (.+)$`)
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// pages returns the pages at the top of the repository, in docs and in clients, by path.
func pages(t *testing.T) map[string]page {
	t.Helper()
	all := map[string]page{}
	for _, pattern := range []string{"*.md", "docs/*.md", "clients/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			p := read(t, path)
			all[p.path] = p
		}
	}
	if _, ok := all["README.md"]; !ok {
		t.Fatal("README.md is missing")
	}
	return all
}

func read(t *testing.T, path string) page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel("..", path)
	if err != nil {
		t.Fatal(err)
	}
	p := page{path: filepath.ToSlash(relative), text: codeBlock.ReplaceAllString(string(text), ""), anchors: map[string]bool{}}
	for _, found := range heading.FindAllStringSubmatch(p.text, -1) {
		if found[1] == "##" {
			p.sections = append(p.sections, found[2])
		}
		anchor := anchorOf(found[2])
		for n := 1; p.anchors[anchor]; n++ {
			anchor = anchorOf(found[2]) + "-" + strconv.Itoa(n)
		}
		p.anchors[anchor] = true
	}
	return p
}

// anchorOf returns the anchor that GitHub gives a heading.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestContentsListTheSections checks pages that have a table of contents.
func TestContentsListTheSections(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		_, rest, found := strings.Cut(p.text, "\n## Contents\n")
		if !found {
			continue
		}
		contents, _, _ := strings.Cut(rest, "\n## ")
		var listed, sections []string
		for _, entry := range regexp.MustCompile(`(?m)^- \[(.+?)\]`).FindAllStringSubmatch(contents, -1) {
			listed = append(listed, entry[1])
		}
		for i, section := range p.sections {
			if section == "Contents" {
				sections = p.sections[i+1:]
			}
		}
		if diff := cmp.Diff(sections, listed); diff != "" {
			t.Errorf("%s: contents (- sections, + contents):\n%s", p.path, diff)
		}
	}
}

// TestLinksHaveTargets checks every link to a file of the repository, to a section
// of a page, or both.
func TestLinksHaveTargets(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for _, p := range all {
		for _, found := range link.FindAllStringSubmatch(p.text, -1) {
			target := found[1]
			if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://") {
				continue
			}
			path, anchor, _ := strings.Cut(target, "#")
			linked := p
			if path != "" {
				path = filepath.ToSlash(filepath.Join(filepath.Dir(p.path), path))
				if _, err := os.Stat(filepath.Join("..", path)); err != nil {
					t.Errorf("%s links to %s: %v", p.path, target, err)
					continue
				}
				linked = all[path]
				if _, known := all[path]; !known && anchor != "" {
					linked = read(t, filepath.Join("..", path))
				}
			}
			if anchor != "" && !linked.anchors[anchor] {
				t.Errorf("%s links to %s: %s has no such heading", p.path, target, linked.path)
			}
		}
	}
}

// TestFlagsTable checks that one page has a table with every flag of the server, its
// environment variable and its default, in the order of the help, and no other flag.
func TestFlagsTable(t *testing.T) {
	t.Parallel()
	var flags []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[server.Config]()) {
		if field.Anonymous {
			continue
		}
		words := regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`).ReplaceAllString(field.Name, "$1$3-$2$4")
		flag := "--" + strings.ToLower(words)
		flags = append(flags, flag+" "+field.Tag.Get("env")+" "+field.Tag.Get("default"))
	}
	row := regexp.MustCompile("(?m)^\\| *`(--[a-z-]+)` *\\| *`([A-Z_]+)` *\\| *(?:`([^`]*)`|off|) *\\|")
	tables := map[string][]string{}
	for _, p := range pages(t) {
		for _, cells := range row.FindAllStringSubmatch(p.text, -1) {
			tables[p.path] = append(tables[p.path], cells[1]+" "+cells[2]+" "+cells[3])
		}
	}
	if len(tables) != 1 {
		t.Errorf("%d pages have a table of flags, want 1", len(tables))
	}
	for path, listed := range tables {
		if diff := cmp.Diff(flags, listed); diff != "" {
			t.Errorf("%s: flags (- server, + page):\n%s", path, diff)
		}
	}
}
