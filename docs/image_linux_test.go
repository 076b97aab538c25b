package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"understudy.example/internal/storage/storagetest"
)

// version is the version that the tests build an image for.
const version = "v9.8.7"

// TestImage builds the images without a container engine: it runs the commands of the
// Dockerfile on the files that they would get, and starts the server with the file system
// of the image as its root, which is read-only except /data and /tmp. The health check
// succeeds, a document is processed, and the server stops when it is told to.
func TestImage(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	t.Parallel()
	needNamespaces(t)
	built := build(t)
	program := filepath.Join(built, "out", "server")
	if out, err := exec.CommandContext(t.Context(), program, "--version").Output(); err != nil || strings.TrimSpace(string(out)) != version {
		t.Errorf("--version prints %q, %v; want the argument VERSION", out, err)
	}
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		target := findStage(t, "server")
		if target.base != "scratch" || len(target.all("RUN")) > 0 {
			t.Fatal("the image does not consist of what it copies")
		}
		// The data is in /tmp, because otherwise only documents from S3 are written there.
		database := "postgres://app@" + storagetest.NewCluster(t).Address + "/app?sslmode=disable"
		c := startContainer(t, target, assemble(t, target, built), "", "DATABASE_URL="+database, "DATA_DIR=/tmp/data")
		c.waitHealthy()
		c.submit(program)
		c.stop()
	})
	// This machine stands for a debian:bookworm-slim on which the packages have been installed.
	t.Run("standalone", func(t *testing.T) {
		t.Parallel()
		if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(found) == 0 {
			t.Skip("Debian's PostgreSQL is not installed: apt-get install postgresql")
		}
		target := findStage(t, "standalone")
		root := assemble(t, target, built)
		apt := filepath.Join(root, "usr/local/sbin/apt-get")
		if err := os.MkdirAll(filepath.Dir(apt), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(apt, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := startContainer(t, target, root, strings.Join(target.all("RUN"), "\n"))
		c.waitHealthy()
		c.submit(program)
		c.stop()
	})
}

// needNamespaces skips the test if it cannot make namespaces and mount file systems.
func needNamespaces(t *testing.T) {
	t.Helper()
	needs(t, "unshare", "nsenter", "chroot")
	if os.Geteuid() != 0 {
		t.Skip("only root can start a server in the file system of an image")
	}
	const mounts = `mount -t tmpfs tmpfs "$1"; mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
mount -t proc proc "$1/root/proc"`
	if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "sh", "-euc", mounts, "sh", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("this machine does not allow the mounts of a container: %v: %s", err, out)
	}
}

// build does what the stage "build" does, and returns the directory that stands for its
// working directory.
func build(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, file := range builtFiles(t) {
		copyPath(t, filepath.Join("..", file), filepath.Join(dir, file))
	}
	stage := findStage(t, "build")
	values := map[string]string{"TARGETOS": "linux", "TARGETARCH": runtime.GOARCH, "VERSION": version}
	environment := os.Environ()
	for argument := range stage.variables("ARG") {
		environment = append(environment, argument+"="+values[argument])
	}
	for _, run := range stage.all("RUN") {
		_, words := options(run) // the mounts are caches
		command := exec.CommandContext(t.Context(), "sh", "-ec", strings.Join(words, " "))
		command.Dir, command.Env = dir, environment
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("RUN %s: %v: %s", run, err, out)
		}
	}
	return dir
}

// assemble returns a directory with the files that the target copies from the stage
// "build", whose working directory is built.
func assemble(t *testing.T, target stage, built string) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	working := findStage(t, "build").all("WORKDIR")[0] + "/"
	for _, copied := range target.all("COPY") {
		given, words := options(copied)
		source, destination := words[0], filepath.Join(root, words[1])
		if file, found := strings.CutPrefix(source, working); found {
			source = filepath.Join(built, file)
		}
		if strings.HasSuffix(words[1], "/") {
			destination = filepath.Join(destination, filepath.Base(source))
		}
		copyPath(t, source, destination)
		if mode := given["chmod"]; mode != "" {
			runCommand(t, "chmod", mode, destination)
		}
		if owner := given["chown"]; owner != "" {
			runCommand(t, "chown", owner, destination)
		}
	}
	return root
}

// copyPath copies a file or a directory with its mode, and creates the directories above.
func copyPath(t *testing.T, source, destination string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(destination), 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(source)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err := os.Mkdir(destination, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(destination, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
		return
	}
	content, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(destination, content, info.Mode().Perm()); err != nil {
		t.Fatal(err)
	}
}

func runCommand(t *testing.T, name string, arguments ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(arguments, " "), err, out)
	}
}
