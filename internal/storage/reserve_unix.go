//go:build linux || darwin

package storage

import "golang.org/x/sys/unix"

// diskSpace returns how many bytes are free for this process on the file system of the
// directory, and its size.
func diskSpace(dir string) (free, total uint64, err error) {
	var found unix.Statfs_t
	if err := unix.Statfs(dir, &found); err != nil {
		return 0, 0, err
	}
	return uint64(found.Bavail) * uint64(found.Bsize), uint64(found.Blocks) * uint64(found.Bsize), nil
}
