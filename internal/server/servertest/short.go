package servertest

import "testing"

// Slow skips the test if the flag -short is set, with which the race detector is used
// (make test). It is for tests that take too long with the race detector, and in which one
// client makes one call after the other.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("too slow with the race detector; go test without -short runs it")
	}
}
