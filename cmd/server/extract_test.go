package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// extractCommand runs `server extract` with nothing else at hand: no database,
// no environment.
func extractCommand(t *testing.T, arguments ...string) (out, said string, code int) {
	t.Helper()
	path, err := servertest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"extract"}, arguments...)...)
	cmd.Env = []string{}
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExtractCommand(t *testing.T) {
	t.Parallel()
	const mail = "../../examples/submission.eml"
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		out, said, code := extractCommand(t, mail)
		if code != 0 || said != "" {
			t.Errorf("exit %d, it says %s", code, said)
		}
		for _, want := range []string{"COMPANY", "POLICY", "LOCATION 1", "Quillfeather Furniture Works, Inc.", "sheet "} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in %s", want, out)
			}
		}
	})
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		noise := write(t, "a.bin", noise(500))
		out, said, code := extractCommand(t, "--json", noise, mail)
		if code != 1 || !strings.Contains(said, "1 of 2 files could not be read") {
			t.Errorf("exit %d, it says %s", code, said)
		}
		type line struct {
			File, Failure string
			Extraction    *struct {
				Facts []struct{ Field, Text, Evidence string }
			}
		}
		var first, second line
		decoder := json.NewDecoder(strings.NewReader(out))
		if decoder.Decode(&first) != nil || decoder.Decode(&second) != nil || decoder.More() {
			t.Fatalf("not two objects: %s", out)
		}
		if first.File != noise || first.Failure == "" || first.Extraction != nil {
			t.Errorf("first %+v", first)
		}
		if second.File != mail || second.Failure != "" || second.Extraction == nil || second.Extraction.Facts[0].Evidence == "" {
			t.Errorf("second %+v", second)
		}
	})
	t.Run("score", func(t *testing.T) {
		t.Parallel()
		truth := write(t, "truth.json", `{"submission.eml": {
			"facts": {"company_name": "Quillfeather Furniture Works", "city": "Grand Rapids", "state": "Michigan", "fein": "12-3456789"}}}`)
		other := write(t, "other.txt", string(servertest.Letter))
		out, said, code := extractCommand(t, "--score", truth, mail, other)
		if code != 0 || !strings.Contains(said, "other.txt: not in "+truth) {
			t.Errorf("exit %d, it says %s", code, said)
		}
		var got []string
		for line := range strings.Lines(out) {
			if cells := strings.Fields(line); len(cells) > 4 && strings.HasPrefix(cells[0], "facts.") && cells[1] != "0" {
				got = append(got, strings.Join(cells[:5], " "))
			}
		}
		want := "facts.city 1 1 0 0|facts.company_name 1 1 0 0|facts.fein 1 0 0 1|facts.state 1 1 0 0"
		if strings.Join(got, "|") != want {
			t.Errorf("counts %s, want %s in\n%s", strings.Join(got, "|"), want, out)
		}
	})
	t.Run("directory", func(t *testing.T) {
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
		out, said, code := extractCommand(t, "--json", dir)
		if first, second := `{"file":"`+dir+`/a.txt","failure":""`, `{"file":"`+dir+`/b/b.txt","failure":""`; code != 0 || strings.Count(out, "\n") != 2 ||
			!strings.HasPrefix(out, first) || !strings.Contains(out, "\n"+second) {
			t.Errorf("exit %d, out %s, it says %s", code, out, said)
		}
		if _, said, code := extractCommand(t, t.TempDir()); code != 1 || !strings.Contains(said, "no files there") {
			t.Errorf("an empty one: exit %d, it says %s", code, said)
		}
	})
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		missing := filepath.Join(t.TempDir(), "a.pdf")
		out, said, code := extractCommand(t, missing, mail)
		if code != 1 || !strings.Contains(said, missing+": no such file or directory") || !strings.Contains(said, "1 of 2 files could not be read") || !strings.Contains(out, "COMPANY") {
			t.Errorf("exit %d, it says %s", code, said)
		}
	})
	t.Run("progress", func(t *testing.T) {
		t.Parallel()
		files := make([]string, 12)
		for i := range files {
			files[i] = write(t, "a.txt", string(servertest.Letter))
		}
		out, said, code := extractCommand(t, append([]string{"--json"}, files...)...)
		if code != 0 || !strings.Contains(said, "12 of 12 files") {
			t.Errorf("exit %d, it says %s", code, said)
		}
		for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
			if !strings.HasPrefix(line, `{"file":"`+files[i]) {
				t.Errorf("line %d is not of %s: %s", i, files[i], line)
			}
		}
	})
}
