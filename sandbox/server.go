package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// server is a running Understudy.
type server struct {
	apiURL, controlURL string
	controlToken       string // "" if the server requires none
	client             *http.Client

	exited chan struct{} // closed when the server has exited; nil if we did not start it

	mu        sync.Mutex
	lastLines []string // of the server's output
}

// sharedServer returns the server that all tests of this process share.
var sharedServer = sync.OnceValues(func() (*server, error) { return findServer(os.Getenv) })

// findServer connects to a running server, or starts one.
func findServer(getenv func(string) string) (*server, error) {
	// Not the default transport, which tests may have changed.
	s := &server{client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64}}}
	if control := getenv("UNDERSTUDY_CONTROL_URL"); control != "" {
		s.controlURL = strings.TrimSuffix(control, "/")
		s.apiURL = strings.TrimSuffix(getenv("UNDERSTUDY_API_URL"), "/")
		s.controlToken = getenv("UNDERSTUDY_CONTROL_TOKEN")
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
		err = response.statusError()
	}
	if err == nil {
		err = unmarshal(response.body, &info)
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

// serverVariables are the environment variables that configure the server, besides those
// of OpenTelemetry. They
// are not passed on to a server that we start: in a test's environment they are
// meant for the program under test.
var serverVariables = []string{
	"LISTEN_ADDR",
	"CONTROL_ADDR",
	"DATABASE_URL",
	"DATABASE_URL_FILE",
	"DATA_DIR",
	"EPHEMERAL",
	"OBJECTS_URL",
	"ENVIRONMENT",
	"PROFILE",
	"PUBLIC_URL",
	"TRUSTED_PROXIES",
	"CORS_ORIGINS",
	"CONTROL_HOSTS",
	"CONTROL_TOKEN",
	"CONTROL_TOKEN_FILE",
	"CONTROL_TOKENS",
	"CONTROL_TOKENS_FILE",
	"MASTER_KEY",
	"MASTER_KEY_FILE",
	"DATABASE_CONNECTIONS",
	"LOCK_TIMEOUT",
	"STATEMENT_TIMEOUT",
	"BACKGROUND_LOCK_TIMEOUT",
	"BACKGROUND_STATEMENT_TIMEOUT",
	"HINTS",
	"MAX_UPLOAD_BYTES",
	"MIN_FREE_BYTES",
	"MIN_TRANSFER_RATE",
	"MAX_CONNECTIONS_PER_ADDRESS",
	"KEEP_SUBMISSIONS",
	"KEEP_UPLOADS",
	"LOG_FORMAT",
	"LOG_LEVEL",
	"READ_TIME",
	"READ_MEMORY_BYTES",
	"READ_MEMORY_TOTAL_BYTES",
	"STOP_DELAY",
	"TLS_CERT",
	"TLS_KEY",
	"WEBHOOK_ALLOW",
	"WEBHOOK_PROXY",
	"WEBHOOK_PROXY_FILE",
	"WEBHOOK_CA",
	"WEBHOOK_CLIENT_CERT",
	"WEBHOOK_CLIENT_KEY",
	"SIGNATURE_DIGEST",
	"SIGNATURE_PREFIX",
}

// readyLine matches the log line of a server that is ready, as text and as JSON.
var readyLine = regexp.MustCompile(`\bmsg"?[=:]"?ready"?[ ,]"?api"?[=:]"?([^\s"]+)"?[ ,]"?control"?[=:]"?([^\s"]+)"?}?\n$`)

const (
	startTimeout = 5 * time.Minute // includes building the server
	noticeDelay  = 3 * time.Second // before a notice that the server is being built
)

// start starts the server and returns when it is ready. The server runs until
// this process ends.
func (s *server) start(command *exec.Cmd) error {
	command.Args = append(command.Args, "--ephemeral", "--listen=127.0.0.1:0", "--control=127.0.0.1:0")
	command.Env = slices.DeleteFunc(command.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(serverVariables, name) || strings.HasPrefix(name, "OTEL_")
	})
	// An ephemeral server exits when its standard input is closed, which happens
	// when this process ends. Nothing is written to it.
	if _, err := command.StdinPipe(); err != nil {
		return err
	}
	stderr, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	s.exited = make(chan struct{})
	ready := make(chan []string, 1)
	go s.readOutput(command, stderr, ready)

	notice := time.After(noticeDelay)
	timeout := time.After(startTimeout)
	for {
		select {
		case urls := <-ready:
			s.apiURL, s.controlURL = urls[0], urls[1]
			return nil
		case <-s.exited:
			return fmt.Errorf("the server did not start:\n%s", s.lastOutput())
		case <-notice:
			fmt.Fprintln(os.Stderr, "understudy: building and starting the server; this takes about a minute the first time")
		case <-timeout:
			command.Process.Kill()
			return fmt.Errorf("the server was not ready after %v:\n%s", startTimeout, s.lastOutput())
		}
	}
}

// readOutput reads the server's output until it exits, keeps the last lines, and
// sends the URLs of the API and the control listener to ready.
func (s *server) readOutput(command *exec.Cmd, stderr io.Reader, ready chan<- []string) {
	defer close(s.exited)
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		if match := readyLine.FindStringSubmatch(line); match != nil {
			select {
			case ready <- match[1:]:
			default: // already sent
			}
		}
		s.mu.Lock()
		s.lastLines = append(s.lastLines[max(0, len(s.lastLines)-50):], line)
		s.mu.Unlock()
		if err != nil {
			command.Wait()
			return
		}
	}
}

func (s *server) lastOutput() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lastLines, "")
}

// response is a response of the server.
type response struct {
	status int
	body   []byte
}

// statusError returns nil if the status is 2xx, and otherwise an error with the
// status and the message.
func (r response) statusError() error {
	if r.status/100 == 2 {
		return nil
	}
	var content struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(r.body, &content) != nil || content.Message == "" {
		content.Message = string(r.body)
	}
	return fmt.Errorf("%d %s: %s", r.status, http.StatusText(r.status), content.Message)
}

// call calls the control API with in as the JSON body, unless in is nil.
func (s *server) call(ctx context.Context, method, path string, in any) (response, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return response{}, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.controlURL+"/control/v1"+path, body)
	if err != nil {
		return response{}, err
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.controlToken != "" {
		request.Header.Set("Authorization", "Bearer "+s.controlToken)
	}
	return s.send(s.client, request)
}

// send sends the request. If that fails because the server has exited, the error
// contains the server's last output.
func (s *server) send(client *http.Client, request *http.Request) (response, error) {
	resp, err := client.Do(request)
	if err == nil {
		defer resp.Body.Close()
		var body []byte
		if body, err = io.ReadAll(resp.Body); err == nil {
			return response{resp.StatusCode, body}, nil
		}
	}
	select {
	case <-s.exited: // nil, so never ready, if we did not start the server
		return response{}, fmt.Errorf("%w; the server has exited:\n%s", err, s.lastOutput())
	default:
		return response{}, err
	}
}
