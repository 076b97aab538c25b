package pdf

import "testing"

// TestAllowance checks that each PDF has a limit, and that all PDFs of a submission together have
// one.
func TestAllowance(t *testing.T) {
	t.Parallel()
	inAll := 24
	for i, want := range []int{10, 10, 2, 0} { // an attempt that fails counts too
		a, taken := &allowance{10, &inAll}, 0
		for a.take(1) {
			taken++
		}
		if taken != want {
			t.Errorf("PDF %d has taken %d, want %d", i+1, taken, want)
		}
	}
}
