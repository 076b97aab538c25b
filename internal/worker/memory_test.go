//go:build linux || darwin

package worker

import "testing"

// TestIdleMemory checks that an idle worker process returns a large amount of garbage to the
// system.
func TestIdleMemory(t *testing.T) {
	unused := memoryInUse()
	garbage := make([]byte, 4*idleGarbage)
	for i := range garbage {
		garbage[i] = 1
	}
	if used := memoryInUse(); used < unused+2*idleGarbage {
		t.Fatalf("%d bytes are in use after %d", used, unused)
	}
	returnIdleMemory(unused)
	if used := memoryInUse(); used > unused+idleGarbage {
		t.Errorf("%d bytes are in use after the pause, and %d before the document", used, unused)
	}
}
