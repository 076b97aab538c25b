//go:build linux || darwin

package worker

import (
	"os"
	"strconv"
	"syscall"
)

// closeOnExec prevents child processes from inheriting the file descriptors that
// this process inherited. Go already marks the ones that the process opens.
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
