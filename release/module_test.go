package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestModuleIsInstalled serves the module of a release from a directory, as a private proxy
// does: go install builds the server of that version, and tests of another module use the
// package sandbox, which runs the server from the module. The other modules are those of the
// module cache.
func TestModuleIsInstalled(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	r := release{Version: version, Output: t.TempDir(), Source: ".."}
	name, err := r.packModule(time.Unix(1767225600, 0))
	if err != nil {
		t.Fatal(err)
	}
	proxy, checkout, bin := t.TempDir(), t.TempDir(), t.TempDir()
	extract(t, filepath.Join(r.Output, name), proxy)
	// The module cache of the machine stays as it is: the version of this test changes.
	env := append(os.Environ(),
		"GOPROXY=file://"+proxy+",file://"+goEnv(t, "GOMODCACHE")+"/cache/download", "GOMODCACHE="+t.TempDir(), "GOBIN="+bin,
		"GOSUMDB=off", "GONOSUMDB=", "GOPRIVATE=", "GONOPROXY=", "GOINSECURE=", "GOTOOLCHAIN=local", "GOWORK=off",
		// -trimpath, so that the build cache of TestReleaseIsReproducible is used.
		"GOFLAGS=-mod=mod -modcacherw -trimpath", "CGO_ENABLED=0")
	run := func(arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
		command.Dir, command.Env = checkout, env
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	m := strings.TrimSpace(modulePath(t))
	run("go", "install", m+"/cmd/server@"+version)
	server := filepath.Join(bin, "server")
	if got := run(server, "--version"); got != version {
		t.Errorf("server --version: got %q, want %q", got, version)
	}

	run("go", "mod", "init", "checkout")
	run("go", "get", m+"@latest") // the only one
	if got := run("go", "list", "-m", m); got != m+" "+version {
		t.Errorf("the other module requires %s, want version %s", got, version)
	}
	if err := os.WriteFile(filepath.Join(checkout, "understudy_test.go"), read(t, "../examples/testing", "understudy_test.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "UNDERSTUDY_BIN=", "UNDERSTUDY_CONTROL_URL=") // so that sandbox builds the server from the module
	run("go", "vet", "./...")
	run("go", "test", "./...")
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func modulePath(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// extract writes the files of an archive to a directory, without the first part of their
// names, as tar --strip-components=1 does.
func extract(t *testing.T, archive, directory string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for contents := tar.NewReader(compressed); ; {
		header, err := contents.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(header.Name, "/")
		text, err := io.ReadAll(contents)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(directory, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestModulesThatCannotBeInstalled checks the reasons for which a module is refused, and that
// there is none for this one.
func TestModulesThatCannotBeInstalled(t *testing.T) {
	t.Parallel()
	if _, err := checkModule(read(t, "..", "go.mod"), version); err != nil {
		t.Error(err)
	}
	for want, test := range map[string][2]string{
		"":                                      {"v1.2.3", "module a.example\n"},
		"go.mod replaces b.example: go install": {"v1.2.3", "module a.example\nreplace b.example => ../b\n"},
		"go.mod excludes b.example@v1.0.0":      {"v1.2.3", "module a.example\nexclude b.example v1.0.0\n"},
		"should be v0 or v1, not v2":            {"v2.0.0", "module a.example\n"},
		"should be v2, not v1":                  {"v1.2.3", "module a.example/v2\n"},
		"go.mod:1: usage: module module/path":   {"v1.2.3", "module\n"},
	} {
		_, err := checkModule([]byte(test[1]), test[0])
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s of %q: got %v, want %q", test[0], test[1], err, want)
		}
	}
}
