//go:build unix && !linux

package launch

import "syscall"

// These functions do nothing: this system does not end a process with its parent, and has no adoption
// of orphans.
func endWithThread(*syscall.SysProcAttr) {}
func adoptOrphans()                      {}
func killDescendants(<-chan struct{})    {}
