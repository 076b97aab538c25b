package storagetest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// StartProcess runs this test binary with the environment variable, of the form
// name=value, in a new process and returns when that has printed the given line. The
// process is killed when the test ends. TestMain recognises the variable and calls
// RunUntilKilled.
func StartProcess(t testing.TB, line, variable string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if lines.Text() == line {
			return cmd
		}
		if strings.HasPrefix(lines.Text(), "error: ") {
			break
		}
	}
	t.Fatalf("the process printed %q, want %q", lines.Text(), line)
	return nil
}

// RunUntilKilled prints "ready" or the error, and blocks forever or exits.
func RunUntilKilled(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {}
}
