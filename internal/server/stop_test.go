package server_test

import (
	"bufio"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestStopWaitsForAnUpload checks that a stopping server says that it is not ready,
// and finishes the requests in flight.
func TestStopWaitsForAnUpload(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: /livez and /readyz on both listeners",
		"Chosen, process: a stop: not ready, requests in flight finish, exit 0")
	t.Parallel()
	url := storagetest.URL(t)
	p := servertest.Start(t, "--database-url", url, "--data-dir", t.TempDir())
	s := p.Server()
	acme := s.Acme()
	txID, upload := acme.Announce("a.txt")
	contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
	head := servertest.RequestHead("PUT "+strings.TrimPrefix(upload, s.URL), acme.Token, contentType, len(body))
	connection := s.Dial(strings.Replace(head, "\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n", 1))
	responses := bufio.NewReader(connection)
	// The server asks for the body: the upload is in flight.
	if line, err := responses.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q, %v, want 100 Continue", line, err)
	}
	if line, err := responses.ReadString('\n'); err != nil || line != "\r\n" {
		t.Fatalf("%q, %v, want an empty line", line, err)
	}

	p.Cmd.Process.Signal(syscall.SIGTERM)
	servertest.Until(t, "the server is not ready", func() bool {
		return s.Do(servertest.Call{Line: "GET /readyz"}).Status == http.StatusServiceUnavailable
	})
	s.Do(servertest.Call{Line: "GET " + p.ControlURL + "/readyz"}).Want(t, http.StatusServiceUnavailable)
	s.Do(servertest.Call{Line: "GET /livez"}).Want(t, http.StatusOK)

	if _, err := connection.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(responses, nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("upload: response %d, want 200", response.StatusCode)
	}
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if !servertest.Value[bool](rowsOf(t, url), "select object_key is not null from submissions where tx_id = $1", txID) {
		t.Error("the upload is lost")
	}
}

// TestStopDelay checks that a stopping server is not ready, but accepts new connections
// for the duration of the delay, and asks their clients to connect again.
func TestStopDelay(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a stop: calls are accepted for the stop delay, 5 s in uat")
	t.Parallel()
	p := servertest.Start(t, "--database-url", storagetest.URL(t), "--data-dir", t.TempDir(), "--stop-delay", "5s")
	s := p.Server()
	acme := s.Acme()
	p.Cmd.Process.Signal(syscall.SIGTERM)
	servertest.Until(t, "the server is not ready", func() bool {
		return s.Do(servertest.Call{Line: "GET /readyz"}).Status == http.StatusServiceUnavailable
	})
	s.Client.CloseIdleConnections()
	acme.Announce("a.txt")
	response, err := http.Get(s.URL + "/hooks")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if !response.Close {
		t.Errorf("header %v, want Connection: close", response.Header)
	}
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// TestDefaultStopDelay checks the delay of each profile, and that the flag takes
// precedence and is limited.
func TestDefaultStopDelay(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a stop: calls are accepted for the stop delay, 5 s in uat")
	t.Parallel()
	none, some := time.Duration(0), 2*time.Second
	for _, test := range []struct {
		profile string
		flag    *time.Duration
		want    time.Duration
	}{{"local", nil, 0}, {"uat", nil, 5 * time.Second}, {"uat", &none, 0}, {"local", &some, some}} {
		c := server.Config{Profile: test.profile, StopFlags: server.StopFlags{StopDelay: test.flag}}
		if got := c.WaitsBeforeStop(); got != test.want {
			t.Errorf("%s: %v, want %v", test.profile, got, test.want)
		}
	}
	for delay, want := range map[string]string{"-1s": "STOP_DELAY is -1s", "11s": "STOP_DELAY is 11s: want 0 to 10s"} {
		if output := servertest.Refusal(t, "--stop-delay="+delay, "--data-dir", t.TempDir()); !strings.Contains(output, want) {
			t.Errorf("%s: output %s, want %q", delay, output, want)
		}
	}
}

// TestEphemeralServerWaitsBriefly checks that a server whose data is deleted does not keep
// the test suite waiting that uses it.
func TestEphemeralServerWaitsBriefly(t *testing.T) {
	t.Parallel()
	for ephemeral, want := range map[bool]time.Duration{true: 2 * time.Second, false: 20 * time.Second} {
		c := server.Config{Profile: "local", Ephemeral: ephemeral}
		if got := c.WaitsForWork(); got != want {
			t.Errorf("ephemeral %v: %v, want %v", ephemeral, got, want)
		}
	}
}

// TestStopEndsAHangingUpload checks that a stopping server waits for a client that sends
// nothing more only as long as a running one does, which is less than 20 seconds.
func TestStopEndsAHangingUpload(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a stop takes at most 20 seconds")
	t.Parallel()
	p := servertest.Start(t, "--database-url", storagetest.URL(t), "--data-dir", t.TempDir())
	s := p.Server()
	acme := s.Acme()
	_, upload := acme.Announce("a.txt")
	contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
	connection := s.Dial(servertest.RequestHead("PUT "+strings.TrimPrefix(upload, s.URL), acme.Token, contentType, len(body)) + body[:20])
	s.Do(servertest.Call{Line: "GET /livez"}).Want(t, http.StatusOK) // the upload was sent before
	p.Cmd.Process.Signal(syscall.SIGTERM)
	stopped := time.Now()
	<-p.Exited
	if took := time.Since(stopped); took > 30*time.Second {
		t.Errorf("the stop took %v, want about 10 s", took)
	}
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	connection.Close()
}
