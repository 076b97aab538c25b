//go:build !linux

package storagetest

// memoryDir returns "", because this system has no standard directory in memory.
func memoryDir() string { return "" }
