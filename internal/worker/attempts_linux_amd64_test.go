package worker

import "golang.org/x/sys/unix"

// archCalls exist on this architecture only.
var archCalls = []attempt{
	fork("fork", false, unix.SYS_FORK, 0),
	call("vfork", unix.SYS_VFORK),
	call("open", unix.SYS_OPEN, rootAt, 0, 0),
	call("openat of the x32 ABI", 1<<30|unix.SYS_OPENAT, 0, rootAt, 0),
	call("ptrace of the x32 ABI", 1<<30|521, 0),
	call("arch_prctl", unix.SYS_ARCH_PRCTL, 0x1002, 0),
	call("modify_ldt", unix.SYS_MODIFY_LDT, 0, 0, 0),
	call("iopl", unix.SYS_IOPL, 3),
	call("epoll_create", unix.SYS_EPOLL_CREATE, 1),
}
