package server_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestObjectStoreFaults runs a server whose object store becomes full, read-only and
// away: calls that need it get 503 with a hint, /readyz shows the state, submissions
// wait, and everything continues once the object store is back.
func TestObjectStoreFaults(t *testing.T) {
	servertest.Proves(t, "Chosen, bearer token and API key: object store away or full: 503 with Retry-After")
	t.Parallel()
	disk := storagetest.NewTmpfs(t, "8m")
	dir := disk.Dir + "/objects"
	p := servertest.Start(t, "--database-url", storagetest.URL(t), "--data-dir", t.TempDir(), "--objects-url", "file://"+dir)
	s := p.Server()
	s.ControlURL, s.ControlClient = p.ControlURL+"/control/v1", http.DefaultClient
	acme := s.Acme()
	ready := servertest.Call{Line: "GET /readyz"}
	s.Do(ready).Want(t, http.StatusOK)

	check := func(state string) {
		t.Helper()
		_, url := acme.Announce("a.txt")
		for _, got := range []servertest.Response{
			s.Upload(url, "a.txt", bytes.Repeat([]byte("x"), 300<<10)),
			acme.SubmitDirectly("v3", "a.txt", servertest.Letter),
			acme.SubmitDirectly("v4", "a.txt", servertest.Letter),
		} {
			got.Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable"}`)
			if hint := got.Header.Get("X-Understudy-Hint"); got.Header.Get("Retry-After") == "" || !strings.Contains(hint, state) {
				t.Errorf("%s: header %v", state, got.Header)
			}
		}
		got := s.Do(ready).Want(t, http.StatusOK)
		if status, shown := got.Text(t, "status"), got.Text(t, "components", "object_store", "status"); status != "degraded" || shown != state {
			t.Errorf("readyz: %s", got.Body)
		}
		s.Do(servertest.Call{Line: "GET /livez"}).Want(t, http.StatusOK)
		acme.Do("GET /hooks", "").Want(t, http.StatusOK)
	}
	works := func() {
		t.Helper()
		servertest.Until(t, "it is ready", func() bool { return s.Do(ready).Want(t, http.StatusOK).Text(t, "status") == "ok" })
		acme.AwaitStatus(acme.SubmitFile("a.txt", servertest.Letter), "Completed")
	}

	free := disk.Fill()
	check("full")
	free()
	works()
	disk.SetReadOnly(true)
	check("read-only")
	disk.SetReadOnly(false)
	works()

	tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"1h","finished":"1h"}}`)
	waits, other := tenant.SubmitFile("a.txt", servertest.Letter), acme.SubmitFile("b.txt", servertest.Letter)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	check("away")
	begun := time.Now()
	tenant.Control("POST /clock", `{"advance":"3h"}`).Want(t, http.StatusOK)
	tenant.Control("POST /clock", `{"advance":"3h"}`).Want(t, http.StatusOK)
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("the clock waited %v for the object store", took)
	}
	for _, last := range []servertest.Response{tenant.Status(waits), acme.AwaitStatus(other, "Started")} {
		if got := last.Text(t, "status"); got != "Started" {
			t.Errorf("status %s, want Started", got)
		}
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	begun = time.Now()
	tenant.AwaitStatus(waits, "Completed")
	acme.AwaitStatus(other, "Completed")
	t.Logf("completed %v after the store was back", time.Since(begun))
	works()
}

// TestObjectStoreOfAnotherDatabase checks on which object stores a server refuses to
// start.
func TestObjectStoreOfAnotherDatabase(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a server refuses to start on the object store of another database")
	t.Parallel()
	shared, dirs := t.TempDir(), t.TempDir()
	objects := "file://" + shared
	url := storagetest.URL(t)
	start := func(arguments ...string) []string {
		return append(arguments, "--data-dir", t.TempDir(), "MASTER_KEY="+masterKey)
	}
	first := servertest.Start(t, start("--database-url", url, "--objects-url", objects)...)
	output := servertest.Refusal(t, start("--database-url", storagetest.URL(t), "--objects-url", objects)...)
	if !strings.Contains(output, "object store "+objects+": it belongs to the environment sandbox of the database") {
		t.Errorf("output %s", output)
	}
	// A replica with a directory of its own would store files where the others do not
	// find them.
	output = servertest.Refusal(t, start("--database-url", url)...)
	if !strings.Contains(output, "it has no marker, but the environment sandbox of the database") {
		t.Errorf("output %s", output)
	}
	servertest.Start(t, start("--database-url", url, "--objects-url", objects)...).Kill()
	client := first.Server().Acme()
	txID, upload := client.Announce("a.txt")
	client.Upload(upload, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	first.Kill()
	output = servertest.Refusal(t, start("--database-url", url, "--objects-url", "file://"+dirs+"/other")...)
	if !strings.Contains(output, "it has no marker") {
		t.Errorf("output %s", output)
	}
	p := servertest.Start(t, start("--database-url", url, "--objects-url", objects)...)
	client = p.Server().Acme()
	client.Trigger(txID).Want(t, http.StatusOK)
	client.AwaitStatus(txID, "Completed")
	p.Kill()
	// No file is needed any more, so the profile local accepts another store.
	servertest.Start(t, start("--database-url", url, "--objects-url", "file://"+dirs+"/other")...)
}

// TestObjectStoreIsReplacedOnlyIfNothingIsLost checks when a database that has used an
// object store accepts another one.
func TestObjectStoreIsReplacedOnlyIfNothingIsLost(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	accepts := func(want bool, config server.Config) {
		t.Helper()
		config.Environment = storagetest.Environment
		if got, err := config.CanReplaceObjects(t.Context(), s.DB); err != nil || got != want {
			t.Errorf("profile %q, ephemeral %t: got %t, %v, want %t", config.Profile, config.Ephemeral, got, err, want)
		}
	}
	local, uat := server.Config{Profile: "local"}, server.Config{Profile: "uat"}
	accepts(true, local)
	accepts(false, uat)
	_, url := acme.Announce("a.txt")
	accepts(true, local)
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	accepts(false, local)
	accepts(true, server.Config{Ephemeral: true})
	accepts(false, server.Config{Ephemeral: true, ObjectsURL: "file:///elsewhere"})
	acme.Submit("b.txt", servertest.Letter)
	s.Exec("delete from submissions where status = 'Pending'")
	accepts(true, local)
	accepts(false, uat)
}

// TestUploadsAreRefusedBeforeTheDiskIsFull checks the responses while less space is free
// than the server has to leave.
func TestUploadsAreRefusedBeforeTheDiskIsFull(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--database-url", storagetest.URL(t), "--data-dir", t.TempDir(), "--min-free-bytes=9223372036854775807").Server()
	acme := s.Acme()
	_, url := acme.Announce("a.txt")
	for _, got := range []servertest.Response{acme.Upload(url, "a.txt", servertest.Letter), acme.SubmitDirectly("v3", "a.txt", servertest.Letter)} {
		got.Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable"}`)
		if hint := got.Header.Get("X-Understudy-Hint"); got.Header.Get("Retry-After") == "" || !strings.Contains(hint, "full") {
			t.Errorf("header %v", got.Header)
		}
	}
	ready := s.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
	if status := ready.Text(t, "components", "object_store", "status"); status != "full" {
		t.Errorf("readyz: %s", ready.Body)
	}
}
