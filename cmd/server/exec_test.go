//go:build unix

package main_test

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"understudy.example/internal/junit"
	"understudy.example/internal/server/servertest"
)

// execution is a running `server exec` whose command has printed its variables, the line
// "command is running", and waits.
type execution struct {
	*servertest.Process
	stdin     io.Writer
	temporary string // the directory in which the server makes its data directory
	variables map[string]string
}

// startExec runs the shell script after the line "command is running".
func startExec(t *testing.T, script string, flags ...string) *execution {
	t.Helper()
	e := &execution{temporary: servertest.DataDir(t), variables: map[string]string{}}
	cmd := servertest.Command(t, append([]string{"exec", "TMPDIR=" + e.temporary, "PG_BIN=" + os.Getenv("PG_BIN"), "UNDERSTUDY_CONTROL_TOKEN=of another server", "DATA_DIR=/nonexistent"}, flags...)...)
	cmd.Args = append(cmd.Args, "--", "sh", "-c", "env; echo command is running; "+script)
	// Without a terminal, also if the tests have one.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.stdin, e.Process = stdin, servertest.NewProcess(t, cmd)
	t.Cleanup(func() {
		cmd.Process.Kill()
		stdin.Close()
		<-e.Exited
	})
	e.await(t, "command is running\n")
	for _, match := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(e.Output.String(), -1) {
		e.variables[match[1]] = match[2]
	}
	e.API, e.ControlURL = e.variables["UNDERSTUDY_API_URL"], e.variables["UNDERSTUDY_CONTROL_URL"]
	return e
}

// await waits until the output contains the text.
func (e *execution) await(t *testing.T, text string) {
	t.Helper()
	servertest.Until(t, "the output contains "+text, func() bool {
		select {
		case <-e.Exited:
			if !strings.Contains(e.Output.String(), text) {
				t.Fatalf("it exited, output %s, want %q", e.Output, text)
			}
		default:
		}
		return strings.Contains(e.Output.String(), text)
	})
}

// wantEnd waits until the command has exited with the code. Then its server, which holds
// its output open, has exited too, and its data is deleted.
func (e *execution) wantEnd(t *testing.T, code int) {
	t.Helper()
	<-e.Exited
	if got := e.Cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d, output %s", got, code, e.Output)
	}
	if left, err := os.ReadDir(e.temporary); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestExecReportsFindings makes a mistake as two tenants while the command runs.
func TestExecReportsFindings(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "findings.xml")
	e := startExec(t, "read code; exit $code", "--fail-on-findings", "--junit", report)
	for name, want := range map[string]string{
		"UNDERSTUDY_TENANT": "acme", "UNDERSTUDY_CLIENT_ID": "acme-client", "UNDERSTUDY_CLIENT_SECRET": "acme-secret", "UNDERSTUDY_API_KEY": "acme-api-key",
		"UNDERSTUDY_COMPANY_PACKAGE_ID": "acme-us-c0001", "UNDERSTUDY_LOCATION_PACKAGE_ID": "acme-us-l0001",
		"UNDERSTUDY_KEEP_TENANTS": "1", "UNDERSTUDY_CONTROL_TOKEN": "", "DATA_DIR": "/nonexistent",
	} {
		if e.variables[name] != want {
			t.Errorf("%s=%s, want %s", name, e.variables[name], want)
		}
	}
	s := e.Server()
	s.Control("POST /tenants", `{"name":"second"}`).Want(t, http.StatusCreated)
	for range 5 {
		s.NewToken(s.Demo(0))
	}
	for range 6 {
		s.NewToken(s.Demo(1))
	}
	io.WriteString(e.stdin, "0\n")
	e.wantEnd(t, 3)
	const want = `
Findings about the calls of your client:

acme
  token-per-call: A client requested as many access tokens as it made other calls
    POST /auth/token?grant_type=client_credentials: 200
    POST /auth/token?grant_type=client_credentials: 200
    POST /auth/token?grant_type=client_credentials: 200
    and 2 more
    Hint: Reuse the access token for its 12 hours, and request another only when it is about to expire.

globex
  token-per-call: A client requested as many access tokens as it made other calls
    POST /auth/token?grant_type=client_credentials: 200
    POST /auth/token?grant_type=client_credentials: 200
    POST /auth/token?grant_type=client_credentials: 200
    and 3 more
    Hint: Reuse the access token for its 12 hours, and request another only when it is about to expire.

`
	if !strings.HasSuffix(e.Output.String(), want) {
		t.Errorf("output %s\nwant %s", e.Output, want)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Failures int          `xml:"failures,attr"`
		Cases    []junit.Case `xml:"testcase"`
	}
	if err := xml.Unmarshal(text, &suite); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range suite.Cases {
		names = append(names, c.Class+" "+c.Name)
	}
	if got := strings.Join(names, ", "); got != "acme token-per-call, globex token-per-call, second no findings" || suite.Failures != 2 {
		t.Errorf("cases %s, %d failures, want 2", got, suite.Failures)
	}
}

// TestExecExitsWithTheCodeOfTheCommand checks that the code of the command is more
// important than that of its findings.
func TestExecExitsWithTheCodeOfTheCommand(t *testing.T) {
	t.Parallel()
	e := startExec(t, "read code; exit $code", "--fail-on-findings")
	s := e.Server()
	for range 5 {
		s.NewToken(s.Demo(0))
	}
	io.WriteString(e.stdin, "7\n")
	e.wantEnd(t, 7)
	e.await(t, "token-per-call")
}

func TestExecWithoutFindings(t *testing.T) {
	t.Parallel()
	e := startExec(t, "yes | head -n 1; exit 0", "--fail-on-findings", "--server-flag", "log-format=json", "--server-flag=--hints=off")
	e.wantEnd(t, 0)
	e.await(t, "\nNo findings, because no call of your client has arrived")
	if strings.Contains(e.Output.String(), "Broken pipe") {
		t.Errorf("output %s, want that SIGPIPE ends yes", e.Output)
	}
}

// TestExecForwardsSignals sends the signals to `server exec` alone.
func TestExecForwardsSignals(t *testing.T) {
	t.Parallel()
	e := startExec(t, `
		for s in INT HUP QUIT; do trap "echo got $s" $s; done
		trap 'echo got TERM; kill -KILL $$' TERM
		echo traps are set
		while :; do sleep 0.01; done`)
	e.await(t, "traps are set\n")
	for s, name := range map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGHUP: "HUP", syscall.SIGQUIT: "QUIT"} {
		e.Cmd.Process.Signal(s)
		e.await(t, "got "+name+"\n")
	}
	e.Cmd.Process.Signal(syscall.SIGTERM)
	e.wantEnd(t, 128+9)
	e.await(t, "got TERM\n")
}

// TestExecErrors checks the exit codes of a shell, and that no server is started.
func TestExecErrors(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "file", "text")
	notAProgram := writeFile(t, "program", "text")
	if err := os.Chmod(notAProgram, 0o755); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		arguments []string
		code      int
	}{
		`server: exec: "no-such-command": executable file not found in $PATH`:        {[]string{"no-such-command"}, 127},
		`server: exec: "/no/such/command": /no/such/command: no such file or`:        {[]string{"/no/such/command"}, 127},
		`server: exec: "` + file + `": permission denied`:                            {[]string{file}, 126},
		`server: fork/exec ` + notAProgram + `: exec format error`:                   {[]string{notAProgram}, 126},
		"server: exec: no command: name it after --, as in: server exec -- npm test": {nil, 1},
		"server: the server did not start:\nserver: error: unknown flag --nonsense":  {[]string{"--server-flag=nonsense", "true"}, 1},
		"server: exec: --junit: /no/such/directory/findings.xml: no such file":       {[]string{"--junit=/no/such/directory/findings.xml", "true"}, 1},
		"server: exec: the server's --log-level cannot be changed":                   {[]string{"--server-flag=log-level=error", "--", "true"}, 1},
		"server: exec: unknown flag --fail-on-finding":                               {[]string{"--fail-on-finding", "--", "true"}, 1},
		"server: exec: the server's --control cannot be changed":                     {[]string{"--server-flag=--control=", "true"}, 1},
	} {
		command := servertest.Command(t, append([]string{"exec"}, c.arguments...)...)
		out, err := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != c.code || !strings.HasPrefix(string(out), want) {
			t.Errorf("%v: %v, output %s, want %d and %q", c.arguments, err, out, c.code, want)
		}
	}
}

// TestExecWithoutAServer checks that no empty report is left, and no report of an earlier run.
func TestExecWithoutAServer(t *testing.T) {
	t.Parallel()
	report := writeFile(t, "findings.xml", "<testsuite/>")
	if code, _, stderr := run(t, "exec", "--junit", report, "--server-flag=nonsense", "true"); code != 1 {
		t.Errorf("exit code %d, output %s", code, stderr)
	}
	if _, err := os.Stat(report); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no report", err)
	}
}

// TestExecRunsATestSuite runs the example tests in shell.
func TestExecRunsATestSuite(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	code, stdout, stderr := run(t, "exec", "PG_BIN="+os.Getenv("PG_BIN"), "--", "../../examples/testing/understudy_test.sh")
	if code != 0 || stdout != "ok failure\nok unavailable\nok token_expires\n" || !strings.Contains(stderr, "No findings") {
		t.Errorf("exit code %d, output %s%s", code, stdout, stderr)
	}
}
