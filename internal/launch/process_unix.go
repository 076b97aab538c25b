//go:build unix

package launch

import (
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"
)

// forwarded are the signals that Run passes on to the program.
var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// ownGroup puts a process into its own process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminal returns the terminal that controls this process; nil if there is none.
func terminal() *os.File {
	file, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return file
}

// program is a program that Run runs.
type program struct {
	process  *os.Process
	terminal *os.File // nil = the program has its own process group
}

// start starts the program. On a terminal, it is in the process group of this process, so
// that the shell stops and continues both, and the program can read from the terminal.
// Without one it has its own group, so that its children get the signals too.
func start(command *exec.Cmd) (*program, error) {
	p := &program{terminal: terminal()}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: p.terminal == nil}
	endWithThread(command.SysProcAttr)
	if err := command.Start(); err != nil {
		return nil, err
	}
	p.process = command.Process
	return p, nil
}

// forward passes on a signal that this process received, unless the terminal has also sent it to
// the program.
func (p *program) forward(received os.Signal) {
	fromTerminal := received == syscall.SIGINT || received == syscall.SIGQUIT
	if fromTerminal && p.terminal != nil && foregroundGroup(p.terminal) == syscall.Getpgrp() {
		return
	}
	p.send(received.(syscall.Signal))
}

// foregroundGroup returns the process group to which the terminal sends signals. It does
// not use golang.org/x/sys, so that package sandbox needs no other module.
func foregroundGroup(terminal *os.File) int {
	var group int32
	syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return int(group)
}

// send sends a signal to the program, and to its children if it has its own group.
func (p *program) send(s syscall.Signal) {
	if p.terminal == nil {
		syscall.Kill(-p.process.Pid, s)
		return
	}
	p.process.Signal(s)
}

// killRest ends what the program has left in its own process group: with SIGTERM, and with
// SIGKILL after the delay.
func (p *program) killRest(delay time.Duration) {
	if p.terminal != nil {
		return
	}
	isEmpty := func() bool { return syscall.Kill(-p.process.Pid, 0) != nil }
	p.send(syscall.SIGTERM)
	for until := time.Now().Add(delay); !isEmpty() && time.Now().Before(until); time.Sleep(groupPollInterval) {
	}
	p.send(syscall.SIGKILL)
}

// groupPollInterval is how often killRest looks at the processes of a group, for whose end
// there is no signal.
const groupPollInterval = 20 * time.Millisecond

func (p *program) terminate() { p.send(syscall.SIGTERM) }
func (p *program) kill()      { p.send(syscall.SIGKILL) }
