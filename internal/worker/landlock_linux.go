package worker

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// restrictFiles denies the current thread, and the processes that it starts, access to
// files, TCP, UDP, abstract Unix sockets and signals to other processes, as far as the
// kernel's version of Landlock supports it. Programs that it starts can only read and
// run the program itself.
//
// Its error means that the system lacks a resource at the moment.
//
// The library go-landlock cannot be used: it restricts all threads of a process.
func restrictFiles() (Layer, error) {
	layer := Layer{Name: "Landlock", Optional: true}
	missing := func(err error) (Layer, error) {
		if isShortage(err) {
			return Layer{}, err
		}
		layer.Detail = err.Error()
		return layer, nil
	}
	abi, err := landlockABI()
	if err != nil {
		return missing(fmt.Errorf("not supported by this kernel: %w", err))
	}
	layer.Name = fmt.Sprintf("Landlock ABI %d", abi)
	handled, prevented := landlockRights(abi)
	ruleset, err := landlockRuleset(handled)
	if err != nil {
		return missing(err)
	}
	defer unix.Close(ruleset)
	if err := allowProgram(ruleset); err != nil {
		return missing(err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return missing(os.NewSyscallError("landlock_restrict_self", errno))
	}
	layer.Holds = true
	layer.Detail = "It cannot use " + strings.Join(prevented, ", ") + "."
	return layer, nil
}

// withoutLandlock is for a system on which processes do not start after restrictFiles.
func withoutLandlock() (Layer, error) {
	return Layer{Name: "Landlock", Optional: true, Detail: "worker processes do not start with it"}, nil
}

// landlockABI returns the version of Landlock that the kernel supports, at least 1.
func landlockABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return int(abi), os.NewSyscallError("landlock_create_ruleset", asError(errno))
}

// landlockRights returns all rights that the version of Landlock can deny, with a
// description of them.
func landlockRights(abi int) (handled unix.LandlockRulesetAttr, prevented []string) {
	rights := &handled.Handled_access_fs
	*rights = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1 // all rights of the first version, of which this is the last
	prevented = []string{"files other than its own program"}
	for _, version := range []struct {
		abi    int
		rights *uint64
		added  uint64
		name   string
	}{
		{2, rights, unix.LANDLOCK_ACCESS_FS_REFER, ""},
		{3, rights, unix.LANDLOCK_ACCESS_FS_TRUNCATE, ""},
		{4, &handled.Handled_access_net, unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, "TCP"},
		{5, rights, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, "devices"},
		{6, &handled.Scoped, unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, "abstract Unix sockets"},
		{6, &handled.Scoped, landlockSignals(), "signals to other processes"},
		{9, rights, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX, "Unix sockets"},
		{10, &handled.Handled_access_net, unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP, "UDP"},
	} {
		if abi < version.abi || version.added == 0 {
			continue
		}
		*version.rights |= version.added
		if version.name != "" {
			prevented = append(prevented, version.name)
		}
	}
	return handled, prevented
}

// landlockSignals returns the right to signal other processes, if the kernel has the
// fix for erratum 2. Without it, threads could not signal each other either, which the
// Go runtime requires.
func landlockSignals() uint64 {
	const corrected = 1 << 1 // erratum 2
	errata, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	if errno != 0 || errata&corrected == 0 {
		return 0
	}
	return unix.LANDLOCK_SCOPE_SIGNAL
}

// restrictAllThreads also denies all threads of the current process what restrictFiles
// still allows: to read its program, and to trace or signal the spawner's thread, which
// is under the same restrictions. In a program built with cgo this requires ABI 8.
// After an error, the restrictions of restrictFiles still apply.
func restrictAllThreads() error {
	abi, err := landlockABI()
	if err != nil {
		return err
	}
	handled, _ := landlockRights(abi)
	ruleset, err := landlockRuleset(handled)
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	const allThreads = 8 // the first version that has the flag
	if abi >= allThreads {
		_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), unix.LANDLOCK_RESTRICT_SELF_TSYNC, 0)
		return asError(errno)
	}
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0)
	return asError(errno)
}

func asError(errno unix.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// landlockRuleset returns a descriptor of a ruleset that denies all rights in handled.
func landlockRuleset(handled unix.LandlockRulesetAttr) (int, error) {
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&handled)), unsafe.Sizeof(handled), 0)
	return int(ruleset), os.NewSyscallError("landlock_create_ruleset", asError(errno))
}

// allowProgram adds to the ruleset that the current program can be read and run.
func allowProgram(ruleset int) error {
	files, err := programFiles()
	if err != nil {
		return err
	}
	for _, path := range files {
		file, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return os.NewSyscallError("open "+path, err)
		}
		rule := unix.LandlockPathBeneathAttr{
			Allowed_access: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE,
			Parent_fd:      int32(file),
		}
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		unix.Close(file)
		if errno != 0 {
			return os.NewSyscallError("landlock_add_rule "+path, errno)
		}
	}
	return nil
}

// programFiles returns the files that a process needs to run the current program: the
// program and, if it is dynamically linked, its loader, its libraries and their list.
func programFiles() ([]string, error) {
	files := []string{executable()}
	self, err := os.Readlink(executable())
	if err != nil {
		return nil, err
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		// Such as "7f0a-7f0b r-xp 0000 08:01 42   /lib/libc.so.6".
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || !strings.Contains(fields[1], "x") || !strings.HasPrefix(fields[5], "/") {
			continue
		}
		path := strings.Join(fields[5:], " ")
		if _, err := os.Stat(path); err == nil && path != self && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	const libraries = "/etc/ld.so.cache"
	if _, err := os.Stat(libraries); err == nil && len(files) > 1 {
		files = append(files, libraries)
	}
	return files, nil
}
