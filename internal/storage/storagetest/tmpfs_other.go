//go:build !linux

package storagetest

import "testing"

// Tmpfs is a file system in memory for one test.
type Tmpfs struct{ Dir string }

// NewTmpfs skips the test: only Linux has such file systems.
func NewTmpfs(t testing.TB, _ string) Tmpfs {
	t.Helper()
	t.Skip("tests can mount a file system only on Linux")
	return Tmpfs{}
}

// Fill is never called.
func (Tmpfs) Fill() (free func()) { return func() {} }

// SetReadOnly is never called.
func (Tmpfs) SetReadOnly(bool) {}
