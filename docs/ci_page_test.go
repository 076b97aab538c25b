package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCIPageShowsTheRecipes checks that docs/ci.md links every recipe, and that each line of a code block is in the
// file that was linked last, in the same order.
func TestCIPageShowsTheRecipes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("ci.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	file := ""
	for _, match := range regexp.MustCompile("(?s)\\]\\(../examples/ci/([\\w.-]+)\\)|```(?:yaml|groovy|bash)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if match[1] != "" {
			file = match[1]
			continue
		}
		shown[file] = true
		if err := checkLinesInOrder(match[2], recipes+file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	paths, err := filepath.Glob(recipes + "*")
	if err != nil || len(paths) != len(ciForms)*len(ciSystems)+1 {
		t.Errorf("got %v, %v", paths, err)
	}
	for _, path := range paths {
		if !shown[filepath.Base(path)] {
			t.Errorf("the page does not show %s", path)
		}
	}
}

// TestCIPageListsTheCommands compares the table of languages in docs/ci.md with the recipes.
func TestCIPageListsTheCommands(t *testing.T) {
	t.Parallel()
	for _, form := range ciForms {
		for system, read := range ciSystems {
			for language, scripts := range read(t, form).jobs {
				row := regexp.MustCompile(`(?mi)^\| ` + language + ` \| .*\| .*\|$`).FindString(content(t, "ci.md"))
				var listed []string
				for _, command := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row, -1) {
					listed = append(listed, command[1])
				}
				// The page describes these in sentences.
				scripts = slices.DeleteFunc(scripts, func(s string) bool { return s == "ci/install-understudy.sh" || strings.Contains(s, ".venv") })
				last := len(scripts) - 1
				scripts[last] = strings.TrimPrefix(scripts[last], ".understudy/understudy exec --fail-on-findings --junit findings.xml -- ")
				if !slices.Equal(scripts, listed) {
					t.Errorf("%s, %s, %s: the recipe has the commands %q, and the page %q", system, form, language, scripts, listed)
				}
			}
		}
	}
}

func checkLinesInOrder(block, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(block, "\n"), "\n") {
		i := slices.Index(lines, line)
		if i < 0 {
			return fmt.Errorf("this line is not in the file, or not at that place: %s", line)
		}
		lines = lines[i+1:]
	}
	return nil
}
