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
// left behind. Without it, the garbage collector keeps this memory for minutes if the
// server has little to do.
func releaseMemory() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapSys-memory.HeapReleased > usualHeap {
		debug.FreeOSMemory()
	}
}
