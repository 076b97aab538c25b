//go:build unix && !linux

package launch

import "syscall"

// endWithThread does nothing: this system does not end a process with its parent.
func endWithThread(*syscall.SysProcAttr) {}
