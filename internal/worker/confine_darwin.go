package worker

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// startIsolated starts the command. macOS has no namespaces and cannot kill a
// child together with its parent; the worker process exits when its socket closes.
func startIsolated(command func() *exec.Cmd) (*exec.Cmd, []Layer, error) {
	cmd := command()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	layers := []Layer{{Name: "namespaces", Optional: true, Detail: "macOS has none"}, {Name: "Landlock", Optional: true, Detail: "macOS has none"}}
	return cmd, layers, cmd.Start()
}

// restrictAllThreads returns an error: macOS has no Landlock.
func restrictAllThreads() error { return errors.New("macOS has none") }

// filterSystemCalls returns an error: macOS has no filter of system calls.
func filterSystemCalls() error { return errors.New("macOS has none") }

func executable() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// confine permanently limits the resources of the current process. macOS does not
// limit memory; watchLimits does.
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
