package worker

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// startApart starts the command. This kernel has no namespaces, and does not
// end a child with its parent: the child does so itself when its socket closes.
func startApart(command func() *exec.Cmd) (*exec.Cmd, error) {
	cmd := command()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, cmd.Start()
}

func executable() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// confine limits the own process for good. This kernel does not limit memory:
// watchMemory does.
func confine(cpu time.Duration, _ int64) error {
	seconds := uint64((cpu + time.Second - 1) / time.Second)
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_CPU:   seconds,
		syscall.RLIMIT_CORE:  0,
		syscall.RLIMIT_FSIZE: 0,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return nil
}
