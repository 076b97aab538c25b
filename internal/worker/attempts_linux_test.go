//go:build amd64 || arm64

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// targets are the files, addresses and processes that a worker process must not be able
// to reach.
type targets struct {
	Upload, MasterKey, New string // files
	Socket, Abstract, TCP  string // addresses
	Parent                 int    // process id
}

// makeAttempts is the work of a hostile worker process: it makes all attempts, with the
// targets listed in the document, and reports their errors.
func makeAttempts(_ context.Context, req request, document io.ReaderAt) response {
	var targets targets
	if err := json.NewDecoder(io.NewSectionReader(document, 0, req.Size)).Decode(&targets); err != nil {
		return response{Fault: err.Error()}
	}
	results := map[string]string{}
	for _, attempt := range attempts {
		results[attempt.name] = ""
		if forbidden == allow && !attempt.harmless {
			continue
		}
		if err := attempt.try(targets); err != nil {
			results[attempt.name] = err.Error()
		}
	}
	report, err := json.Marshal(results)
	if err != nil {
		return response{Fault: err.Error()}
	}
	return response{Reason: string(report)}
}

// attempt is an action that a worker process must not be able to do.
type attempt struct {
	name string
	// harmless reports whether an ordinary user can do it outside of a sandbox, without
	// consequences.
	harmless bool
	try      func(targets) error
}

// call returns an attempt to make the system call.
func call(name string, number uintptr, arguments ...uintptr) attempt {
	return attempt{name, false, func(targets) error {
		var all [6]uintptr
		copy(all[:], arguments)
		_, _, errno := unix.RawSyscall6(number, all[0], all[1], all[2], all[3], all[4], all[5])
		return asError(errno)
	}}
}

func open(name string, path func(targets) string) attempt {
	return attempt{name, true, func(t targets) error {
		file, err := os.Open(path(t))
		if err == nil {
			_, err = io.ReadAll(file)
			file.Close()
		}
		return err
	}}
}

func connect(name, network string, address func(targets) string) attempt {
	return attempt{name, true, func(t targets) error {
		conn, err := net.Dial(network, address(t))
		if err == nil {
			conn.Close()
		}
		return err
	}}
}

// threadFlags are the flags of a clone call that starts a thread.
const threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM

// fork returns an attempt to start a process, which exits at once.
func fork(name string, harmless bool, number uintptr, flags uintptr) attempt {
	return attempt{name, harmless, func(targets) error {
		child, _, errno := unix.RawSyscall6(number, flags, 0, 0, 0, 0, 0)
		if child == 0 && errno == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		if errno == 0 {
			unix.Wait4(int(child), nil, 0, nil)
		}
		return asError(errno)
	}}
}

// mapMemory returns an attempt to map memory that belongs to no file.
func mapMemory(name string, harmless bool, protection, flags int) attempt {
	return attempt{name, harmless, func(targets) error {
		memory, err := unix.Mmap(-1, 0, 4096, protection, flags|unix.MAP_ANON)
		if err == nil {
			unix.Munmap(memory)
		}
		return err
	}}
}

var (
	word     [16]uint64 // memory for arguments
	wordAt   = uintptr(unsafe.Pointer(&word))
	rootPath = [...]byte{'/', 0}
	rootAt   = uintptr(unsafe.Pointer(&rootPath))
)

var attempts = append([]attempt{
	open("open another tenant's upload", func(t targets) string { return t.Upload }),
	open("open master.key", func(t targets) string { return t.MasterKey }),
	open("open /etc/passwd", func(targets) string { return "/etc/passwd" }),
	open("open /proc/self/environ", func(targets) string { return "/proc/self/environ" }),
	{"list the root directory", true, func(targets) error {
		_, err := os.ReadDir("/")
		return err
	}},
	{"create a file", true, func(t targets) error {
		defer os.Remove(t.New)
		return os.WriteFile(t.New, nil, 0o600)
	}},
	{"link a file", false, func(t targets) error { return unix.Link(t.Upload, t.New) }},
	{"rename a file", false, func(t targets) error { return unix.Rename(t.MasterKey, t.New) }},
	{"delete a file", false, func(t targets) error { return unix.Unlink(t.MasterKey) }},
	{"truncate a file", false, func(t targets) error { return unix.Truncate(t.MasterKey, 0) }},
	{"state of a file", true, func(t targets) error {
		_, err := os.Stat(t.Upload)
		return err
	}},
	connect("connect to the socket of PostgreSQL", "unix", func(t targets) string { return t.Socket }),
	connect("connect to an abstract Unix socket", "unix", func(t targets) string { return t.Abstract }),
	connect("connect to a TCP port", "tcp4", func(t targets) string { return t.TCP }),
	{"listen on a TCP port", true, func(targets) error {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err == nil {
			listener.Close()
		}
		return err
	}},
	{"open a pair of sockets", true, func(targets) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(pair[0])
			unix.Close(pair[1])
		}
		return err
	}},
	{"send a descriptor to the parent", false, func(targets) error {
		return unix.Sendmsg(3, []byte{0}, unix.UnixRights(0), nil, 0)
	}},
	{"run a program", true, func(targets) error {
		program, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
		if err == nil {
			_, err = program.Wait()
		}
		return err
	}},
	{"become a program", false, func(targets) error { return unix.Exec("/proc/self/exe", []string{"true"}, nil) }},
	{"run a file in memory", false, func(targets) error {
		file, err := unix.MemfdCreate("program", 0)
		if err == nil {
			unix.Close(file)
		}
		return err
	}},
	fork("clone without CLONE_THREAD", true, unix.SYS_CLONE, uintptr(unix.SIGCHLD)),
	fork("clone like vfork", false, unix.SYS_CLONE, unix.CLONE_VFORK|unix.CLONE_VM|uintptr(unix.SIGCHLD)),
	fork("clone of a thread", false, unix.SYS_CLONE, threadFlags),
	fork("clone of a thread with a user namespace", false, unix.SYS_CLONE, threadFlags|unix.CLONE_NEWUSER),
	fork("clone of a thread with a network", false, unix.SYS_CLONE, threadFlags|unix.CLONE_NEWNET),
	{"signal the parent", true, func(t targets) error { return unix.Kill(t.Parent, 0) }},
	{"signal process 1", false, func(targets) error { return unix.Kill(1, unix.SIGKILL) }},
	{"signal a thread of the parent", false, func(t targets) error { return unix.Tgkill(t.Parent, t.Parent, unix.SIGKILL) }},
	{"trace the parent", true, func(t targets) error { return asError(seize(t.Parent)) }},
	{"read the memory of the parent", true, func(t targets) error {
		var here [8]byte
		local := []unix.Iovec{{Base: &here[0], Len: 8}}
		_, err := unix.ProcessVMReadv(t.Parent, local, []unix.RemoteIovec{{Base: wordAt, Len: 8}}, 0)
		if errors.Is(err, unix.EFAULT) { // allowed, but the parent has nothing there
			err = nil
		}
		return err
	}},
	{"make memory executable", true, func(targets) error {
		memory, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return nil // that is allowed
		}
		defer unix.Munmap(memory)
		return unix.Mprotect(memory, unix.PROT_READ|unix.PROT_EXEC)
	}},
	{"make memory read-only", true, func(targets) error {
		memory, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return nil // that is allowed
		}
		defer unix.Munmap(memory)
		return unix.Mprotect(memory, unix.PROT_READ)
	}},
	mapMemory("map executable memory", true, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE),
	mapMemory("map shared memory", true, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED),
	mapMemory("map a stack that grows", true, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_GROWSDOWN),
	mapMemory("map huge pages", false, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_HUGETLB),
	{"become readable for others", false, func(targets) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) }},
	{"have signals sent to the parent", false, func(t targets) error {
		_, err := unix.FcntlInt(3, unix.F_SETOWN, t.Parent)
		return err
	}},
	{"raise its priority", false, func(targets) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, 0) }},
	{"raise a resource limit", false, func(targets) error {
		return unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
	}},
}, append(otherCalls, archCalls...)...)

func seize(pid int) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0)
	return errno
}

// otherCalls need privileges outside of a sandbox too, or depend on the kernel.
var otherCalls = []attempt{
	call("clone3", unix.SYS_CLONE3, wordAt, 88),
	call("mount", unix.SYS_MOUNT, rootAt, rootAt, 0, unix.MS_BIND, 0),
	call("umount", unix.SYS_UMOUNT2, rootAt, unix.MNT_DETACH),
	call("pivot_root", unix.SYS_PIVOT_ROOT, rootAt, rootAt),
	call("chroot", unix.SYS_CHROOT, rootAt),
	call("chdir", unix.SYS_CHDIR, rootAt),
	call("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER),
	call("setns", unix.SYS_SETNS, 0, 0),
	call("open_tree", unix.SYS_OPEN_TREE, ^uintptr(99), rootAt, 0),
	call("openat2", unix.SYS_OPENAT2, ^uintptr(99), rootAt, wordAt, 24),
	call("open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, 0, wordAt, 0),
	call("io_uring_setup", unix.SYS_IO_URING_SETUP, 8, wordAt),
	call("bpf", unix.SYS_BPF, 5, wordAt, 128),
	call("keyctl", unix.SYS_KEYCTL, 0, ^uintptr(2), 0),
	call("add_key", unix.SYS_ADD_KEY, rootAt, rootAt, 0, 0, ^uintptr(2)),
	call("execveat", unix.SYS_EXECVEAT, 0, rootAt, 0, 0, unix.AT_EMPTY_PATH),
	call("ptrace", unix.SYS_PTRACE, 0),
	call("process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, 1, wordAt, 0, wordAt, 0),
	call("pidfd_open", unix.SYS_PIDFD_OPEN, 1, 0),
	call("pidfd_getfd", unix.SYS_PIDFD_GETFD, 0, 0, 0),
	call("pidfd_send_signal", unix.SYS_PIDFD_SEND_SIGNAL, 0, 9, 0, 0),
	call("rt_sigqueueinfo", unix.SYS_RT_SIGQUEUEINFO, 1, 9, wordAt),
	call("setuid", unix.SYS_SETUID, 0),
	call("setgid", unix.SYS_SETGID, 0),
	call("setgroups", unix.SYS_SETGROUPS, 0, 0),
	call("capset", unix.SYS_CAPSET, wordAt, wordAt),
	call("ioctl", unix.SYS_IOCTL, 2, unix.TIOCSTI, wordAt),
	call("userfaultfd", unix.SYS_USERFAULTFD, 0),
	call("perf_event_open", unix.SYS_PERF_EVENT_OPEN, wordAt, 0, ^uintptr(0), ^uintptr(0), 0),
	call("init_module", unix.SYS_INIT_MODULE, wordAt, 0, rootAt),
	call("kexec_load", unix.SYS_KEXEC_LOAD, 0, 0, 0, 0),
	call("reboot", unix.SYS_REBOOT, 0, 0, 0, 0),
	call("swapon", unix.SYS_SWAPON, rootAt, 0),
	call("personality", unix.SYS_PERSONALITY, 0),
	call("seccomp", unix.SYS_SECCOMP, 0, 0, 0),
	call("landlock_create_ruleset", unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1),
	call("shmget", unix.SYS_SHMGET, 0, 4096, 0o1600),
	call("dup", unix.SYS_DUP, 0),
	call("pwrite64", unix.SYS_PWRITE64, 0, wordAt, 0, 0),
	call("ftruncate", unix.SYS_FTRUNCATE, 0, 0),
	call("bind", unix.SYS_BIND, 3, wordAt, 2),
	call("listen", unix.SYS_LISTEN, 3, 1),
	call("setsockopt", unix.SYS_SETSOCKOPT, 3, 1, 1, wordAt, 4),
	call("sched_setscheduler", unix.SYS_SCHED_SETSCHEDULER, 0, 0, wordAt),
	call("timer_create", unix.SYS_TIMER_CREATE, 0, 0, wordAt),
	call("a call that does not exist", 9999),
}
