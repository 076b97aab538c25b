//go:build linux || darwin

package server

import "golang.org/x/sys/unix"

// maxOpenFiles returns how many files and sockets the process can open. The Go runtime
// has raised the limit to the hard limit.
func maxOpenFiles() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 1024 // the most common limit
	}
	return limit.Cur
}
