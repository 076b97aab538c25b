//go:build unix

package launch

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killDelay is the time that the program has to exit after a signal before it is killed.
const killDelay = 5 * time.Second

// supervisorName is the name of a supervisor in the process list.
const supervisorName = "understudy-supervisor"

// Descriptors of a supervisor, after stdin, stdout and stderr.
const (
	signalPipe = 3 // the supervisor reads the signals to pass on from it, a byte each
	endPipe    = 4 // the supervisor writes a byte to it when the program has ended
)

// endRead is the byte that Run sends in place of a signal when it has read the byte of endPipe.
const endRead = 0

// Main turns a process that Run has started into a supervisor: it runs the program whose path and
// arguments are its own arguments, and exits with the exit code of the program. In any other
// process, it returns at once.
//
// When the pipe of the supervisor is closed, which also happens if the process of Run is killed,
// the supervisor ends the program and, on Linux, all processes that descend from it.
func Main() {
	if os.Args[0] != supervisorName {
		return
	}
	code, err := supervise(os.Args[1], os.Args[2:])
	if err != nil {
		if self, unknown := os.Executable(); unknown == nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(self), err)
		}
		code = 126
	}
	os.Exit(code)
}

func supervise(path string, arguments []string) (code int, err error) {
	// On Linux, the kernel kills the program when the thread that started it ends.
	runtime.LockOSThread()
	syscall.CloseOnExec(signalPipe)
	syscall.CloseOnExec(endPipe)
	adoptOrphans()
	ignored := make(chan os.Signal, 1) // only signals from the pipe are passed on
	notify(ignored)
	signal.Notify(ignored, syscall.SIGPIPE) // main ignores SIGPIPE; the program must not inherit this
	p, err := start(path, arguments)
	if err != nil {
		return 0, err
	}
	signals := make(chan syscall.Signal)
	go readSignals(os.NewFile(signalPipe, "signals"), signals)
	ended, empty := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go p.reap(ended, empty)
	var kill <-chan time.Time
	for {
		select {
		case s, open := <-signals:
			if open {
				p.forward(s)
				continue
			}
			signals, kill = nil, time.After(killDelay)
			p.send(syscall.SIGTERM)
		case <-kill:
			p.send(syscall.SIGKILL)
		case status := <-ended:
			p.killGroup(killDelay)
			// Run may have been killed too, but its end of the pipe may not be closed yet.
			os.NewFile(endPipe, "end").Write([]byte{0})
			if signals == nil || !awaitEndRead(signals) {
				killDescendants(empty)
			}
			return exitCode(status), nil
		}
	}
}

// notify makes the forwarded signals arrive on the channel, except those that this process was
// started to ignore, as nohup does with HUP.
func notify(received chan os.Signal) {
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			signal.Notify(received, s)
		}
	}
}

// readSignals sends the signals in the pipe to the channel, and closes it at the end of the pipe.
func readSignals(pipe io.Reader, signals chan<- syscall.Signal) {
	defer close(signals)
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(pipe, b); err != nil {
			return
		}
		signals <- syscall.Signal(b[0])
	}
}

// awaitEndRead waits until Run has read the byte of endPipe. It returns false if Run was killed.
func awaitEndRead(signals <-chan syscall.Signal) bool {
	for s := range signals {
		if s == endRead {
			return true
		}
	}
	return false
}

// program is the program of a supervisor.
type program struct {
	pid      int
	terminal *os.File // nil = the program has its own process group
	group    int      // process group of the program
}

// start starts the program. On a terminal, it is in the process group of the process of Run, so
// that the shell stops and continues both, and the program can read from the terminal.
// Without one it has its own group, so that its children get the signals too.
func start(path string, arguments []string) (*program, error) {
	p := &program{terminal: terminal()}
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if p.terminal != nil {
		var err error
		if p.group, err = syscall.Getpgid(os.Getppid()); err != nil {
			return nil, fmt.Errorf("find the process group of the terminal: %w", err)
		}
		attributes.Pgid = p.group
	}
	endWithThread(attributes)
	process, err := os.StartProcess(path, arguments, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: attributes})
	if err != nil {
		return nil, err
	}
	p.pid = process.Pid
	if p.terminal == nil {
		p.group = p.pid
	}
	return p, nil
}

// terminal returns the terminal that controls this process; nil if there is none.
func terminal() *os.File {
	file, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return file
}

// reap waits for all children of this process, sends the status of the program, and closes empty
// when there are no more children.
func (p *program) reap(ended chan<- syscall.WaitStatus, empty chan<- struct{}) {
	defer close(empty)
	for {
		var status syscall.WaitStatus
		switch pid, err := syscall.Wait4(-1, &status, 0, nil); {
		case err == syscall.EINTR:
		case err != nil: // ECHILD
			return
		case pid == p.pid:
			ended <- status
		}
	}
}

// forward passes on a signal, unless the terminal has also sent it to the program.
func (p *program) forward(s syscall.Signal) {
	fromTerminal := s == syscall.SIGINT || s == syscall.SIGQUIT
	if fromTerminal && p.terminal != nil && foregroundGroup(p.terminal) == p.group {
		return
	}
	p.send(s)
}

// foregroundGroup returns the process group to which the terminal sends signals; 0 if it is unknown.
func foregroundGroup(terminal *os.File) int {
	group, _ := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return group
}

// send sends a signal to the program, and to its children if it has its own group.
func (p *program) send(s syscall.Signal) {
	if p.terminal == nil {
		syscall.Kill(-p.group, s)
		return
	}
	syscall.Kill(p.pid, s)
}

// killGroup ends the processes that the program has left in its own process group: with
// SIGTERM, and after the delay with SIGKILL.
func (p *program) killGroup(delay time.Duration) {
	if p.terminal != nil {
		return
	}
	isEmpty := func() bool { return syscall.Kill(-p.group, 0) != nil }
	p.send(syscall.SIGTERM)
	for until := time.Now().Add(delay); !isEmpty() && time.Now().Before(until); time.Sleep(pollInterval) {
	}
	p.send(syscall.SIGKILL)
}

// pollInterval is how often a supervisor checks whether processes have ended when it gets no signal.
const pollInterval = 20 * time.Millisecond
