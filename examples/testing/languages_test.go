package checkout_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"understudy.example/sandbox"
)

// TestLanguages runs the tests of the other languages: they pass, all of them,
// and fail where there is no API.
func TestLanguages(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t)
	for _, language := range []struct {
		needs   string
		command []string
		proof   []string // what it prints when all have run
	}{
		{"curl", []string{"./understudy_test.sh"}, []string{"ok failure", "ok unavailable", "ok token_expires"}},
		{"python3", []string{"python3", "-B", "-m", "unittest", "-v", "test_understudy.py"}, []string{"Ran 3 tests", "OK"}},
		{"node", []string{"node", "--test", "--test-reporter=tap", "understudy.test.mjs"}, []string{"# pass 3", "# fail 0"}},
	} {
		t.Run(language.needs, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(language.needs); err != nil {
				t.Skipf("%s is not installed", language.needs)
			}
			run := func(api string) (string, error) {
				command := exec.CommandContext(t.Context(), language.command[0], language.command[1:]...)
				command.Env = append(os.Environ(), "UNDERSTUDY_API_URL="+api, "UNDERSTUDY_CONTROL_URL="+s.ControlURL)
				out, err := command.CombinedOutput()
				return string(out), err
			}
			out, err := run("") // the control listener knows
			if err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
			for _, proof := range language.proof {
				if !strings.Contains(out, proof) {
					t.Errorf("no %q in:\n%s", proof, out)
				}
			}
			if out, err := run(s.ControlURL); err == nil {
				t.Errorf("it passes without an API:\n%s", out)
			}
		})
	}
}
