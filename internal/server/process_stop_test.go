package server_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestTwoServers share a database and a store: each submission is processed once.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	url := storagetest.URL(t)
	arguments := []string{"--database-url", url, "--objects-url", "file://" + t.TempDir()}
	servers := []*servertest.Process{
		servertest.Start(t, append(arguments, "--data-dir", t.TempDir())...),
		servertest.Start(t, append(arguments, "--data-dir", t.TempDir())...),
	}
	var callers []caller
	for _, p := range servers {
		callers = append(callers, servertest.Client{p.Server(), servers[0].Server().Acme().Token, "acme-api-key"})
	}
	var all []string
	for i := range 20 {
		// Each step at another server than the last.
		txID, address := callers[i%2].Announce("a.txt")
		address = servers[(i+1)%2].api + address[strings.Index(address, "/file-transfer"):]
		callers[0].Upload(address, "a.txt", servertest.Letter).Want(t, http.StatusOK)
		first := callers[i%2].Trigger(txID).Want(t, http.StatusOK)
		callers[(i+1)%2].Trigger(txID).Want(t, http.StatusOK, first.Body)
		all = append(all, txID)
	}
	check := &world{t: t, db: connect(t, url)}
	for i, txID := range all {
		done := callers[i%2].AwaitStatus(txID, "Completed")
		callers[(i+1)%2].Status(txID).Want(t, http.StatusOK, done.Body)
		check.oneRun(t, txID)
	}
}

// TestRestartTakesUp: a server that is alone on its database has what a killed
// one left half done; one that shares it waits for the leases to end.
func TestRestartTakesUp(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	acme.Do("POST /hooks", `{"url":"https://example.com/in","active":true,"events":["*"]}`).Want(t, http.StatusCreated)
	acme.Submit("a.txt", servertest.Letter)
	w.Exec("update submissions set lease_until = '2100-01-01'")
	w.Exec("update deliveries set lease_until = '2100-01-01'")
	config := Config{Environment: "sandbox", DataDir: t.TempDir(), MasterKey: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32))}
	for _, c := range []struct{ url, held string }{{w.DB.Config().ConnString(), "true and true"}, {"", "false and false"}} {
		config.DatabaseURL = c.url
		if _, err := config.prepare(t.Context(), w.DB); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := w.DB.QueryRow(t.Context(), `
			select (select bool_or(lease_until is not null)::text from submissions) || ' and ' || (select bool_or(lease_until is not null)::text from deliveries)`).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != c.held {
			t.Errorf("with DATABASE_URL %q, submissions and deliveries held: %s, want %s", c.url, got, c.held)
		}
	}
}

func connect(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	db, err := storage.Open(t.Context(), url, storagetest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// TestStopWaitsForUploads: a server that is told to stop says so, and answers
// what it has begun.
func TestStopWaitsForUploads(t *testing.T) {
	t.Parallel()
	url := storagetest.URL(t)
	p := servertest.Start(t, "--database-url", url, "--data-dir", t.TempDir())
	w := p.Server()
	acme := w.Acme()
	txID, address := acme.Announce("a.txt")
	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", servertest.Letter})
	w.slowly(address, kind, body, func() {
		p.Cmd.Process.Signal(syscall.SIGTERM)
		for w.Do(servertest.Call{Line: "GET /readyz"}).Status == http.StatusOK {
		}
		w.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusServiceUnavailable)
		w.Do(servertest.Call{Line: "GET " + p.control + "/readyz"}).Want(t, http.StatusServiceUnavailable)
		w.Do(servertest.Call{Line: "GET /livez"}).Want(t, http.StatusOK)
	}).Want(t, http.StatusOK)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d", code)
	}
	check := &world{t: t, db: connect(t, url)}
	if !servertest.Value[bool](check, "select object_key is not null from submissions where tx_id = $1", txID) {
		t.Error("the upload is lost")
	}
}

func TestOneServerPerDataDirectory(t *testing.T) {
	t.Parallel()
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir)
	said := servertest.Refusal(t, "--data-dir", dir)
	if !strings.Contains(said, dir+" is in use by another server") {
		t.Errorf("it says %s", said)
	}
	p.Server().Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
}

const masterKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

func TestSharedDeploymentRefuses(t *testing.T) {
	t.Parallel()
	said := servertest.Refusal(t, "--profile", "uat", "--data-dir", t.TempDir())
	for _, reason := range []string{"no MASTER_KEY", "no DATABASE_URL", "no CONTROL_TOKEN"} {
		if !strings.Contains(said, reason) {
			t.Errorf("%s is not named in: %s", reason, said)
		}
	}
	// A database that a local server has used; the tests' own runs without fsync.
	url := storagetest.URL(t)
	arguments := []string{"DATABASE_URL=" + url, "MASTER_KEY=" + masterKey, "--data-dir", t.TempDir()}
	servertest.Start(t, arguments...).Kill()
	said = servertest.Refusal(t, append(arguments, "PROFILE=uat", "CONTROL_TOKEN=t")...)
	for _, reason := range []string{"demo credentials", "fsync is off"} {
		if !strings.Contains(said, reason) {
			t.Errorf("%s is not named in: %s", reason, said)
		}
	}
	for _, absent := range []string{"MASTER_KEY", "DATABASE_URL", "CONTROL_TOKEN"} {
		if strings.Contains(said, absent) {
			t.Errorf("%s is named in: %s", absent, said)
		}
	}
}

func TestMasterKey(t *testing.T) {
	t.Parallel()
	url := storagetest.URL(t)
	for _, bad := range []string{"short", "AAAA", masterKey[:43], masterKey + "AAAA", "not base64 at all, but long enough to be it.", " "} {
		if said := servertest.Refusal(t, "DATABASE_URL="+url, "--data-dir", t.TempDir(), "MASTER_KEY="+bad); !strings.Contains(said, "MASTER_KEY: want 32 bytes in base64") {
			t.Errorf("with %q it says %s", bad, said)
		}
	}
	servertest.Start(t, "DATABASE_URL="+url, "--data-dir", t.TempDir(), "MASTER_KEY="+masterKey).Kill()
	other := strings.Replace(masterKey, "A", "B", 1)
	for _, arguments := range [][]string{{"MASTER_KEY=" + other}, {}} {
		said := servertest.Refusal(t, append(arguments, "DATABASE_URL="+url, "--data-dir", t.TempDir())...)
		if !strings.Contains(said, "made with another master key") {
			t.Errorf("it says %s", said)
		}
		if strings.Contains(said, other) {
			t.Errorf("it shows the Key: %s", said)
		}
	}
	servertest.Start(t, "DATABASE_URL="+url, "--data-dir", t.TempDir(), "MASTER_KEY="+masterKey)
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir())
	address := strings.TrimPrefix(p.API, "http://")
	_, port, _ := net.SplitHostPort(address)
	for _, good := range []string{address, ":" + port, "0.0.0.0:" + port} {
		for _, argument := range []string{"--listen=" + good, "LISTEN_ADDR=" + good} {
			if out, err := servertest.Command(t, "healthcheck", argument).CombinedOutput(); err != nil {
				t.Errorf("%s: %v, %s", argument, err, out)
			}
		}
	}
	p.Kill()
	for _, bad := range []string{address, "nonsense", "127.0.0.1:99999"} {
		check := servertest.Command(t, "healthcheck", "--listen", bad)
		if out, err := check.CombinedOutput(); err == nil || check.ProcessState.ExitCode() != 1 || len(out) == 0 {
			t.Errorf("%s: %v, %s", bad, err, out)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	out, err := servertest.Command(t, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	config := reflect.TypeFor[Config]()
	for field := range config.Fields() {
		if name := field.Tag.Get("env"); name == "" || !strings.Contains(string(out), "$"+name) {
			t.Errorf("%s is not in the help:\n%s", field.Name, out)
		}
	}
	wrong := servertest.Command(t, "--nonsense")
	if out, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(out), "--nonsense") {
		t.Errorf("%v, %s", err, out)
	}
}

// TestLargeUpload: memory does not grow with the file.
func TestLargeUpload(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here to read memory from")
	}
	t.Parallel()
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir())
	acme := p.Server().Acme()
	put := func(size int64, before func()) string {
		t.Helper()
		txID, address := acme.Announce("a.bin")
		const head, tail = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n", "\r\n--b--\r\n"
		request, err := http.NewRequest(http.MethodPut, address, io.MultiReader(strings.NewReader(head), &pour{size, before}, strings.NewReader(tail)))
		if err != nil {
			t.Fatal(err)
		}
		request.ContentLength = int64(len(head)) + size + int64(len(tail))
		request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		exchange(t, http.DefaultClient, request).Want(t, http.StatusOK)
		return txID
	}
	put(4<<20, func() {}) // what it takes to do it at all
	resting, most := p.resident(), int64(0)
	put(100<<20, func() { most = max(most, p.resident()) })
	if grown := most - resting; grown >= 16<<20 {
		t.Errorf("%d MB more resident during an upload of 100 MB", grown>>20)
	}
}

// resident is the process's resident memory in bytes.
func (p *servertest.Process) resident() int64 {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		p.t.Fatal(err)
	}
	return kilobytes << 10
}

// pour is n bytes of a file's content, with a call before each megabyte.
type pour struct {
	left   int64
	before func()
}

func (r *pour) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	if r.left%(1<<20) == 0 {
		r.before()
	}
	p = p[:min(int64(len(p)), r.left, (r.left-1)%(1<<20)+1)]
	for i := range p {
		p[i] = byte(r.left) + byte(i)
	}
	r.left -= int64(len(p))
	return len(p), nil
}
