package main_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

const example = "../../examples/submission.eml"

// extract runs `server extract` without environment variables and without a
// database.
func extract(t *testing.T, arguments ...string) (stdout, stderr string, code int) {
	t.Helper()
	path, err := servertest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, append([]string{"extract"}, arguments...)...)
	command.Env = []string{}
	var out, errors strings.Builder
	command.Stdout, command.Stderr = &out, &errors
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errors.String(), command.ProcessState.ExitCode()
}

// writeFile writes a file to a directory of its own, and returns its path.
func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// noise returns n random bytes, the same each time.
func noise(n int) string {
	content := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(content)
	return string(content)
}

func TestExtractPrintsATable(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := extract(t, example)
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	for _, want := range []string{"COMPANY", "POLICY", "LOCATION 1", "Quillfeather Furniture Works, Inc.", "sheet "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
}

func TestExtractPrintsJSON(t *testing.T) {
	t.Parallel()
	unreadable := writeFile(t, "a.bin", noise(500))
	stdout, stderr, code := extract(t, "--json", unreadable, example)
	if code != 1 || !strings.Contains(stderr, "1 of 2 files could not be read") {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	type line struct {
		File, Failure string
		Extraction    *struct {
			Facts []struct{ Field, Text, Evidence string }
		}
	}
	var first, second line
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if decoder.Decode(&first) != nil || decoder.Decode(&second) != nil || decoder.More() {
		t.Fatalf("want two JSON objects: %s", stdout)
	}
	if first.File != unreadable || first.Failure == "" || first.Extraction != nil {
		t.Errorf("first %+v", first)
	}
	if second.File != example || second.Failure != "" || second.Extraction == nil || second.Extraction.Facts[0].Evidence == "" {
		t.Errorf("second %+v", second)
	}
}

func TestExtractScoresAgainstTheTruth(t *testing.T) {
	t.Parallel()
	truth := writeFile(t, "truth.json", `{"submission.eml": {
		"facts": {"company_name": "Quillfeather Furniture Works", "city": "Grand Rapids", "state": "Michigan", "fein": "12-3456789"}}}`)
	other := writeFile(t, "other.txt", string(servertest.Letter))
	stdout, stderr, code := extract(t, "--score", truth, example, other)
	if code != 0 || !strings.Contains(stderr, "other.txt: not in "+truth) {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	var got []string
	for line := range strings.Lines(stdout) {
		if cells := strings.Fields(line); len(cells) > 4 && strings.HasPrefix(cells[0], "facts.") && cells[1] != "0" {
			got = append(got, strings.Join(cells[:5], " "))
		}
	}
	const want = "facts.city 1 1 0 0|facts.company_name 1 1 0 0|facts.fein 1 0 0 1|facts.state 1 1 0 0"
	if strings.Join(got, "|") != want {
		t.Errorf("counts %s, want %s in\n%s", strings.Join(got, "|"), want, stdout)
	}
}

func TestExtractReadsADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b/b.txt", "a.txt", ".hidden.txt", ".git/c.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), servertest.Letter, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stdout, stderr, code := extract(t, "--json", dir)
	first, second := `{"file":"`+dir+`/a.txt","failure":""`, `{"file":"`+dir+`/b/b.txt","failure":""`
	if code != 0 || strings.Count(stdout, "\n") != 2 || !strings.HasPrefix(stdout, first) || !strings.Contains(stdout, "\n"+second) {
		t.Errorf("exit code %d, stdout %s, stderr %s", code, stdout, stderr)
	}
}

func TestExtractNeedsAFile(t *testing.T) {
	t.Parallel()
	if _, stderr, code := extract(t, t.TempDir()); code != 1 || !strings.Contains(stderr, "no files found") {
		t.Errorf("empty directory: exit code %d, stderr %s", code, stderr)
	}
	missing := filepath.Join(t.TempDir(), "a.pdf")
	stdout, stderr, code := extract(t, missing, example)
	if code != 1 || !strings.Contains(stderr, missing+": no such file or directory") || !strings.Contains(stderr, "1 of 2 files could not be read") {
		t.Errorf("missing file: exit code %d, stderr %s", code, stderr)
	}
	if !strings.Contains(stdout, "COMPANY") {
		t.Errorf("the other file was not extracted: %s", stdout)
	}
}

func TestExtractKeepsTheOrderOfFilesAndPrintsProgress(t *testing.T) {
	t.Parallel()
	files := make([]string, 12)
	for i := range files {
		files[i] = writeFile(t, "a.txt", string(servertest.Letter))
	}
	stdout, stderr, code := extract(t, append([]string{"--json"}, files...)...)
	if code != 0 || !strings.Contains(stderr, "12 of 12 files") {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	for i, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		if !strings.HasPrefix(line, `{"file":"`+files[i]) {
			t.Errorf("line %d is not of %s: %s", i, files[i], line)
		}
	}
}

func TestExtractExplains(t *testing.T) {
	t.Parallel()
	letter := writeFile(t, "letter.txt", "Named Insured: Foxglove Bakery LLC\nInsured: to be advised\nPolicy period: 1 March 2026 to 1 March 2027\nRenewal date: 2026-04-15\n")
	stdout, stderr, code := extract(t, "--explain", letter)
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	var lines []string
	for line := range strings.Lines(stdout) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	for _, want := range []string{
		"label Named Insured: Foxglove Bakery LLC company_name letter.txt, line 1",
		"TABLES LOCATIONS COLUMNS",
		"Foxglove Bakery LLC letter.txt, line 1 given; label, legal",
		"2026-03-01 letter.txt, line 3 given; label",
		"2026-04-15 letter.txt, line 4 ",
		"company_name - to be advised letter.txt, line 2 dropped: the text does not fit the field",
	} {
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if _, stderr, code := extract(t, "--explain", writeFile(t, "a.bin", noise(500))); code != 1 || !strings.Contains(stderr, "1 of 1 files could not be read") {
		t.Errorf("unreadable file: exit code %d, stderr %s", code, stderr)
	}
}
