package launch

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C of the console away from a process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Main returns: there are no supervisors on this system.
func Main() {}

// Run returns an error, because a server with a temporary data directory does not start on this
// system.
func Run(*exec.Cmd, *Server) (int, error) { return 0, errors.ErrUnsupported }
