package worker

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// nobodyID is the user and group ID of worker processes started by root.
const nobodyID = 65534

// isolation is a level of isolation of worker processes.
type isolation struct {
	spawner    *spawner
	namespaces bool // run in namespaces of their own
	asNobody   bool // run as an unprivileged user, because the server is root
}

// ownNamespaces returns the clone flags and the names of the namespaces that the
// kernel has and a worker process gets: a network without interfaces, no other
// processes to see or signal, and no shared memory, mounts, control groups or host
// name of the system.
var ownNamespaces = sync.OnceValues(func() (flags uintptr, names []string) {
	for _, namespace := range []struct {
		file, name string
		flag       uintptr
	}{
		{"net", "network", syscall.CLONE_NEWNET},
		{"pid", "process", syscall.CLONE_NEWPID},
		{"ipc", "IPC", syscall.CLONE_NEWIPC},
		{"mnt", "mount", syscall.CLONE_NEWNS},
		{"uts", "host name", syscall.CLONE_NEWUTS},
		{"cgroup", "control group", syscall.CLONE_NEWCGROUP},
	} {
		if _, err := os.Lstat("/proc/self/ns/" + namespace.file); err == nil {
			flags |= namespace.flag
			names = append(names, namespace.name)
		}
	}
	return flags, names
})

// isolationLevels are tried in order, the strictest first, because systems differ
// in the isolation that they allow. Under root, no level runs as root.
func isolationLevels() (levels []isolation) {
	asNobody := os.Geteuid() == 0
	for _, s := range []*spawner{newSpawner(restrictFiles), newSpawner(withoutLandlock)} {
		levels = append(levels, isolation{s, true, asNobody}, isolation{s, false, asNobody})
	}
	return levels
}

// isolator starts worker processes with the strictest isolation that the system allows.
// The first start finds it, and all later starts use it.
type isolator struct {
	mu      sync.Mutex
	levels  []isolation // not yet refused, the strictest first
	found   bool        // a process has been started with the first of them
	refused error       // why the system does not allow the strictest level; nil if it does
}

var processIsolator = sync.OnceValue(func() *isolator { return &isolator{levels: isolationLevels()} })

// startIsolated starts the command with the strictest isolation that the system
// allows, and returns the layers that hold from the start of the process.
func startIsolated(command func() *exec.Cmd) (cmd *exec.Cmd, layers []Layer, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	level, refused, err := processIsolator().start(func(level isolation) error {
		cmd = command()
		cmd.Stdin, cmd.Stdout = null, null // the spawner's thread cannot open files
		cmd.SysProcAttr = level.attributes()
		return level.spawner.start(cmd)
	})
	if err != nil {
		return nil, nil, err
	}
	return cmd, level.layers(refused), nil
}

// start calls try with the level to use. Until a process has been started, it goes down
// one level for each error that means that the system does not allow the level. It
// returns all other errors, such as a lack of processes or memory, because they pass:
// the next start tries the same level again.
func (i *isolator) start(try func(isolation) error) (level isolation, refused, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for {
		level = i.levels[0]
		if err = try(level); err == nil {
			i.found = true
			return level, i.refused, nil
		}
		if i.found || !notAllowed(err) {
			return level, nil, err
		}
		if len(i.levels) == 1 {
			if level.asNobody {
				err = fmt.Errorf("as user %d: %w: run the server as an ordinary user, or as root that may change users (CAP_SETUID, CAP_SETGID)", nobodyID, err)
			}
			return level, nil, err
		}
		i.refused = cmp.Or(i.refused, err)
		i.levels = i.levels[1:]
	}
}

// notAllowed reports whether an error of a start means that the system does not allow
// the isolation. ENOSPC and, before Linux 4.9, EUSERS are only returned by clone(2) and
// mean that a limit on namespaces is reached, which is 0 on systems that forbid them.
func notAllowed(err error) bool {
	errno, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains([]syscall.Errno{
		syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSYS, syscall.ENOSPC, syscall.EUSERS,
	}, errno)
}

func (l isolation) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{
		Setpgid:   true,            // Ctrl-C signals only the parent
		Pdeathsig: syscall.SIGKILL, // ends with the parent
	}
	if l.asNobody {
		attributes.Credential = &syscall.Credential{Uid: nobodyID, Gid: nobodyID}
	}
	if l.namespaces {
		attributes.Cloneflags, _ = ownNamespaces()
		if os.Geteuid() != 0 {
			// An ordinary user needs a user namespace to create the others. No user
			// of the system has a name in it.
			attributes.Cloneflags |= syscall.CLONE_NEWUSER
		}
	}
	return attributes
}

// layers returns the layers of the level. refused is the reason why the system does not
// allow a stricter level.
func (l isolation) layers(refused error) []Layer {
	user := Layer{Name: "unprivileged user", Holds: true, Detail: fmt.Sprintf("It does not run as root, but as user %d.", nobodyID)}
	if !l.asNobody {
		user.Detail = fmt.Sprintf("It does not run as root: the server runs as user %d.", os.Geteuid())
	}
	_, names := ownNamespaces()
	namespaces := Layer{Name: "namespaces", Holds: true, Optional: true, Detail: "It has namespaces of its own: " + strings.Join(names, ", ") + "."}
	if !l.namespaces {
		namespaces.Holds, namespaces.Detail = false, "not allowed by this system"
		if refused != nil {
			namespaces.Detail += ": " + refused.Error()
		}
	}
	return append([]Layer{user, namespaces}, l.spawner.layers...)
}

// executable returns the path of the running program, even if its file has been
// replaced since it started.
func executable() string { return "/proc/self/exe" }

// addedNiceness lowers the scheduling priority of worker processes below that of the
// server and of PostgreSQL, so that calls of clients do not wait for a core while
// documents are extracted.
const addedNiceness = 10

// maxStack is the maximum size in bytes of the stack of the main thread, which does not count as
// writable memory.
const maxStack = 8 << 20

// confine permanently limits the resources of the current process: above all its writable memory.
func confine(cpu time.Duration, memory int64) error {
	seconds := uint64((cpu + time.Second - 1) / time.Second)
	data := uint64(memory) + slack
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_CPU:   seconds,
		syscall.RLIMIT_DATA:  data,
		syscall.RLIMIT_AS:    data + addressSpace,
		syscall.RLIMIT_STACK: maxStack,
		syscall.RLIMIT_CORE:  0,
		syscall.RLIMIT_FSIZE: 0, // a worker process writes no files
	} {
		var present syscall.Rlimit
		if err := syscall.Getrlimit(resource, &present); err != nil {
			return os.NewSyscallError("getrlimit "+strconv.Itoa(resource), err)
		}
		limit = min(limit, present.Max) // only root can exceed it
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return os.NewSyscallError("setrlimit "+strconv.Itoa(resource), err)
		}
	}
	lowerPriority()
	// Other processes of the same user cannot read the memory of this one.
	return os.NewSyscallError("prctl PR_SET_DUMPABLE", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
}

// lowerPriority lowers the scheduling priority of all threads of the process. On Linux
// each thread has its own priority, which the threads that it starts inherit. The call
// for a process group changes all threads, and a worker process is alone in its group.
// A system that refuses the call still extracts documents, so errors are ignored.
func lowerPriority() {
	inverse, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0) // 20 minus the niceness
	if err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PGRP, 0, 20-inverse+addedNiceness)
	}
}
