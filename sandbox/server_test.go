package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// asChild makes the test binary a process that starts a server and then waits
// to be killed, or panics as soon as it is told anything.
const asChild = "UNDERSTUDY_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		os.Exit(m.Run())
	}
	found, err := shared()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(found.control)
	os.Stdin.Read(make([]byte, 1))
	panic("as told")
}

// TestEndsWithTheProcess: however a test's process ends, its server ends too and
// leaves nothing behind.
func TestEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*os.Process, io.Writer){
		"killed":    func(p *os.Process, _ io.Writer) { p.Kill() },
		"panicking": func(_ *os.Process, stdin io.Writer) { io.WriteString(stdin, "\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temporary := t.TempDir()
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), asChild+"=1", "TMPDIR="+temporary, "UNDERSTUDY_CONTROL_URL=")
			stdin, err1 := child.StdinPipe()
			stdout, err2 := child.StdoutPipe()
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			defer child.Process.Kill()
			line, _ := bufio.NewReader(stdout).ReadString('\n')
			control := strings.TrimSpace(line)
			alive := func() bool {
				got, err := http.Get(control + "/livez")
				if err != nil {
					return false
				}
				got.Body.Close()
				return got.StatusCode == http.StatusOK
			}
			if left(t, temporary) == nil || !alive() {
				t.Fatalf("it is not up: %s %v", line, left(t, temporary))
			}
			end(child.Process, stdin)
			child.Wait()
			for deadline := time.Now().Add(time.Minute); alive() || left(t, temporary) != nil; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("alive: %v, left: %v", alive(), left(t, temporary))
				}
			}
		})
	}
}

// left are the data directories of servers.
func left(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "understudy-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// binary is a server, built once beside the test binary, which go test removes.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(os.Args[0]), "understudy-server")
	out, err := exec.Command("go", "build", "-o", path, "understudy.example/cmd/server").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// environment is one of these variables only.
func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestFindsABinary(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DATABASE_URL", "postgres://the/test's own") // not the server's
	found, err := find(environment(map[string]string{"UNDERSTUDY_BIN": path}))
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{found.api, found.control} {
		got, err := http.Get(url + "/readyz")
		if err != nil || got.StatusCode != http.StatusOK {
			t.Fatal(err, got)
		}
		got.Body.Close()
	}
}

func TestFindsARunningServer(t *testing.T) {
	t.Parallel()
	running, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	front := http.NewServeMux()
	front.HandleFunc("GET /control/v1/tenants", func(_ http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
	})
	proxy := httptest.NewServer(front)
	defer proxy.Close()
	at := proxy.URL
	found, err := find(environment(map[string]string{
		"UNDERSTUDY_CONTROL_URL": at + "/", "UNDERSTUDY_API_URL": running.api + "/", "UNDERSTUDY_CONTROL_TOKEN": "secret",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if found.api != running.api || found.control != at {
		t.Errorf("api %s, control %s", found.api, found.control)
	}
	if got, err := found.call(t.Context(), http.MethodGet, "/tenants", nil); err != nil || got.status != http.StatusOK {
		t.Error(err, got)
	}
	equal(t, "tokens", tokens, []string{"Bearer secret"})
	if alone, err := find(environment(map[string]string{"UNDERSTUDY_CONTROL_URL": running.control})); err != nil || alone.api != running.api {
		t.Errorf("by the control listener alone: %v, %v", alone, err)
	}
}

func TestSaysWhyThereIsNoServer(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho 'no room' >&2; exit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for why, variables := range map[string]map[string]string{
		"ask the server at UNDERSTUDY_CONTROL_URL where its API is": {"UNDERSTUDY_CONTROL_URL": "http://127.0.0.1:1"},
		"/nowhere: no such file or directory":                       {"UNDERSTUDY_BIN": "/nowhere"},
		"the server did not start:\nno room\n":                      {"UNDERSTUDY_BIN": broken},
	} {
		if _, err := find(environment(variables)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("want %s: %v", why, err)
		}
	}
}

// TestSaysThatTheServerDied: a call to a server that has ended tells its last
// words.
func TestSaysThatTheServerDied(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	close(ended)
	s := &server{control: "http://127.0.0.1:1", client: http.DefaultClient, ended: ended, said: []string{"out of memory\n"}}
	if _, err := s.call(t.Context(), http.MethodGet, "/tenants", nil); err == nil || !strings.Contains(err.Error(), "the server has ended:\nout of memory") {
		t.Error(err)
	}
}

// TestSettingsOfTheServer: the list of what must not reach the server is whole.
func TestSettingsOfTheServer(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "--help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, found := range regexp.MustCompile(`\(\$([A-Z_]+)\)`).FindAllStringSubmatch(string(out), -1) {
		told = append(told, found[1])
	}
	equal(t, "settings", slices.Sorted(slices.Values(settings)), slices.Sorted(slices.Values(told)))
}
