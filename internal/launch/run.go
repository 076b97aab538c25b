package launch

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// ErrServerExited is the error of Run if the server exits while the program runs.
var ErrServerExited = errors.New("the server has exited while the command was running")

// killDelay is the time that the program has to exit after a signal before it is killed.
const killDelay = 5 * time.Second

// Run runs the program until it exits, and returns its exit code, or 128 plus the signal number
// if a signal ended it. The signals INT, TERM, HUP and QUIT that this process receives are passed
// on to the program. If the server exits, Run ends the program. On Linux, the program is killed
// when this process ends.
func Run(command *exec.Cmd, server *Server) (code int, err error) {
	// The program ends with the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 16)
	for _, s := range forwarded {
		if !signal.Ignored(s) { // as nohup does with HUP
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	p, err := start(command)
	if err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	go func() {
		command.Wait()
		close(ended)
	}()
	serverExited := server.Exited
	var kill <-chan time.Time
	for {
		select {
		case received := <-signals:
			p.forward(received)
		case <-serverExited:
			p.terminate()
			err, serverExited, kill = ErrServerExited, nil, time.After(killDelay)
		case <-kill:
			p.kill()
		case <-ended:
			p.killRest(killDelay)
			return exitCode(command.ProcessState), err
		}
	}
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
