//go:build !linux

package storagetest

import "testing"

// Tmpfs is a file system in memory of a test's own.
type Tmpfs struct{ Dir string }

// NewTmpfs skips the test: only Linux has such file systems.
func NewTmpfs(t testing.TB, _ string) Tmpfs {
	t.Helper()
	t.Skip("a file system can be mounted for a test only on Linux")
	return Tmpfs{}
}

// Fill is never called.
func (Tmpfs) Fill() (free func()) { return func() {} }

// SetReadOnly is never called.
func (Tmpfs) SetReadOnly(bool) {}
