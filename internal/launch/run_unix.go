//go:build unix

package launch

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// forwarded are the signals that Run passes on to the program.
var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// ownGroup puts a process into its own process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Run runs the program until it exits, and returns its exit code, or 128 plus the signal number
// if a signal ended it. If the program cannot be started, Run prints the reason, and the code is 126.
// The signals INT, TERM, HUP and QUIT that this process receives are passed on to the program.
// If the server exits, Run ends the program. The program also ends if this process is killed,
// because a supervisor runs it (see Main).
func Run(program *exec.Cmd, server *Server) (code int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 16)
	notify(signals)
	defer signal.Stop(signals)
	signalRead, signalWrite, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer signalWrite.Close()
	end, endWrite, err := os.Pipe()
	if err != nil {
		signalRead.Close()
		return 0, err
	}
	defer end.Close()
	supervisor := &exec.Cmd{
		Path: self, Args: append([]string{supervisorName, program.Path}, program.Args...), Env: program.Env,
		Stdin: program.Stdin, Stdout: program.Stdout, Stderr: program.Stderr,
		ExtraFiles: []*os.File{signalRead, endWrite}, SysProcAttr: ownGroup(),
	}
	err = supervisor.Start()
	signalRead.Close()
	endWrite.Close()
	if err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	go func() {
		if n, _ := end.Read(make([]byte, 1)); n == 1 {
			signalWrite.Write([]byte{endRead})
		}
		supervisor.Wait()
		close(ended)
	}()
	serverExited := server.Exited
	for {
		select {
		case s := <-signals:
			signalWrite.Write([]byte{byte(s.(syscall.Signal))})
		case <-serverExited:
			err, serverExited = ErrServerExited, nil
			signalWrite.Close()
		case <-ended:
			return exitCode(supervisor.ProcessState.Sys().(syscall.WaitStatus)), err
		}
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
