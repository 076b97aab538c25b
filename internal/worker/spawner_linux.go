package worker

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// spawner starts processes from a thread that has given up rights. All threads of the
// processes inherit the restrictions, from their first instruction; the other threads
// of the server are not affected. A process that restricts itself after its start would
// have to do so for each of its threads, which is not reliable in programs built with
// cgo: the kernel can do that for seccomp filters, but for Landlock only since ABI 8.
//
// The thread also lives as long as the server, which Pdeathsig requires: the kernel
// ends a process together with the thread that has started it.
type spawner struct {
	restrict func() (Layer, error) // restricts the thread further; it is called again after an error
	begin    sync.Once
	commands chan *exec.Cmd
	started  chan error
	layers   []Layer // which the processes inherit; known after the first start
}

func newSpawner(restrict func() (Layer, error)) *spawner {
	return &spawner{restrict: restrict, commands: make(chan *exec.Cmd), started: make(chan error)}
}

// start starts the command.
func (s *spawner) start(cmd *exec.Cmd) error {
	s.begin.Do(func() { go s.run() })
	s.commands <- cmd
	return <-s.started
}

// run is the thread. It is not the main thread, because the kernel checks the rights of
// the main thread when another process signals or traces the process: a worker process
// could then signal and trace the server.
func (s *spawner) run() {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		locked := make(chan bool)
		go func() {
			runtime.LockOSThread()
			close(locked)
			s.run()
		}()
		<-locked
		runtime.UnlockOSThread()
		return
	}
	privileges := giveUpPrivileges()
	yieldToOthers()
	for cmd := range s.commands {
		if s.layers == nil {
			layer, err := s.restrict()
			if err != nil {
				s.started <- err
				continue
			}
			s.layers = []Layer{privileges, layer}
		}
		s.started <- cmd.Start()
	}
}

// timeSlice is how long a worker process may run before another one gets its core.
const timeSlice = 20 * time.Millisecond

// yieldToOthers changes how the kernel schedules the programs that the current thread starts. They do not preempt
// other processes when they wake up (SCHED_BATCH). Since Linux 6.12, a process with the default time slice, such as
// the server, can preempt them at once, because their slice is longer. Errors are ignored: extraction also works
// without this.
func yieldToOthers() {
	attributes, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return
	}
	attributes.Policy = unix.SCHED_BATCH
	attributes.Runtime = uint64(timeSlice.Nanoseconds())
	_ = unix.SchedSetAttr(0, attributes, 0)
}

// giveUpPrivileges prevents programs that the current thread starts from having or
// gaining privileges. Under root they have no capabilities, even if they run as root.
// The thread keeps its own, which it needs to create namespaces and to change users.
func giveUpPrivileges() Layer {
	layer := Layer{Name: "no_new_privs", Detail: "It has no capabilities and cannot gain privileges."}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		layer.Detail = os.NewSyscallError("prctl", err).Error()
		return layer
	}
	layer.Holds = true
	// Errors: an ordinary user has no capabilities, and the last one is unknown.
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	for capability := range uintptr(64) {
		if unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0) != nil {
			break
		}
	}
	return layer
}
