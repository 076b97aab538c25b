package storagetest

import (
	"os"
	"syscall"
	"testing"
)

// Tmpfs is a file system in memory for one test.
type Tmpfs struct {
	t   testing.TB
	Dir string
}

// NewTmpfs mounts a file system of that many bytes until the test ends. It skips the test
// if the user cannot mount one.
func NewTmpfs(t testing.TB, size string) Tmpfs {
	t.Helper()
	m := Tmpfs{t, t.TempDir()}
	if err := syscall.Mount("tmpfs", m.Dir, "tmpfs", 0, "mode=0755,size="+size); err != nil {
		t.Skipf("cannot mount a file system, which needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(m.Dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return m
}

// Fill fills the file system. The function that it returns frees the space again.
func (m Tmpfs) Fill() (free func()) {
	m.t.Helper()
	f, err := os.CreateTemp(m.Dir, "filler-")
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 4096); ; {
		if _, err := f.Write(block); err != nil {
			break
		}
	}
	return func() {
		m.t.Helper()
		if err := os.Remove(f.Name()); err != nil {
			m.t.Fatal(err)
		}
	}
}

// SetReadOnly makes the file system read-only, or writable again.
func (m Tmpfs) SetReadOnly(readOnly bool) {
	m.t.Helper()
	var flags uintptr = syscall.MS_REMOUNT
	if readOnly {
		flags |= syscall.MS_RDONLY
	}
	if err := syscall.Mount("tmpfs", m.Dir, "tmpfs", flags, ""); err != nil {
		m.t.Fatal(err)
	}
}
