//go:build linux || darwin

package worker

import (
	"errors"
	"runtime"
	"syscall"
	"time"
)

// readyMessage is the first message of a worker process. It means that the process is
// ready.
type readyMessage struct {
	// Unfiltered is the reason why the system calls of the process are not filtered, or
	// "" if they are.
	Unfiltered string `json:"unfiltered"`
}

// layer returns the layer that the process has set up itself.
func (m readyMessage) layer() Layer {
	if m.Unfiltered != "" {
		return Layer{Name: "seccomp", Detail: m.Unfiltered, Optional: runtime.GOOS != "linux"}
	}
	return Layer{Name: "seccomp", Holds: true, Detail: "It can only compute and use its open files: it cannot open files, make connections, start processes or threads, or trace processes."}
}

// enterSandbox denies the process everything that it does not need to extract
// documents. All files that it needs are already open, and all its tables are loaded.
// Its error means that the system lacks a resource at the moment.
func enterSandbox() (readyMessage, error) {
	_ = time.Local.String() // loads the time zone, which is a file
	if err := restrictAllThreads(); isShortage(err) {
		return readyMessage{}, err
	}
	switch err := filterSystemCalls(); {
	case isShortage(err):
		return readyMessage{}, err
	case err != nil:
		return readyMessage{Unfiltered: err.Error()}, nil
	}
	return readyMessage{}, nil
}

// isShortage reports whether an error means that the system lacks a resource at the
// moment: processes, memory or open files.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
