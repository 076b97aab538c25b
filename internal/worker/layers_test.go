package worker

import "testing"

func TestLogLineNamesLayers(t *testing.T) {
	t.Parallel()
	layers := []Layer{
		{Name: "no_new_privs", Holds: true, Detail: "It cannot gain privileges."},
		{Name: "namespaces", Detail: "not allowed by this system", Optional: true},
		{Name: "Landlock ABI 7", Holds: true},
		{Name: "seccomp", Detail: "not supported on riscv64"},
	}
	const want = "worker sandbox: no_new_privs, Landlock ABI 7; missing: namespaces (not allowed by this system), seccomp (not supported on riscv64)"
	if got := describe(layers); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
