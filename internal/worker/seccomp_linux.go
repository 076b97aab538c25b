//go:build amd64 || arm64

package worker

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// architecture is the value that the kernel passes to a filter for system calls of the
// program's own architecture. Other architectures have other numbers for the same
// calls.
var architecture = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// Results of a filter.
const (
	allow = unix.SECCOMP_RET_ALLOW
	kill  = unix.SECCOMP_RET_KILL_PROCESS
)

// forbidden is the result for a system call that is not allowed. Go code reports EPERM
// with the name of the call, so a call that is missing in the list appears in an error
// message or in the Go runtime's output, and fails one document at most. The tests of
// this package end the process instead.
var forbidden uint32 = fail(unix.EPERM)

func fail(err unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(err) }

// allowedCalls are the system calls that a worker process needs after its start.
var allowedCalls = []uint32{
	// its document, the requests and responses, and its standard error output: files
	// that are open. It can receive file descriptors, but cannot send any
	unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_RECVMSG, unix.SYS_WRITE, unix.SYS_CLOSE,
	unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT,
	// memory
	unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
	// threads, including those of cgo and of the race detector; the process cannot start any
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETTID, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	// signals, which the Go runtime sends to its own threads
	unix.SYS_SIGALTSTACK, unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN,
	// facts about the process, and randomness
	unix.SYS_GETPID, unix.SYS_GETRUSAGE, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_GETRANDOM,
}

// idleThreads is the number of threads that are started before they are forbidden. The Go
// runtime needs one for each goroutine that is in a system call, one for the other goroutines,
// and two for itself. Only one goroutine at a time reads the document's file; other calls do not
// occupy a thread. The runtime never ends an idle thread, and ends the process if it needs a
// thread and cannot start one. With cgo, the stack of each thread counts as 8 MiB of memory.
const idleThreads = 8

// startThreads starts threads that stay idle until the Go runtime needs them.
func startThreads() {
	var all, started sync.WaitGroup
	started.Add(idleThreads)
	for range idleThreads {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			started.Done()
			started.Wait()
		})
	}
	all.Wait()
}

// filterSystemCalls denies all threads of the process all system calls except those
// that extracting a document needs. It cannot be undone.
func filterSystemCalls() error {
	startThreads()
	return setFilter(systemCallFilter(os.Getpid()))
}

// setFilter sets the filter for all threads of the process.
func setFilter(instructions []bpf.Instruction) error {
	program, err := bpf.Assemble(instructions)
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(program))
	for i, instruction := range program {
		filter[i] = unix.SockFilter{Code: instruction.Op, Jt: instruction.Jt, Jf: instruction.Jf, K: instruction.K}
	}
	// The thread that sets the filter needs no_new_privs.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_SET_NO_NEW_PRIVS", err)
	}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})))
	switch {
	case errno != 0:
		return os.NewSyscallError("seccomp", errno)
	case thread != 0:
		return fmt.Errorf("seccomp: thread %d has another filter", thread)
	}
	return nil
}

// systemCallFilter returns the filter for the process with the given id.
func systemCallFilter(pid int) []bpf.Instruction {
	filter := []bpf.Instruction{
		bpf.LoadAbsolute{Off: 4, Size: 4}, // the architecture
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architecture, SkipTrue: 1},
		bpf.RetConstant{Val: kill},        // this program never makes such a call
		bpf.LoadAbsolute{Off: 0, Size: 4}, // the number of the call
	}
	for _, call := range allowedCalls {
		filter = append(filter, onCall(call, bpf.RetConstant{Val: allow})...)
	}
	filter = append(filter, onCall(unix.SYS_TGKILL, allowIf(argument{0, ^uint32(0), uint32(pid)})...)...)
	// The process cannot map code that the program does not contain, nor memory that would not
	// count towards its memory limit: shared memory, huge pages, and stacks that grow. Memory
	// that is made read-only would no longer count either.
	filter = append(filter, onCall(unix.SYS_MMAP, allowIf(argument{2, unix.PROT_EXEC, 0}, argument{3, unix.MAP_TYPE | unix.MAP_GROWSDOWN | unix.MAP_HUGETLB, unix.MAP_PRIVATE})...)...)
	filter = append(filter, onCall(unix.SYS_MPROTECT, allowIf(argument{2, ^uint32(0), unix.PROT_READ | unix.PROT_WRITE})...)...)
	// Checking whether a descriptor is blocking, and naming the memory of the Go
	// runtime.
	filter = append(filter, onCall(unix.SYS_FCNTL, allowIf(argument{1, ^uint32(0), unix.F_GETFL})...)...)
	filter = append(filter, onCall(unix.SYS_PRCTL, allowIf(argument{0, ^uint32(0), unix.PR_SET_VMA})...)...)
	return append(filter, bpf.RetConstant{Val: forbidden})
}

// onCall returns instructions that continue with the given ones for the system call,
// and skip them for others. The number of the call is loaded.
func onCall(call uint32, then ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: uint8(len(then))}}, then...)
}

// argument is a condition on an argument of a system call: after masking, it must equal the value.
// The first argument has number 0. The arguments have 64 bits. The calls of the filter use the lower
// 32 bits, which come first on both architectures.
type argument struct {
	number      int
	mask, value uint32
}

// allowIf returns instructions that allow a system call if its arguments meet all conditions.
func allowIf(arguments ...argument) (filter []bpf.Instruction) {
	for _, a := range arguments {
		filter = append(filter,
			bpf.LoadAbsolute{Off: uint32(16 + 8*a.number), Size: 4},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: a.mask},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.value, SkipTrue: 1},
			bpf.RetConstant{Val: forbidden})
	}
	return append(filter, bpf.RetConstant{Val: allow})
}
