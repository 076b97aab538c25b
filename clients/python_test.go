package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// python returns the path of a Python that has these modules, or skips the test.
func python(t *testing.T, modules string) string {
	t.Helper()
	for _, program := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(program, "-c", "import "+modules).Run() == nil {
			return program
		}
	}
	missing(t, "there is no python3 with the modules %s", modules)
	return ""
}

// pythonEnv returns the environment of tests that use the package from the checkout.
func pythonEnv(t *testing.T, server string) []string {
	t.Helper()
	path, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	return []string{"UNDERSTUDY_BIN=" + server, "PYTHONPATH=" + path, "PYTHONDONTWRITEBYTECODE=1"}
}

func TestPython(t *testing.T) {
	t.Parallel()
	t.Run("pytest", func(t *testing.T) {
		t.Parallel()
		program := python(t, "pytest")
		out := run(t, "python", pythonEnv(t, binary(t)), program, "-W", "error", "-m", "pytest", "-q",
			"-p", "no:cacheprovider", "-p", "understudy.pytest_plugin", "tests", "--ignore=tests/test_fifty.py")
		checkContains(t, out, " passed in ")
	})
	t.Run("xdist", func(t *testing.T) {
		t.Parallel()
		program := python(t, "pytest, xdist")
		server, starts := countingBinary(t)
		out := run(t, "python", pythonEnv(t, server), program, "-W", "error", "-m", "pytest", "-q", "-n", "4",
			"-p", "no:cacheprovider", "-p", "understudy.pytest_plugin", "tests/test_fifty.py")
		checkContains(t, out, "50 passed in ")
		if got := starts(); got != 1 {
			t.Errorf("got %d servers for four workers, want 1", got)
		}
	})
	t.Run("unittest", func(t *testing.T) {
		t.Parallel()
		out := run(t, "python/tests", pythonEnv(t, binary(t)), python(t, "unittest"), "-W", "error", "-m", "unittest", "unittest_sandbox.py")
		checkContains(t, out, "Ran 2 tests", "OK")
	})
	t.Run("mypy", func(t *testing.T) {
		t.Parallel()
		run(t, "python", nil, look(t, "mypy"), "--cache-dir", os.DevNull)
	})
	t.Run("ends", func(t *testing.T) {
		t.Parallel()
		// The forked process keeps the server's standard input open.
		const script = `
import os, sys, understudy
sandbox = understudy.Sandbox()
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
print(sandbox.control_url, flush=True)
sys.stdin.read()
`
		checkServerEnds(t, "python", pythonEnv(t, binary(t)), python(t, "os"), "-c", script)
	})
}

// TestPythonInstalled installs the package without a network, and runs a test with the fixture of the plugin that pytest finds.
func TestPythonInstalled(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	t.Parallel()
	program := python(t, "pip, pytest")
	target, dir := t.TempDir(), t.TempDir()
	run(t, "python", []string{"PYTHONDONTWRITEBYTECODE=1"}, program, "-m", "pip", "install", "-q", "--disable-pip-version-check",
		"--no-index", "--root-user-action=ignore", "--target", target, ".")
	if _, err := os.Stat(filepath.Join(target, "understudy", "py.typed")); err != nil {
		t.Error(err)
	}
	test := "def test_tenant(tenant):\n    assert tenant.token()\n"
	if err := os.WriteFile(filepath.Join(dir, "test_installed.py"), []byte(test), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"UNDERSTUDY_BIN=" + binary(t), "PYTHONPATH=" + target}
	checkContains(t, run(t, dir, env, program, "-m", "pytest", "-q", "test_installed.py"), "1 passed in ")
}

// TestPythonReadme runs the tests that the README shows.
func TestPythonReadme(t *testing.T) {
	t.Parallel()
	program := python(t, "pytest")
	blocks := codeBlocks(t, "python/README.md", "python")
	for i, block := range blocks {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("test_readme_%d.py", i))
		if err := os.WriteFile(path, []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
		out := run(t, t.TempDir(), pythonEnv(t, binary(t)), program, "-m", "pytest", "-q", "-p", "understudy.pytest_plugin", path)
		checkContains(t, out, "1 passed in ")
	}
}
