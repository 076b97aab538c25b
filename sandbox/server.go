package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"understudy.example/internal/launch"
	"understudy.example/internal/remote"
)

// server is a running Understudy.
type server struct {
	apiURL  string
	control remote.Control
	started *launch.Server // nil if we did not start it
}

// sharedServer returns the server that all tests of this process share.
var sharedServer = sync.OnceValues(func() (*server, error) { return findServer(os.Getenv) })

// findServer connects to a running server, or starts one.
func findServer(getenv func(string) string) (*server, error) {
	// Not the default transport, which tests may have changed.
	s := &server{control: remote.Control{Client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64}}}}
	if control := getenv("UNDERSTUDY_CONTROL_URL"); control != "" {
		s.control.URL = strings.TrimSuffix(control, "/")
		s.apiURL = strings.TrimSuffix(getenv("UNDERSTUDY_API_URL"), "/")
		s.control.Token = getenv("UNDERSTUDY_CONTROL_TOKEN")
		if s.apiURL != "" {
			return s, nil
		}
		return s, s.discoverAPIURL()
	}
	command, err := serverCommand(getenv("UNDERSTUDY_BIN"))
	if err != nil {
		return nil, fmt.Errorf("%w\nStart a server and set UNDERSTUDY_CONTROL_URL to the URL of its control listener, or set UNDERSTUDY_BIN to a server binary", err)
	}
	return s, s.start(command)
}

// discoverAPIURL gets the URL of the API from the control listener.
func (s *server) discoverAPIURL() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var info struct {
		APIURL string `json:"api_url"`
	}
	response, err := s.call(ctx, http.MethodGet, "", nil)
	if err == nil {
		err = response.Decode(&info)
	}
	if err != nil {
		return fmt.Errorf("get the API URL from the server at UNDERSTUDY_CONTROL_URL: %w", err)
	}
	s.apiURL = info.APIURL
	return nil
}

// module is the path of this module, which contains the server's source too.
var module = strings.TrimSuffix(reflect.TypeFor[server]().PkgPath(), "/sandbox")

// serverCommand returns the command that runs a server: the binary or, if that
// is "", go run in this module.
func serverCommand(binary string) (*exec.Cmd, error) {
	if binary != "" {
		return exec.Command(binary), nil
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	dir := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return nil, fmt.Errorf("find the server's source: go list -m %s: %s", module, bytes.TrimSpace(exit.Stderr))
	case err != nil:
		return nil, fmt.Errorf("find the server's source: %w", err)
	case dir == "":
		return nil, fmt.Errorf("find the server's source: the module %s has no directory (is it vendored?)", module)
	}
	// Stat each source file, so that go test does not use a cached result of an
	// older server. It only does this for files of the tested module.
	for _, sourceDir := range []string{"cmd", "internal", "migrations"} {
		filepath.WalkDir(filepath.Join(dir, sourceDir), func(path string, _ fs.DirEntry, _ error) error {
			os.Stat(path)
			return nil
		})
	}
	// Build the server in its own module, with the dependencies of that module
	// instead of those of the test's module or workspace. The go command caches
	// the build.
	command := exec.Command("go", "-C", dir, "run", "-mod=readonly", "-buildvcs=false", "./cmd/server")
	command.Env = append(os.Environ(), "GOWORK=off")
	return command, nil
}

const (
	startTimeout = 5 * time.Minute // includes building the server
	noticeDelay  = 3 * time.Second // before a notice that the server is being built
)

// start starts the server and returns when it is ready. The server runs until
// this process ends.
func (s *server) start(command *exec.Cmd) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), startTimeout, fmt.Errorf("timeout after %v", startTimeout))
	defer cancel()
	notice := time.AfterFunc(noticeDelay, func() {
		fmt.Fprintln(os.Stderr, "understudy: building and starting the server; this takes about a minute the first time")
	})
	defer notice.Stop()
	started, err := launch.Start(ctx, command)
	if err != nil {
		return err
	}
	s.started, s.apiURL, s.control.URL = started, started.API, started.Control
	return nil
}

// call calls the control API with in as the JSON body, unless in is nil.
func (s *server) call(ctx context.Context, method, path string, in any) (remote.Response, error) {
	response, err := s.control.Call(ctx, method, path, in)
	return response, s.explain(err)
}

// explain adds the server's last output to an error that occurred because the server has
// exited.
func (s *server) explain(err error) error {
	if err == nil || s.started == nil {
		return err
	}
	select {
	case <-s.started.Exited:
		return fmt.Errorf("%w; the server has exited:\n%s", err, s.started.LastOutput())
	default:
		return err
	}
}
