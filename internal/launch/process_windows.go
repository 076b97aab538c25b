package launch

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// forwarded are the signals that Run ignores: the console sends Ctrl-C to the program too.
var forwarded = []os.Signal{os.Interrupt}

// ownGroup keeps Ctrl-C of the console away from a process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// program is a program that Run runs.
type program struct{ process *os.Process }

func start(command *exec.Cmd) (*program, error) {
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &program{command.Process}, nil
}

func (p *program) forward(os.Signal) {}
func (p *program) terminate()        { p.process.Kill() }
func (p *program) kill()             { p.process.Kill() }

func (p *program) killRest(time.Duration) {}
