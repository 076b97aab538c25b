package server_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestTenantsAreDeletedUnderLoad deletes and resets tenants, each through another
// server, while their clients submit, poll and subscribe and their events are delivered.
// No call gets a 5xx response, and nothing of the tenants is left.
func TestTenantsAreDeletedUnderLoad(t *testing.T) {
	t.Parallel()
	databaseURL, files := storagetest.URL(t), t.TempDir()
	var servers []*servertest.Server
	for range 3 {
		p := servertest.Start(t, "--database-url", databaseURL, "--objects-url", "file://"+files, "--data-dir", t.TempDir())
		servers = append(servers, p.Server())
	}
	receiver := servertest.NewReceiver(t)
	rows := rowsOf(t, databaseURL)
	const rounds, parallel = 4, 3 // tenants one after another, and at the same time
	var running sync.WaitGroup
	var mu sync.Mutex
	var deleted []uuid.UUID
	for n := range parallel {
		running.Go(func() {
			for round := range rounds {
				server := servers[(n+round)%len(servers)]
				tenant := server.NewTenant([]string{`{"pacing":{"mode":"immediate"}}`, `{"pacing":{"mode":"polls"},"id_seed":7}`}[round%2])
				id := rows.TenantID(tenant.Name)
				load := startLoad(t, servers, tenant, receiver.URL)
				load.await(60)
				for _, line := range []string{"POST /tenants/" + tenant.Name + "/reset", "DELETE /tenants/" + tenant.Name, "DELETE /tenants/" + tenant.Name} {
					server = servers[(n+round+1)%len(servers)]
					want := http.StatusNoContent
					switch {
					case strings.HasPrefix(line, "POST"):
						want = http.StatusOK
					case load.deleted:
						want = http.StatusNotFound
					default:
						load.await(60)
						load.deleted = true
					}
					if got := server.Control(line, ""); got.Status != want {
						t.Errorf("%s: %d %s, want %d", line, got.Status, got.Body, want)
						load.over.Store(strings.HasPrefix(line, "DELETE"))
					}
				}
				load.clients.Wait() // each ends with a 401
				mu.Lock()
				deleted = append(deleted, id)
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for _, s := range servers {
		s.Control("GET /requests", "").Want(t, http.StatusOK) // writes the queued calls
	}
	for table, column := range tenantColumns(t, rows) {
		if n := servertest.Value[int](rows, "select count(*) from "+table+" where "+column+" = any($1)", deleted); n > 0 {
			t.Errorf("%d rows of deleted tenants in %s", n, table)
		}
	}
	if left := stored(t, files); len(left) > 0 {
		t.Errorf("left in the object store: %v", left)
	}
}

// tenantColumns returns the tables that have the id of a tenant.
func tenantColumns(t *testing.T, rows *servertest.Server) map[string]string {
	t.Helper()
	columns := map[string]string{}
	names := servertest.Value[[]string](rows, `
		select array_agg(c.table_name::text)
		from information_schema.columns c
		join information_schema.tables t using (table_schema, table_name)
		where c.table_schema = current_schema()
		and c.column_name = 'tenant_id'
		and t.table_type = 'BASE TABLE'`)
	for _, name := range names {
		columns[name] = "tenant_id"
	}
	if len(columns) < 10 {
		t.Fatalf("tables with a tenant: %v", columns)
	}
	return columns
}

// stored returns the files and directories in the object store, except those that
// belong to the store itself.
func stored(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || path == dir:
			return err
		case strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			files, err := os.ReadDir(path)
			for _, file := range files {
				if !strings.HasPrefix(file.Name(), ".") {
					paths = append(paths, filepath.Join(path, file.Name()))
				}
			}
			if err != nil {
				return err
			}
			return filepath.SkipDir
		case entry.Name() != "understudy.json" && !strings.HasPrefix(entry.Name(), "."):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// load makes calls as a tenant's clients, each of which continues until it gets a 401
// response.
type load struct {
	t       *testing.T
	clients sync.WaitGroup
	deleted bool
	over    atomic.Bool // the tenant could not be deleted

	mu    sync.Mutex
	calls int
	ended bool // a client has stopped calling
	more  *sync.Cond
}

// startLoad starts clients of the tenant at all servers.
func startLoad(t *testing.T, servers []*servertest.Server, tenant *servertest.Tenant, receiver string) *load {
	l := &load{t: t}
	l.more = sync.NewCond(&l.mu)
	for _, s := range servers {
		c := servertest.Client{Server: s, Token: tenant.Token, Key: tenant.Key}
		l.clients.Go(func() { l.repeat(func() bool { return l.submit(c, false) && l.company(c) }) })
		l.clients.Go(func() { l.repeat(func() bool { return l.submit(c, true) && l.subscribe(c, receiver) }) })
	}
	return l
}

// repeat calls do until it returns false, because the client no longer exists.
func (l *load) repeat(do func() bool) {
	for !l.over.Load() && do() {
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.more.Broadcast()
}

// await waits until the clients have made n more calls, or one has stopped.
func (l *load) await(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for until := l.calls + n; l.calls < until && !l.ended; {
		l.more.Wait()
	}
}

// call makes a call. It returns false after a 401 response, and fails the test after a
// 5xx one.
func (l *load) call(c servertest.Client, call servertest.Call) (servertest.Response, bool) {
	call.Token, call.Key = c.Token, c.Key
	got, err := servertest.Try(c.Client, c.Request(call))
	if err != nil {
		l.t.Errorf("%s: %v", call.Line, err)
		return got, false
	}
	if got.Status >= 500 {
		l.t.Errorf("%s: %d %s", call.Line, got.Status, got.Body)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.more.Broadcast()
	return got, got.Status != http.StatusUnauthorized
}

// submit submits a file, directly or with an upload URL, and polls its status.
func (l *load) submit(c servertest.Client, directly bool) bool {
	contentType, body := servertest.Form(l.t, servertest.Part{Name: "file", Filename: "a.fail.txt", Content: servertest.Letter})
	header := map[string]string{"Content-Type": contentType}
	const base = "/universal/v3/universal-submit/"
	var txID string
	if directly {
		got, ok := l.call(c, servertest.Call{Line: "POST " + base + "file", Header: header, Body: body})
		if !ok || got.Status != http.StatusOK {
			return ok
		}
		txID = got.Text(l.t, "tx_id")
	} else {
		got, ok := l.call(c, servertest.Call{Line: "POST " + base + "file-upload-url", Body: `{"filename":"a.fail.txt"}`})
		if !ok || got.Status != http.StatusOK {
			return ok
		}
		txID = got.Text(l.t, "tx_id")
		l.call(c, servertest.Call{Line: "PUT " + got.Text(l.t, "upload_url"), Header: header, Body: body})
		if _, ok := l.call(c, servertest.Call{Line: "POST " + base + "file/" + txID}); !ok {
			return false
		}
	}
	for range 3 {
		if _, ok := l.call(c, servertest.Call{Line: "GET " + base + "status/" + txID}); !ok {
			return false
		}
	}
	return true
}

// company submits a company.
func (l *load) company(c servertest.Client) bool {
	_, ok := l.call(c, servertest.Call{
		Line: "POST /company/v1/company_submit",
		Body: `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`,
	})
	return ok
}

// subscribe creates a subscription to all events, changes it and sometimes deletes it.
func (l *load) subscribe(c servertest.Client, receiver string) bool {
	got, ok := l.call(c, servertest.Call{Line: "POST /hooks", Body: fmt.Sprintf(`{"url":%q,"active":true,"events":["*"]}`, receiver)})
	if !ok || got.Status != http.StatusCreated {
		return ok
	}
	hook := "/hooks/" + got.Text(l.t, "id")
	for _, line := range []string{"PATCH " + hook, "GET " + hook + "/requests", "DELETE " + hook} {
		call := servertest.Call{Line: line}
		if strings.HasPrefix(line, "PATCH") {
			call.Body = `{"url":"` + receiver + `/changed"}`
		}
		if _, ok := l.call(c, call); !ok {
			return false
		}
	}
	return true
}
