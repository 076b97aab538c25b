package server

import (
	"runtime"
	"runtime/debug"
	"time"
)

const (
	// memoryPause is the time between two calls of releaseMemory.
	memoryPause = 10 * time.Second
	// usualHeap is the size of the heap in bytes up to which releaseMemory does nothing.
	usualHeap = 64 << 20
)

// releaseMemory returns memory to the system that large documents and responses have
// left behind. The collector on its own lets garbage grow to the size that was needed
// last, for minutes if there is little to do.
func releaseMemory() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapSys-memory.HeapReleased > usualHeap {
		debug.FreeOSMemory()
	}
}
