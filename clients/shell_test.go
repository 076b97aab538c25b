package clients_test

import (
	"strings"
	"testing"
)

// TestShell runs the three example tests 17 times, four at once, on one server.
func TestShell(t *testing.T) {
	t.Parallel()
	look(t, "curl")
	out := run(t, "../examples/testing", nil, binary(t), "exec", "--fail-on-findings", "--",
		"sh", "-c", "seq 4 | xargs -P 4 -I run ./understudy_test.sh")
	checkContains(t, out, "No findings")
	if got := strings.Count(out, "ok "); got != 12 {
		t.Errorf("%d tests passed, want 12:\n%s", got, out)
	}
}
