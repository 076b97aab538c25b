//go:build unix && !linux

package launch

import "syscall"

// These functions do nothing: this system cannot end a process with its parent, and a process cannot
// adopt orphans.
func endWithThread(*syscall.SysProcAttr) {}
func adoptOrphans()                      {}
func killDescendants(<-chan struct{})    {}
