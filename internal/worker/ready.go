//go:build linux || darwin

package worker

import (
	"runtime"
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
	return Layer{Name: "seccomp", Holds: true, Detail: "It can only compute and use its open files: it cannot open files, make connections, or start or trace processes."}
}

// enterSandbox denies the process everything that it does not need to extract
// documents. All files that it needs are already open, and all its tables are loaded.
func enterSandbox() readyMessage {
	_ = time.Local.String() // loads the time zone, which is a file
	restrictAllThreads()
	if err := filterSystemCalls(); err != nil {
		return readyMessage{Unfiltered: err.Error()}
	}
	return readyMessage{}
}
