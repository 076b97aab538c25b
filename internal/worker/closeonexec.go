//go:build linux || darwin

package worker

import (
	"os"
	"strconv"
	"syscall"
)

// closeOnExec keeps the descriptors that this process was itself started with
// from its children; those it opens are kept from them anyway.
func closeOnExec() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
