package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/auth"
)

// binary is the server's, built once, beside the tests' own: `go test` removes
// both.
var binary = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), "server-to-test")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// process is a running server.
type process struct {
	t            *testing.T
	cmd          *exec.Cmd
	api, control string
	out          *transcript
	ended        chan struct{}
}

// transcript is what a process wrote, to be read while it writes.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed and replaced with every write
}

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
	return s.text.Write(p)
}

func (s *transcript) read() (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String(), s.more
}

func (s *transcript) String() string {
	text, _ := s.read()
	return text
}

// command is the server's binary with these arguments, each of which may be an
// environment variable NAME=value instead.
func command(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	for _, argument := range arguments {
		if name, _, found := strings.Cut(argument, "="); found && name == strings.ToUpper(name) {
			cmd.Env = append(cmd.Env, argument)
		} else {
			cmd.Args = append(cmd.Args, argument)
		}
	}
	return cmd
}

// begin starts a server without waiting for it.
func begin(t *testing.T, arguments ...string) *process {
	t.Helper()
	cmd := command(t, append(arguments, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0")...)
	p := &process{t: t, cmd: cmd, out: &transcript{more: make(chan struct{})}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-p.ended
		if t.Failed() {
			t.Log(p.out)
		}
	})
	return p
}

var readyLine = regexp.MustCompile(`(?m)^.* msg=ready api=(\S+) control=(\S+)$`)

// isReady waits until the server is ready, or has ended without.
func (p *process) isReady() bool {
	for {
		text, more := p.out.read()
		if found := readyLine.FindStringSubmatch(text); found != nil {
			p.api, p.control = found[1], found[2]
			return true
		}
		select {
		case <-more:
		case <-p.ended:
			return false
		}
	}
}

// start starts a server and waits until it is ready.
func start(t *testing.T, arguments ...string) *process {
	t.Helper()
	p := begin(t, arguments...)
	if !p.isReady() {
		t.Fatal("it ended before it was ready")
	}
	return p
}

// kill ends the server as a crash would.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// refusal runs a server that must not start, and returns what it says.
func refusal(t *testing.T, arguments ...string) string {
	t.Helper()
	p := begin(t, arguments...)
	if p.isReady() {
		t.Fatal("it started")
	}
	if p.cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit %d", p.cmd.ProcessState.ExitCode())
	}
	return p.out.String()
}

// dataDir is a data directory that Postgres' user can reach.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "data-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// world is the server as its clients see it.
func (p *process) world() *world {
	return &world{t: p.t, url: p.api, client: &http.Client{Transport: apitest.New(p.t, document).Transport(p.t, &http.Transport{DisableKeepAlives: true})}}
}

// until asks for the status until it is one of those given.
func (c caller) until(txID string, statuses ...string) answer {
	c.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 3000 {
		got := c.status(txID).want(c.t, http.StatusOK)
		for _, status := range statuses {
			if got.text(c.t, "status") == status {
				return got
			}
		}
		<-tick.C
	}
	c.t.Fatalf("it never was %s", statuses)
	return answer{}
}

func TestReadyLineAndWelcome(t *testing.T) {
	t.Parallel()
	p := start(t, "--data-dir", dataDir(t))
	w := p.world()
	for _, url := range []string{p.api, p.control} {
		for _, path := range []string{"/livez", "/readyz"} {
			w.do(call{line: "GET " + url + path}).want(t, http.StatusOK, `{"status":"ok"}`)
		}
	}
	for _, demo := range auth.Demos {
		if !strings.Contains(p.out.String(), demo.ClientID) || !strings.Contains(p.out.String(), demo.APIKey) {
			t.Errorf("welcome does not show %s", demo.ClientID)
		}
	}
	curl := regexp.MustCompile(`(?m)^ +(curl .*)$`).FindStringSubmatch(p.out.String())
	if curl == nil {
		t.Fatal("no curl line")
	}
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.Command("sh", "-c", curl[1]).Output()
		var token struct {
			AccessToken string `json:"access_token"`
		}
		if err != nil || json.Unmarshal(out, &token) != nil {
			t.Fatalf("%s: %s, %v", curl[1], out, err)
		}
		w.do(call{line: "GET /universal/v2/universal-submit/status/" + absent, token: token.AccessToken, key: "acme-api-key"}).want(t, http.StatusNotFound)
	}
	p.cmd.Process.Signal(syscall.SIGINT)
	<-p.ended
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if lines := strings.Count(p.out.String(), "msg=ready"); lines != 1 {
		t.Errorf("%d ready lines", lines)
	}
	for _, secret := range []string{"data=", "access_token", "acme-secret:"} {
		for line := range strings.Lines(p.out.String()) {
			if strings.Contains(line, "level=") && strings.Contains(line, secret) {
				t.Errorf("log line with a secret: %s", line)
			}
		}
	}
}

// TestKilled: whatever was answered is there after a crash, and is finished.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	p := start(t, "--data-dir", dir)
	w := p.world()
	acme := w.acme()
	token, key := acme.token, acme.key
	again := func() {
		t.Helper()
		p.kill()
		p = start(t, "--data-dir", dir)
		w = p.world()
		acme = caller{w, token, key} // a token outlives the server
	}
	refresh := w.token(auth.Demos[0]).text(t, "refresh_token")
	company := acme.do(companySubmit, `{"company_name":"A","address":"B"}`).want(t, http.StatusOK)

	pending, url := acme.announce("a.txt")
	again()
	acme.do("GET /data/v1/acme-us-c0001/"+company.text(t, "c_report_id"), "").want(t, http.StatusOK)
	w.refresh(auth.Demos[0], refresh).want(t, http.StatusOK)
	acme.status(pending).want(t, http.StatusOK)
	url = p.api + url[strings.Index(url, "/file-transfer"):]
	w.upload(url, "a.txt", letter).want(t, http.StatusOK)
	again()
	triggered := acme.trigger(pending).want(t, http.StatusOK)
	again()
	acme.trigger(pending).want(t, http.StatusOK, triggered.Body)
	acme.until(pending, "Started", "Completed")
	again()
	done := acme.until(pending, "Completed")
	data := acme.do("GET /data/v2/acme-us-c0001/"+pending+"?idType=transaction", "").want(t, http.StatusOK)
	if data.text(t, "seed_input", "company_name") != "Foxglove Bakery LLC" {
		t.Errorf("data %s", data.Body)
	}
	again()
	acme.status(pending).want(t, http.StatusOK, done.Body)
}

// TestKilledAtOnce: however often a server dies, all that it took is finished.
func TestKilledAtOnce(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	var all []string
	var token answer
	for range 4 {
		p := start(t, "--data-dir", dir)
		w := p.world()
		token = w.token(auth.Demos[0])
		acme := caller{w, token.text(t, "access_token"), "acme-api-key"}
		for range 3 {
			txID, url := acme.announce("a.txt")
			w.upload(url, "a.txt", letter).want(t, http.StatusOK)
			acme.trigger(txID).want(t, http.StatusOK)
			all = append(all, txID)
		}
		p.kill()
	}
	p := start(t, "--data-dir", dir)
	acme := caller{p.world(), token.text(t, "access_token"), "acme-api-key"}
	for _, txID := range all {
		acme.until(txID, "Completed")
	}
}
