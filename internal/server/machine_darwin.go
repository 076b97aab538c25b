package server

import "golang.org/x/sys/unix"

// memoryOfMachine returns the memory of the machine in bytes.
func memoryOfMachine() (int64, error) {
	size, err := unix.SysctlUint64("hw.memsize")
	return int64(size), err
}
