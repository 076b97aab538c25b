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

	"understudy.example/internal/launch"
	"understudy.example/internal/remote"
)

// childVariable is the environment variable that makes the test binary start a
// server and block until it is killed, or panic when it reads anything from
// standard input.
const childVariable = "UNDERSTUDY_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	server, err := sharedServer()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(server.control.URL)
	os.Stdin.Read(make([]byte, 1))
	panic("requested by the parent process")
}

// TestServerExitsWithTestProcess checks that the server exits and removes its
// data, however the test process ends.
func TestServerExitsWithTestProcess(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*os.Process, io.Writer){
		"killed":    func(p *os.Process, _ io.Writer) { p.Kill() },
		"panicking": func(_ *os.Process, stdin io.Writer) { io.WriteString(stdin, "\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tempDir := t.TempDir()
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), childVariable+"=1", "TMPDIR="+tempDir, "UNDERSTUDY_CONTROL_URL=")
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
			controlURL := strings.TrimSpace(line)
			alive := func() bool {
				response, err := http.Get(controlURL + "/livez")
				if err != nil {
					return false
				}
				response.Body.Close()
				return response.StatusCode == http.StatusOK
			}
			if dataDirs(t, tempDir) == nil || !alive() {
				t.Fatalf("the server is not running: output %q, data directories %v", line, dataDirs(t, tempDir))
			}
			end(child.Process, stdin)
			child.Wait()
			for deadline := time.Now().Add(time.Minute); alive() || dataDirs(t, tempDir) != nil; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("one minute after the process ended: server alive: %v, data directories: %v", alive(), dataDirs(t, tempDir))
				}
			}
		})
	}
}

// dataDirs returns the data directories of servers in dir.
func dataDirs(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "understudy-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// serverBinary builds the server once, in the directory of the test binary, which
// go test removes.
var serverBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(os.Args[0]), "understudy-server")
	out, err := exec.Command("go", "build", "-o", path, "understudy.example/cmd/server").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// getenvFrom returns a replacement of os.Getenv that knows only these variables.
func getenvFrom(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestStartServerBinary(t *testing.T) {
	path, err := serverBinary()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DATABASE_URL", "postgres://the/test's own") // must not reach the server
	server, err := findServer(getenvFrom(map[string]string{"UNDERSTUDY_BIN": path}))
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{server.apiURL, server.control.URL} {
		response, err := http.Get(url + "/readyz")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("GET %s/readyz: got %v, %v, want 200", url, err, response)
		}
		response.Body.Close()
	}
}

func TestUseRunningServer(t *testing.T) {
	t.Parallel()
	running, err := sharedServer()
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /control/v1/tenants", func(_ http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
	})
	control := httptest.NewServer(mux)
	defer control.Close()
	server, err := findServer(getenvFrom(map[string]string{
		"UNDERSTUDY_CONTROL_URL": control.URL + "/", "UNDERSTUDY_API_URL": running.apiURL + "/", "UNDERSTUDY_CONTROL_TOKEN": "secret",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if server.apiURL != running.apiURL || server.control.URL != control.URL {
		t.Errorf("got API %s, control %s, want %s, %s", server.apiURL, server.control.URL, running.apiURL, control.URL)
	}
	if response, err := server.call(t.Context(), http.MethodGet, "/tenants", nil); err != nil || response.Status != http.StatusOK {
		t.Errorf("GET /tenants: got %v, %v, want 200", err, response)
	}
	checkEqual(t, "tokens", tokens, []string{"Bearer secret"})
	server, err = findServer(getenvFrom(map[string]string{"UNDERSTUDY_CONTROL_URL": running.control.URL}))
	if err != nil || server.apiURL != running.apiURL {
		t.Errorf("with the control URL alone: got %v, %v, want API %s", server, err, running.apiURL)
	}
}

func TestFindServerErrors(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho 'no room' >&2; exit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for want, variables := range map[string]map[string]string{
		"get the API URL from the server at UNDERSTUDY_CONTROL_URL": {"UNDERSTUDY_CONTROL_URL": "http://127.0.0.1:1"},
		"/nowhere: no such file or directory":                       {"UNDERSTUDY_BIN": "/nowhere"},
		"the server did not start:\nno room\n":                      {"UNDERSTUDY_BIN": broken},
	} {
		if _, err := findServer(getenvFrom(variables)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that contains %q", err, want)
		}
	}
}

func TestErrorSaysThatTheServerHasExited(t *testing.T) {
	t.Parallel()
	exited := make(chan struct{})
	close(exited)
	s := &server{control: remote.Control{URL: "http://127.0.0.1:1", Client: http.DefaultClient}, started: &launch.Server{Exited: exited}}
	if _, err := s.call(t.Context(), http.MethodGet, "/tenants", nil); err == nil || !strings.Contains(err.Error(), "the server has exited:\n") {
		t.Errorf("got %v, want an error that says so", err)
	}
}

// TestServerVariablesAreComplete compares launch.ServerVariables with the variables that
// server --help lists.
func TestServerVariablesAreComplete(t *testing.T) {
	t.Parallel()
	path, err := serverBinary()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "--help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, match := range regexp.MustCompile(`\(\$([A-Z_]+)\)`).FindAllStringSubmatch(string(out), -1) {
		documented = append(documented, match[1])
	}
	checkEqual(t, "variables", slices.Sorted(slices.Values(launch.ServerVariables)), slices.Sorted(slices.Values(documented)))
}
