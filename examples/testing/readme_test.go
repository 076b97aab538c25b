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

type codeBlock struct{ language, text string }

// codeBlocks returns the code blocks of README's section "Testing against
// Understudy".
func codeBlocks(t *testing.T) (blocks []codeBlock) {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(readme), "\n## Testing against Understudy\n")
	section, _, ends := strings.Cut(section, "\n## ")
	if !found || !ends {
		t.Fatal(`README.md has no section "Testing against Understudy" followed by another`)
	}
	for _, match := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(section, -1) {
		blocks = append(blocks, codeBlock{match[1], match[2]})
	}
	return blocks
}

// TestReadmeInstructions runs the commands with which README starts a new test
// module.
func TestReadmeInstructions(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	first := codeBlocks(t)[0]
	if first.language != "sh" {
		t.Fatalf("the first code block of the section is %s, want sh", first.language)
	}
	command := exec.CommandContext(t.Context(), "bash", "-ec", first.text)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "UNDERSTUDY="+repository, "GOFLAGS=", "GOWORK=off")
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

// TestReadmeShowsTheFiles checks that the lines of README's code blocks occur, in
// the same order, in the files that the blocks are taken from.
func TestReadmeShowsTheFiles(t *testing.T) {
	t.Parallel()
	for _, block := range codeBlocks(t) {
		file, ok := map[string]string{
			"go": "understudy_test.go", "bash": "understudy_test.sh", "python": "test_understudy.py", "js": "understudy.test.mjs",
		}[block.language]
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
		for line := range strings.Lines(block.text) {
			i := slices.Index(lines, strings.TrimSpace(line))
			if i < 0 {
				t.Errorf("README shows a line that is not at that place in %s: %s", file, line)
				continue
			}
			lines = lines[i+1:]
		}
	}
}
