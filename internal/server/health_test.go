package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/worker"
)

const provesReadiness = "Chosen, process: /readyz: 503 at once without the database, after a minute without another component"

// readyz calls /readyz of the API and of the control API, which agree, and returns the
// response.
func readyz(s *servertest.Server, status int) servertest.Response {
	s.T.Helper()
	got := s.Do(servertest.Call{Line: "GET /readyz"}).Want(s.T, status)
	control := strings.TrimSuffix(s.ControlURL, route.ControlBase)
	s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + control + "/readyz"}).Want(s.T, status, got.Body)
	s.Do(servertest.Call{Line: "GET /livez"}).Want(s.T, http.StatusOK, `{"status":"ok","version":"devel"}`)
	return got
}

// awaitParsers waits until a worker process has started.
func awaitParsers(s *servertest.Server) {
	s.T.Helper()
	servertest.Until(s.T, "a worker process responds", func() bool {
		return s.Do(servertest.Call{Line: "GET /readyz"}).Text(s.T, "components", "parsers", "status") == "ok"
	})
}

// TestReadyWithoutObjectStore checks that a server without its object store stays ready
// for a minute, so that a short failure does not make all servers unavailable.
func TestReadyWithoutObjectStore(t *testing.T) {
	servertest.Proves(t, provesReadiness)
	s := servertest.New(t)
	dir := filepath.Join(s.Files, "objects")
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	awaitParsers(s)
	components := `"components":{"database":{"status":"ok"},"object_store":{"status":"away","since":"` + s.Shown(0) + `"},"parsers":{"status":"ok"}}}`
	for range 2 {
		readyz(s, http.StatusOK).Want(t, http.StatusOK, `{"status":"degraded",`+components)
		s.Pass(30 * time.Second)
	}
	got := readyz(s, http.StatusServiceUnavailable).Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable","status":"unavailable",`+components)
	if hint := got.Header.Get("X-Understudy-Hint"); hint != "the object store is away: retry" || got.Header.Get("Retry-After") == "" {
		t.Errorf("header %v", got.Header)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	servertest.Until(t, "the object store is back", func() bool {
		return s.Do(servertest.Call{Line: "GET /readyz"}).Status == http.StatusOK
	})
	const ok = `{"status":"ok","components":{"database":{"status":"ok"},"object_store":{"status":"ok"},"parsers":{"status":"ok"}}}`
	readyz(s, http.StatusOK).Want(t, http.StatusOK, ok)

	s.Pass(time.Hour)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	servertest.Until(t, "the object store is away again", func() bool {
		return s.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK).Text(t, "status") == "degraded"
	})
	if since := readyz(s, http.StatusOK).Text(t, "components", "object_store", "since"); since != s.Shown(0) {
		t.Errorf("away since %s, want %s: the earlier failure does not count", since, s.Shown(0))
	}
}

// TestShortOutagesOfTheObjectStore makes two outages. Between them, an upload succeeds, but nobody
// calls /readyz. The minute of the second outage must begin when that outage is found.
func TestShortOutagesOfTheObjectStore(t *testing.T) {
	servertest.Proves(t, provesReadiness)
	s := servertest.New(t)
	awaitParsers(s)
	dir := filepath.Join(s.Files, "objects")
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	degraded := func() bool {
		return s.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK).Text(t, "status") == "degraded"
	}
	move(dir, dir+".away")
	servertest.Until(t, "the object store is away", degraded)
	move(dir+".away", dir)
	acme := s.Acme()
	_, url := acme.Announce("a.txt")
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	s.Pass(time.Hour)
	move(dir, dir+".away")
	servertest.Until(t, "the object store is away again", degraded)
	if since := readyz(s, http.StatusOK).Text(t, "components", "object_store", "since"); since != s.Shown(0) {
		t.Errorf("away since %s, want %s", since, s.Shown(0))
	}
}

// TestReadyWithoutParsers checks the same without worker processes.
func TestReadyWithoutParsers(t *testing.T) {
	servertest.Proves(t, provesReadiness)
	pool := worker.NewPool(1, 0, worker.Limits{Time: time.Minute, Memory: 512 << 20})
	pool.Close()
	s := servertest.New(t, func(o *servertest.Options) { o.Workers = pool })
	if got := readyz(s, http.StatusOK).Text(t, "components", "parsers", "status"); got != "failing" {
		t.Errorf("status %s, want failing", got)
	}
	s.Pass(time.Minute)
	readyz(s, http.StatusServiceUnavailable)
}

// TestNotReadyWithoutDatabase checks that a server without its database is not ready.
func TestNotReadyWithoutDatabase(t *testing.T) {
	servertest.Proves(t, provesReadiness)
	var outage servertest.Outage
	s := servertest.New(t, outage.Option(t))
	awaitParsers(s)
	outage.Active.Store(true)
	readyz(s, http.StatusServiceUnavailable).Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable","status":"unavailable","components":{`+
		`"database":{"status":"unavailable","since":"`+s.Shown(0)+`"},"object_store":{"status":"ok"},"parsers":{"status":"ok"}}}`)
	outage.Active.Store(false)
	readyz(s, http.StatusOK)
}
