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

// codeBlocks returns the code blocks of a page.
func codeBlocks(t *testing.T, page string) (blocks []codeBlock) {
	t.Helper()
	text, err := os.ReadFile("../../" + page)
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, codeBlock{match[1], match[2]})
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no code", page)
	}
	return blocks
}

// TestInstructions runs the commands with which docs/testing.md starts a new test
// module.
func TestInstructions(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	blocks := codeBlocks(t, "docs/testing.md")
	i := slices.IndexFunc(blocks, func(b codeBlock) bool { return b.language == "sh" && strings.Contains(b.text, "go mod init") })
	if i < 0 {
		t.Fatal("no code block with go mod init")
	}
	command := exec.CommandContext(t.Context(), "bash", "-ec", blocks[i].text)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "UNDERSTUDY="+repository, "GOWORK=off")
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

// TestPagesShowTheFiles checks that the lines of the code blocks occur, in the same
// order, in the files that the blocks are taken from.
func TestPagesShowTheFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go": "understudy_test.go", "bash": "understudy_test.sh", "python": "test_understudy.py", "js": "understudy.test.mjs",
		"java": "../../clients/java/README.md",
	}
	for _, page := range []string{"README.md", "docs/testing.md"} {
		for _, block := range codeBlocks(t, page) {
			if file, ok := files[block.language]; ok {
				checkShown(t, page, block.text, file)
			}
		}
	}
}

func checkShown(t *testing.T, page, block, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	for line := range strings.Lines(block) {
		i := slices.Index(lines, strings.TrimSpace(line))
		if i < 0 {
			t.Errorf("%s shows a line that is not at that place in %s: %s", page, file, line)
			continue
		}
		lines = lines[i+1:]
	}
}
