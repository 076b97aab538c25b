package main_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"understudy.example/internal/server/servertest"
)

// stubborn is a script that ignores all signals that a process can ignore.
const stubborn = `trap '' INT TERM HUP QUIT; echo "pid $$"; while :; do sleep 0.01; done`

// processes returns the process IDs of the command, of its server, and of the server's
// PostgreSQL.
func (e *execution) processes(t *testing.T) (command, server, database int) {
	t.Helper()
	servertest.Until(t, "the command has printed its id", func() bool {
		_, text, found := strings.Cut(e.Output.String(), "\npid ")
		_, err := fmt.Sscanln(text, &command)
		return found && err == nil
	})
	files, err := filepath.Glob(filepath.Join(e.temporary, "understudy-*", "postgres", "postmaster.pid"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got files %v, %v, want one", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if database, err = strconv.Atoi(line); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(fmt.Sprintf("/proc/%d/stat", database)); err != nil {
		t.Fatal(err)
	}
	_, fields, _ := strings.Cut(string(text), ") ")
	if _, err := fmt.Sscanf(fields, "%s %d", new(string), &server); err != nil {
		t.Fatal(err)
	}
	return command, server, database
}

func wantEnded(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		servertest.Until(t, fmt.Sprintf("process %d has ended", pid), func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	}
}

// TestNothingIsLeftOfAKilledExec kills `server exec` while its command runs, which does
// not end by itself.
func TestNothingIsLeftOfAKilledExec(t *testing.T) {
	t.Parallel()
	e := startExec(t, stubborn)
	command, server, database := e.processes(t)
	e.Cmd.Process.Kill()
	<-e.Exited // the command has closed its output
	wantEnded(t, command, server, database)
	if left, err := os.ReadDir(e.temporary); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// family is a script that starts a child, which starts a grandchild in a session of its own. The
// grandchild ignores all signals that a process can ignore.
const family = `sh -c 'setsid sh -c "trap \"\" INT TERM HUP QUIT; echo grandchild \$\$; while :; do sleep 0.01; done" & echo child $$; sleep 1000' & wait`

// descendants returns the process IDs of the child and the grandchild of family.
func (e *execution) descendants(t *testing.T) (pids []int) {
	t.Helper()
	for _, name := range []string{"child", "grandchild"} {
		line := regexp.MustCompile("(?m)^" + name + ` (\d+)\n`)
		servertest.Until(t, "the output contains the ID of the "+name, func() bool { return line.MatchString(e.Output.String()) })
		pid, err := strconv.Atoi(line.FindStringSubmatch(e.Output.String())[1])
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// TestKilledExecLeavesNoDescendants kills `server exec`, without and with a terminal.
func TestKilledExecLeavesNoDescendants(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) *execution{
		"without a terminal": func(t *testing.T) *execution { return startExec(t, family) },
		"on a terminal":      func(t *testing.T) *execution { return startExecOnATerminal(t, family) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := start(t)
			pids := e.descendants(t)
			e.Cmd.Process.Kill()
			wantEnded(t, pids...)
			<-e.Exited
		})
	}
}

// TestExecEndsWithItsServer kills the server while the command runs, which does not end
// by itself.
func TestExecEndsWithItsServer(t *testing.T) {
	t.Parallel()
	e := startExec(t, stubborn)
	command, server, database := e.processes(t)
	syscall.Kill(server, syscall.SIGKILL)
	e.wantEnd(t, 1)
	wantEnded(t, command, database)
	output := e.Output.String()
	if !strings.Contains(output, "server: the server has exited while the command was running:\n") || !strings.Contains(output, "msg=ready") {
		t.Errorf("output %s, want the last lines of the server", output)
	}
}

// TestExecOnATerminal checks that a command can read from the terminal, that Ctrl-C reaches
// it once, and that a signal to `server exec` still does.
func TestExecOnATerminal(t *testing.T) {
	t.Parallel()
	e := startExecOnATerminal(t, `
		trap 'echo got INT' INT
		trap 'echo got TERM; exit 4' TERM
		read line; echo "read $line"
		while :; do sleep 0.01; done`)
	keyboard := e.stdin.(*os.File)
	keyboard.WriteString("hello\n")
	e.await(t, "read hello\n")
	keyboard.WriteString("\x03")
	e.await(t, "got INT\n")
	e.Cmd.Process.Signal(syscall.SIGTERM)
	<-e.Exited
	if code := e.Cmd.ProcessState.ExitCode(); code != 4 || strings.Count(e.Output.String(), "got INT\n") != 1 {
		t.Errorf("exit code %d, want 4, output %s", code, e.Output)
	}
}

// startExecOnATerminal runs the shell script on a terminal, whose keyboard is stdin.
func startExecOnATerminal(t *testing.T, script string) *execution {
	t.Helper()
	keyboard, terminal := openTerminal(t)
	cmd := servertest.Command(t, "exec", "PG_BIN="+os.Getenv("PG_BIN"), "--", "sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Stdin = terminal
	e := &execution{Process: servertest.NewProcess(t, cmd), stdin: keyboard}
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-e.Exited
	})
	return e
}

// openTerminal returns both ends of a new terminal.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}

// TestSubmitShowsABarOnATerminal reads what a terminal gets.
func TestSubmitShowsABarOnATerminal(t *testing.T) {
	t.Parallel()
	_, control := startServer(t)
	keyboard, terminal := openTerminal(t)
	command := servertest.Command(t, "submit", "--control-url", control, "../../examples/letter.docx")
	command.Stderr = terminal
	if out, err := command.Output(); err != nil {
		t.Fatalf("%v, output %s", err, out)
	}
	terminal.Close()
	shown, _ := io.ReadAll(keyboard) // the error means that nobody has the terminal open
	for _, want := range []string{"\r\x1b[Kletter.docx [##########....................] Uploading", "\r\x1b[Kletter.docx [##############################] Completed\r\x1b[K"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("shown: %q, want %q", shown, want)
		}
	}
}

// TestExecEndsWhatTheCommandLeaves runs a command that exits while one of its children still
// runs, which ignores SIGTERM.
func TestExecEndsWhatTheCommandLeaves(t *testing.T) {
	t.Parallel()
	e := startExec(t, `sh -c "trap '' TERM; echo; echo pid \$\$; while :; do sleep 0.01; done" & read line; exit 3`)
	child, _, _ := e.processes(t)
	io.WriteString(e.stdin, "\n")
	e.wantEnd(t, 3)
	wantEnded(t, child)
}
