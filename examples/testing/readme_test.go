package checkout_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// chapter is README's "Testing against Understudy", as pairs of a language and
// a block of it.
func chapter(t *testing.T) (blocks [][2]string) {
	t.Helper()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "\n## Testing against Understudy\n")
	text, _, ends := strings.Cut(text, "\n## ")
	if !found || !ends {
		t.Fatal("README has no such chapter")
	}
	for _, block := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, [2]string{block[1], block[2]})
	}
	return blocks
}

// TestFromNothing does what README tells a newcomer to do.
func TestFromNothing(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	first := chapter(t)[0]
	if first[0] != "sh" {
		t.Fatal("the chapter does not begin with commands")
	}
	command := exec.CommandContext(t.Context(), "bash", "-ec", first[1])
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "UNDERSTUDY="+here, "GOFLAGS=", "GOWORK=off")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	for _, name := range []string{"TestFailure", "TestUnavailable", "TestTokenExpires"} {
		if !strings.Contains(string(out), "--- PASS: "+name) {
			t.Errorf("%s did not pass:\n%s", name, out)
		}
	}
}

// TestReadmeShowsTheFiles: each line of code that README shows is one of the
// file that it is from, and in the file's order.
func TestReadmeShowsTheFiles(t *testing.T) {
	t.Parallel()
	for _, block := range chapter(t) {
		file, ok := map[string]string{
			"go": "understudy_test.go", "bash": "understudy_test.sh", "python": "test_understudy.py", "js": "understudy.test.mjs",
		}[block[0]]
		if !ok {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			lines = append(lines, strings.TrimSpace(line))
		}
		for line := range strings.Lines(block[1]) {
			at := slices.Index(lines, strings.TrimSpace(line))
			if at < 0 {
				t.Errorf("README shows a line that %s does not have there: %s", file, line)
				continue
			}
			lines = lines[at+1:]
		}
	}
}
