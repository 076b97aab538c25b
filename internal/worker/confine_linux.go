package worker

import (
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// nobodyID is the user and group ID of worker processes started by root.
const nobodyID = 65534

// isolation is a level of isolation of worker processes.
type isolation struct {
	namespaces uintptr // clone flags of the new namespaces
	asNobody   bool    // run as an unprivileged user
	missing    string  // which isolation is missing, for the log
}

// ownNamespaces give a process a network without interfaces, no other processes to
// see or signal, and no shared memory.
const ownNamespaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC

// isolationLevels are tried in order, the strictest first, because systems differ
// in the isolation that they allow.
var isolationLevels = sync.OnceValue(func() []isolation {
	if os.Geteuid() == 0 {
		return []isolation{
			{namespaces: ownNamespaces, asNobody: true},
			{asNobody: true, missing: "namespaces"},
			{namespaces: ownNamespaces, missing: "a separate user"},
			{missing: "namespaces and a separate user"},
		}
	}
	return []isolation{
		{namespaces: ownNamespaces | syscall.CLONE_NEWUSER},
		{missing: "namespaces"},
	}
})

// currentLevel is the index of the first isolation level that worked.
var currentLevel atomic.Int32

// startIsolated starts the command with the strictest isolation that the system
// allows.
func startIsolated(command func() *exec.Cmd) (cmd *exec.Cmd, err error) {
	levels := isolationLevels()
	for i := int(currentLevel.Load()); i < len(levels); i++ {
		cmd = command()
		cmd.SysProcAttr = levels[i].attributes()
		if err = cmd.Start(); err != nil {
			continue
		}
		if currentLevel.Swap(int32(i)) != int32(i) {
			slog.Info("worker processes run without " + levels[i].missing + ", which this system does not allow")
		}
		return cmd, nil
	}
	return nil, err
}

func (l isolation) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{
		Setpgid:    true,            // Ctrl-C signals only the parent
		Pdeathsig:  syscall.SIGKILL, // ends with the parent
		Cloneflags: l.namespaces,
	}
	if l.asNobody {
		attributes.Credential = &syscall.Credential{Uid: nobodyID, Gid: nobodyID}
	}
	if l.namespaces&syscall.CLONE_NEWUSER != 0 {
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobodyID, HostID: os.Geteuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobodyID, HostID: os.Getegid(), Size: 1}}
	}
	return attributes
}

// executable returns the path of the running program, even if its file has been
// replaced since it started.
func executable() string { return "/proc/self/exe" }

// confine permanently limits the resources of the current process. It limits
// writable memory and not the address space, because a Go program reserves far
// more address space than it uses.
func confine(cpu time.Duration, memory int64) error {
	seconds := uint64((cpu + time.Second - 1) / time.Second)
	data := uint64(memory) + slack
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_CPU:   seconds,
		syscall.RLIMIT_DATA:  data,
		syscall.RLIMIT_CORE:  0,
		syscall.RLIMIT_FSIZE: 0, // a worker process writes no files
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return os.NewSyscallError("setrlimit "+strconv.Itoa(resource), err)
		}
	}
	return nil
}
