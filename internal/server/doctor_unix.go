//go:build linux || darwin

package server

import "golang.org/x/sys/unix"

// writable returns an error if this process cannot create files in the directory.
func writable(dir string) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}
