package docs_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// readme returns a section of README.md.
func readme(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	if !found {
		t.Fatalf("README.md has no section %q", heading)
	}
	return section
}

// fenced matches a block of code with its language.
var fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```")

// needs skips the test unless the programs are installed.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
}

// startServer starts a server and returns its URL.
func startServer(t *testing.T) string {
	t.Helper()
	return servertest.New(t, servertest.Background, servertest.RealClock).URL
}

const readmeURL = "http://127.0.0.1:8080"

// TestReadmeLength checks that README.md stays short.
func TestReadmeLength(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines > 200 {
		t.Errorf("README.md has %d lines, want at most 200", lines)
	}
}

// TestReadmeFlow runs the commands of the flow in one shell, and compares what each
// prints with what README.md shows.
func TestReadmeFlow(t *testing.T) {
	needs(t, "bash", "curl", "jq")
	url := startServer(t)
	const separator = "\x1e"
	var script strings.Builder
	var want []string
	for _, block := range fenced.FindAllStringSubmatch(readme(t, "The flow in curl"), -1) {
		switch block[1] {
		case "sh":
			fmt.Fprintf(&script, "%s\nprintf '%s'\n", block[2], separator)
			want = append(want, "")
		case "":
			want[len(want)-1] = block[2]
		}
	}
	command := exec.CommandContext(t.Context(), "bash", "-euc", strings.ReplaceAll(script.String(), readmeURL, url))
	command.Dir = ".."
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	got := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(out), url, readmeURL), separator), separator)
	if len(want) < 7 {
		t.Errorf("README.md has %d commands", len(want))
	}
	for i := range want {
		want[i] = generalize(want[i])
	}
	for i := range got {
		got[i] = generalize(got[i])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("output (- README.md, + server):\n%s", diff)
	}
}

// varying matches what differs from run to run: ids, times, and the token of an
// upload URL.
var varying = []struct{ pattern, replacement string }{
	{`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "UUID"},
	{`\d{4}-\d\d-\d\dT[\d:.]+\+00:00`, "TIME"},
	{`[CL]US1[0-9A-F]{16}`, "REPORT_ID"},
	{`data=[\w-]+`, "data=TOKEN"},
	{`"response_time_secs":[\d.]+`, `"response_time_secs":SECONDS`},
}

func generalize(output string) string {
	for _, v := range varying {
		output = regexp.MustCompile(v.pattern).ReplaceAllString(output, v.replacement)
	}
	return output
}

// TestReadmeWebhook runs the three commands of the section on webhooks.
func TestReadmeWebhook(t *testing.T) {
	needs(t, "bash", "curl", "jq", "python3")
	url := startServer(t)
	section := readme(t, "A webhook in three commands")
	blocks := fenced.FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of commands, want the receiver and the client", len(blocks))
	}

	receiver := exec.CommandContext(t.Context(), "bash", "-c", "exec env "+blocks[0][2])
	receiver.Dir = ".."
	receiver.Env = append(os.Environ(), "PORT=0")
	receiver.Stderr = os.Stderr
	stdout, err := receiver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		receiver.Process.Kill()
		receiver.Wait()
	})
	lines := bufio.NewScanner(stdout)
	receiverURL := ""
	if lines.Scan() {
		receiverURL = strings.TrimPrefix(lines.Text(), "listening on ")
	}

	flow := fenced.FindStringSubmatch(readme(t, "The flow in curl"))[2] // the token and the function api
	script := strings.NewReplacer(readmeURL, url, "http://127.0.0.1:9000/", receiverURL).Replace(flow + blocks[1][2])
	client := exec.CommandContext(t.Context(), "bash", "-euc", script)
	client.Dir = ".."
	client.Env = append(os.Environ(), "BASE_URL="+url)
	if out, err := client.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	want := regexp.MustCompile("prints `([^`]+)`").FindStringSubmatch(section)
	if want == nil || !lines.Scan() || lines.Text() != want[1] {
		t.Errorf("the receiver prints %q, README.md says %q", lines.Text(), want)
	}
}
