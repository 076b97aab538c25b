package checkout_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/sandbox"
)

// TestOtherLanguages runs the tests in other languages. All must pass, and fail
// if UNDERSTUDY_API_URL is not the URL of an API.
func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t)
	pythonPath, err := filepath.Abs("../../clients/python")
	if err != nil {
		t.Fatal(err)
	}
	python := pythonWithPytest()
	for _, language := range []struct {
		program string
		command []string
		output  []string // lines that it prints when all tests have passed
	}{
		{"curl", []string{"./understudy_test.sh"}, []string{"ok failure", "ok unavailable", "ok token_expires"}},
		{python, []string{python, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-p", "understudy.pytest_plugin", "test_understudy.py"}, []string{"3 passed in "}},
		{"node", []string{"node", "--test", "--test-reporter=tap", "understudy.test.mjs"}, []string{"# pass 3", "# fail 0"}},
	} {
		t.Run(filepath.Base(language.program), func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(language.program); err != nil {
				t.Skipf("%s is not installed", language.program)
			}
			run := func(apiURL string) (string, error) {
				command := exec.CommandContext(t.Context(), language.command[0], language.command[1:]...)
				command.Env = append(os.Environ(), "UNDERSTUDY_API_URL="+apiURL, "UNDERSTUDY_CONTROL_URL="+s.ControlURL, "PYTHONPATH="+pythonPath)
				out, err := command.CombinedOutput()
				return string(out), err
			}
			out, err := run("") // the control listener returns the URL
			if err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
			for _, want := range language.output {
				if !strings.Contains(out, want) {
					t.Errorf("output does not contain %q:\n%s", want, out)
				}
			}
			if out, err := run(s.ControlURL); err == nil {
				t.Errorf("the tests passed without an API:\n%s", out)
			}
		})
	}
}

// pythonWithPytest returns a Python that has pytest, or "pytest" if there is none.
func pythonWithPytest() string {
	for _, program := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(program, "-c", "import pytest").Run() == nil {
			return program
		}
	}
	return "pytest"
}
