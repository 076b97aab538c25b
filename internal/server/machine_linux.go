package server

import "golang.org/x/sys/unix"

// memoryOfMachine returns the memory of the machine in bytes.
func memoryOfMachine() (int64, error) {
	var info unix.Sysinfo_t
	err := unix.Sysinfo(&info)
	return int64(info.Totalram) * int64(info.Unit), err
}
