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

// nobody is the user that children of root run as.
const nobody = 65534

// cell is how far a child is kept apart.
type cell struct {
	spaces uintptr // namespaces of its own
	nobody bool    // as an unprivileged user
	lacks  string  // what is missing, for the log
}

// spaces: a network without interfaces, nobody's processes to see or signal,
// nothing shared in memory.
const spaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC

// cells are tried in turn: systems differ in what they let us take away.
var cells = sync.OnceValue(func() []cell {
	if os.Geteuid() == 0 {
		return []cell{
			{spaces: spaces, nobody: true},
			{nobody: true, lacks: "namespaces"},
			{spaces: spaces, lacks: "a user of their own"},
			{lacks: "namespaces and a user of their own"},
		}
	}
	return []cell{
		{spaces: spaces | syscall.CLONE_NEWUSER},
		{lacks: "namespaces"},
	}
})

// chosen is the index of the first cell that worked.
var chosen atomic.Int32

// startApart starts the command in the strictest cell that the system allows.
func startApart(command func() *exec.Cmd) (cmd *exec.Cmd, err error) {
	all := cells()
	for i := int(chosen.Load()); i < len(all); i++ {
		cmd = command()
		cmd.SysProcAttr = all[i].attributes()
		if err = cmd.Start(); err != nil {
			continue
		}
		if chosen.Swap(int32(i)) != int32(i) {
			slog.Info("documents are read in child processes without " + all[i].lacks + ", which this system does not allow")
		}
		return cmd, nil
	}
	return nil, err
}

func (c cell) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{
		Setpgid:    true,            // Ctrl-C is for the parent
		Pdeathsig:  syscall.SIGKILL, // dies with it
		Cloneflags: c.spaces,
	}
	if c.nobody {
		attributes.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	if c.spaces&syscall.CLONE_NEWUSER != 0 {
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
	}
	return attributes
}

// executable is this program, even when its file was replaced meanwhile.
func executable() string { return "/proc/self/exe" }

// confine limits the own process for good. The address space is no measure of
// a Go program, which reserves far more than it uses; its writable memory is.
func confine(cpu time.Duration, memory int64) error {
	seconds := uint64((cpu + time.Second - 1) / time.Second)
	data := uint64(memory) + slack
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_CPU:   seconds,
		syscall.RLIMIT_DATA:  data,
		syscall.RLIMIT_CORE:  0,
		syscall.RLIMIT_FSIZE: 0, // nothing is written
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return os.NewSyscallError("setrlimit "+strconv.Itoa(resource), err)
		}
	}
	return nil
}
