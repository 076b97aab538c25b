//go:build linux || darwin

package transfer

import "golang.org/x/sys/unix"

// MaxOpenFiles returns how many files and sockets the process can open. The Go runtime
// has raised the limit to the hard limit.
func MaxOpenFiles() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 1024 // the most common limit
	}
	return limit.Cur
}
