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
	api, control string // addresses
	token        string // control token; "" = none
	client       *http.Client

	ended chan struct{} // closed when the server that we started has ended

	mu   sync.Mutex
	said []string // its last lines
}

// shared is the server of all tests of this process.
var shared = sync.OnceValues(func() (*server, error) { return find(os.Getenv) })

// find connects to a running server, or starts one.
func find(getenv func(string) string) (*server, error) {
	// A transport of our own: tests may have changed the default one.
	s := &server{client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64}}}
	if control := getenv("UNDERSTUDY_CONTROL_URL"); control != "" {
		s.control = strings.TrimSuffix(control, "/")
		s.api = strings.TrimSuffix(getenv("UNDERSTUDY_API_URL"), "/")
		s.token = getenv("UNDERSTUDY_CONTROL_TOKEN")
		if s.api != "" {
			return s, nil
		}
		return s, s.askWhere()
	}
	command, err := serverCommand(getenv("UNDERSTUDY_BIN"))
	if err != nil {
		return nil, fmt.Errorf("%w\nStart a server and set UNDERSTUDY_CONTROL_URL to its control listener, or set UNDERSTUDY_BIN to a built one", err)
	}
	return s, s.start(command)
}

// askWhere asks a running server where its API is.
func (s *server) askWhere() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var where struct {
		APIURL string `json:"api_url"`
	}
	got, err := s.call(ctx, http.MethodGet, "", nil)
	if err == nil {
		err = got.refusal()
	}
	if err == nil {
		err = unmarshal(got.body, &where)
	}
	if err != nil {
		return fmt.Errorf("ask the server at UNDERSTUDY_CONTROL_URL where its API is: %w", err)
	}
	s.api = where.APIURL
	return nil
}

// module is the module of this package, which holds the server's source too.
var module = strings.TrimSuffix(reflect.TypeFor[server]().PkgPath(), "/sandbox")

// serverCommand is what runs a server.
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
	// A look at each file tells go test what the result depends on, so that it
	// does not take that of an older server for this one's. It minds files of
	// the tested module only.
	for _, part := range []string{"cmd", "internal", "migrations"} {
		filepath.WalkDir(filepath.Join(dir, part), func(path string, _ fs.DirEntry, _ error) error {
			os.Stat(path)
			return nil
		})
	}
	// In its own module, the server is built with its own dependencies, whatever
	// those of the test's module or workspace are. Go keeps what it built.
	command := exec.Command("go", "-C", dir, "run", "-mod=readonly", "-buildvcs=false", "./cmd/server")
	command.Env = append(os.Environ(), "GOWORK=off")
	return command, nil
}

// settings are the environment variables that would change the server. Those
// of the test are meant for what it tests.
var settings = []string{
	"LISTEN_ADDR", "CONTROL_ADDR", "DATABASE_URL", "DATA_DIR", "EPHEMERAL", "OBJECTS_URL", "ENVIRONMENT", "PROFILE",
	"PUBLIC_URL", "CONTROL_HOSTS", "CONTROL_TOKEN", "MASTER_KEY", "MAX_UPLOAD_BYTES", "READ_TIME", "READ_MEMORY_BYTES", "SIGNATURE_DIGEST", "SIGNATURE_PREFIX",
}

var readyLine = regexp.MustCompile(` msg=ready api=(\S+) control=(\S+)\n$`)

// How long a start may take, and after how long it says what it does.
const (
	patience = 5 * time.Minute
	silence  = 3 * time.Second
)

// start runs the server until this process ends, and returns once it is ready.
func (s *server) start(command *exec.Cmd) error {
	command.Args = append(command.Args, "--ephemeral", "--listen=127.0.0.1:0", "--control=127.0.0.1:0")
	command.Env = slices.DeleteFunc(command.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(settings, name)
	})
	// Nothing is ever written to it: the server ends when it closes, which the
	// end of this process does.
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
	s.ended = make(chan struct{})
	ready := make(chan []string, 1)
	go s.follow(command, stderr, ready)

	slow := time.After(silence)
	tooSlow := time.After(patience)
	for {
		select {
		case found := <-ready:
			s.api, s.control = found[1], found[2]
			return nil
		case <-s.ended:
			return fmt.Errorf("the server did not start:\n%s", s.lastWords())
		case <-slow:
			fmt.Fprintln(os.Stderr, "understudy: building and starting the server; the first time, that takes a minute")
		case <-tooSlow:
			command.Process.Kill()
			return fmt.Errorf("the server was not ready after %v:\n%s", patience, s.lastWords())
		}
	}
}

// follow keeps what the server says, until it has ended.
func (s *server) follow(command *exec.Cmd, stderr io.Reader, ready chan<- []string) {
	defer close(s.ended)
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		if found := readyLine.FindStringSubmatch(line); found != nil {
			select {
			case ready <- found:
			default: // it was ready before
			}
		}
		s.mu.Lock()
		s.said = append(s.said[max(0, len(s.said)-50):], line)
		s.mu.Unlock()
		if err != nil {
			command.Wait()
			return
		}
	}
}

func (s *server) lastWords() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "")
}

// answer is what the server said to a call.
type answer struct {
	status int
	body   []byte
}

// refusal is an error for all but success.
func (a answer) refusal() error {
	if a.status/100 == 2 {
		return nil
	}
	var told struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(a.body, &told) != nil || told.Message == "" {
		told.Message = string(a.body)
	}
	return fmt.Errorf("%d %s: %s", a.status, http.StatusText(a.status), told.Message)
}

// call calls the control API.
func (s *server) call(ctx context.Context, method, path string, in any) (answer, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return answer{}, err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.control+"/control/v1"+path, body)
	if err != nil {
		return answer{}, err
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	return s.send(s.client, r)
}

// send makes a call. When the server has died meanwhile, it says so.
func (s *server) send(client *http.Client, r *http.Request) (answer, error) {
	got, err := client.Do(r)
	if err == nil {
		defer got.Body.Close()
		var body []byte
		if body, err = io.ReadAll(got.Body); err == nil {
			return answer{got.StatusCode, body}, nil
		}
	}
	select {
	case <-s.ended: // never, of a server that we did not start
		return answer{}, fmt.Errorf("%w; the server has ended:\n%s", err, s.lastWords())
	default:
		return answer{}, err
	}
}
