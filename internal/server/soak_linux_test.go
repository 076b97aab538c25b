package server_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/postgres"
	"understudy.example/internal/server/servertest"
)

const (
	soakRate    = 30 // calls per second
	soakClients = 8
	soakKeep    = "20s" // --keep-submissions and --keep-uploads
)

// TestSoak makes calls of all kinds for SOAK_TIME while the server deletes old data, and
// checks that nothing grows: the means of the last third of the time may exceed those of
// the middle third by a quarter and an allowance for each quantity.
func TestSoak(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("SOAK_TIME"))
	if os.Getenv("SOAK_TIME") == "" {
		t.Skip("SOAK_TIME is not set; make soak runs this test for an hour")
	}
	if err != nil || duration < 2*time.Minute {
		t.Fatalf("SOAK_TIME=%s: want a duration of at least 2m", os.Getenv("SOAK_TIME"))
	}
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir, "--keep-submissions="+soakKeep, "--keep-uploads="+soakKeep)
	url, err := postgres.Running(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	db, err := pgx.Connect(t.Context(), url+" search_path=sandbox")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.Background())

	load, stop := context.WithTimeout(t.Context(), duration)
	defer stop()
	s := &soak{t: t, server: p.Server(), receiver: servertest.NewReceiver(t).URL, tokens: make(chan struct{})}
	begun := time.Now()
	go s.limit(load)
	var clients sync.WaitGroup
	for range soakClients {
		clients.Go(func() {
			for load.Err() == nil {
				s.useTenant(load)
			}
		})
	}
	var middle, last []map[string]float64
	for tick := time.NewTicker(2 * time.Second); load.Err() == nil; {
		select {
		case <-load.Done():
			continue
		case <-tick.C:
		}
		sample := s.measure(db, p, filepath.Join(dir, "objects"))
		switch passed := time.Since(begun); {
		case passed > duration*2/3:
			last = append(last, sample)
		case passed > duration/3:
			middle = append(middle, sample)
		}
	}
	clients.Wait()
	t.Logf("%d calls in %v, %d of them refused or failed as expected", s.calls.Load(), time.Since(begun).Round(time.Second), s.refused.Load())
	compareThirds(t, middle, last)
	if !strings.Contains(p.Output.String(), `msg="expired data was deleted"`) {
		t.Error("nothing expired during the soak")
	}
}

// allowances are what the mean of the last third may exceed 1.25 times that of the middle
// third by, by the first word of the quantity.
var allowances = map[string]float64{
	"memory": 24 << 20, "descriptors": 16, "threads": 8, "goroutines": 40, "rows": 300, "bytes": 8 << 20, "files": 50,
}

// trimmed are the quantities that grow until a limit is reached which is too high for a
// soak: 10,000 calls per tenant and 100,000 entries of the audit log.
var trimmed = map[string]bool{"rows calls": true, "bytes calls": true, "rows audit_entries": true, "bytes audit_entries": true}

func compareThirds(t *testing.T, middle, last []map[string]float64) {
	t.Helper()
	mean := func(samples []map[string]float64, name string) (sum float64) {
		for _, sample := range samples {
			sum += sample[name]
		}
		return sum / float64(max(len(samples), 1))
	}
	names := map[string]bool{}
	for _, sample := range slices.Concat(middle, last) {
		for name := range sample {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, after := mean(middle, name), mean(last, name)
		t.Logf("%-32s %14.0f %14.0f", name, before, after)
		kind, _, _ := strings.Cut(name, " ")
		if !trimmed[name] && after > 1.25*before+allowances[kind] {
			t.Errorf("%s grew from %.0f in the middle third to %.0f in the last", name, before, after)
		}
	}
	// The journal of the tenant that stays has 10,000 calls, and grows to 15,000 before it
	// is trimmed. The other tenants are deleted after about a minute.
	if calls := mean(last, "rows calls"); calls > 15_000+soakRate*300 {
		t.Errorf("the journal has %.0f calls", calls)
	}
}

// soak is a running soak.
type soak struct {
	t              *testing.T
	server         *servertest.Server
	receiver       string
	tokens         chan struct{}
	calls, refused atomic.Int64
}

// limit allows soakRate calls per second until ctx ends.
func (s *soak) limit(ctx context.Context) {
	tick := time.NewTicker(time.Second / soakRate)
	defer tick.Stop()
	defer close(s.tokens)
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		select {
		case s.tokens <- struct{}{}:
		case <-ctx.Done():
		}
	}
}

// call makes a call when the rate allows it. The status must be one of those given.
func (s *soak) call(call func() servertest.Response, statuses ...int) servertest.Response {
	<-s.tokens
	s.calls.Add(1)
	response := call()
	if response.Status >= 400 {
		s.refused.Add(1)
	}
	if !slices.Contains(statuses, response.Status) {
		s.t.Errorf("response %d %s, want status %v", response.Status, response.Body, statuses)
	}
	return response
}

// useTenant creates a tenant, lets its client work for about a minute, and deletes the
// tenant. Some of the work is done with a tenant that stays.
func (s *soak) useTenant(ctx context.Context) {
	tenant, acme := s.server.NewTenant(`{"pacing":{"mode":"immediate"},"max_submissions":100000}`), s.server.Acme()
	tenant.Subscribe(s.receiver)
	for until := time.Now().Add(time.Minute); ctx.Err() == nil && time.Now().Before(until); {
		s.work(tenant, tenant.Client)
		s.work(tenant, acme)
	}
	s.server.Control("DELETE /tenants/"+tenant.Name, "").Want(s.t, http.StatusNoContent)
}

// work makes calls of all kinds as the client, and control calls for the tenant.
func (s *soak) work(tenant *servertest.Tenant, client servertest.Client) {
	do := func(line, body string, statuses ...int) servertest.Response {
		return s.call(func() servertest.Response { return client.Do(line, body) }, statuses...)
	}
	control := func(line, body string, statuses ...int) {
		s.call(func() servertest.Response { return tenant.Control(line, body) }, statuses...)
	}
	content := append(bytes.Repeat([]byte("\n"), rand.IntN(20_000)), servertest.Letter...)
	announced := do(servertest.GetUploadURL, `{"filename":"letter.txt"}`, http.StatusOK)
	txID := announced.Text(s.t, "tx_id")
	const status = "GET /universal/v2/universal-submit/status/"
	if rand.IntN(4) > 0 { // otherwise it is never triggered
		s.call(func() servertest.Response {
			return s.server.Upload(announced.Text(s.t, "upload_url"), "letter.txt", content)
		}, http.StatusOK)
		do("POST /universal/v2/universal-submit/file/"+txID, "", http.StatusOK)
		do(status+txID, "", http.StatusOK)
		client.AwaitStatus(txID, "Completed")
		do("GET /data/v2/"+packageOf(client, tenant)+"/"+txID+"?idType=transaction", "", http.StatusOK)
		do("GET /universal/v4/universal-submit/status/"+txID+"/details", "", http.StatusOK)
	}
	s.call(func() servertest.Response { return client.SubmitDirectly("v3", "direct.fail.txt", content) }, http.StatusOK)
	company := do("POST /company/v1/company_submit", `{"company_name":"Foxglove Bakery","address":"12 Mill Street, Springfield, IL"}`, http.StatusOK)
	do("GET /data/v1/"+packageOf(client, tenant)+"/"+company.Text(s.t, "c_report_id"), "", http.StatusOK)
	do(status+"unknown", "", http.StatusNotFound)
	hook := do("POST /hooks", `{"url":"`+s.receiver+`","events":["quote_request"],"active":false}`, http.StatusCreated)
	do("PATCH /hooks/"+hook.Text(s.t, "id"), `{"active":false,"events":["carrier"]}`, http.StatusOK)
	do("GET /hooks", "", http.StatusOK)
	do("DELETE /hooks/"+hook.Text(s.t, "id"), "", http.StatusNoContent)
	token := s.call(func() servertest.Response { return s.server.NewToken(tenant.Credentials) }, http.StatusOK)
	s.call(func() servertest.Response {
		return s.server.Refresh(tenant.Credentials, token.Text(s.t, "refresh_token"))
	}, http.StatusOK)

	control("POST /events", `{"event":"quote_request:made","data":{}}`, http.StatusOK)
	control("POST /faults", `{"route":"*","status":503,"times":1,"expires":"1s","probability":0}`, http.StatusCreated)
	control("PUT /outcomes", `{"match":{"filename":"never.txt"},"status":"Failed"}`, http.StatusOK, http.StatusCreated)
	control("PATCH /settings", `{"trailing_whitespace":true}`, http.StatusOK)
	control("POST /clock", `{"advance":"1s"}`, http.StatusOK)
	for _, path := range []string{"", "/requests?limit=20", "/findings", "/deliveries?limit=20", "/transactions?limit=20", "/await?event=*"} {
		control("GET "+path, "", http.StatusOK)
	}
	control("DELETE /faults", "", http.StatusNoContent)
}

func packageOf(client servertest.Client, tenant *servertest.Tenant) string {
	if client.Token == tenant.Token {
		return tenant.CompanyPackage
	}
	return "acme-us-c0001"
}

// measure returns all quantities that must not grow.
func (s *soak) measure(db *pgx.Conn, p *servertest.Process, objects string) map[string]float64 {
	s.t.Helper()
	sample := map[string]float64{}
	proc := fmt.Sprintf("/proc/%d", p.Cmd.Process.Pid)
	status, err1 := os.ReadFile(proc + "/status")
	descriptors, err2 := os.ReadDir(proc + "/fd")
	if err := cmp.Or(err1, err2); err != nil {
		s.t.Fatal(err)
	}
	sample["descriptors"] = float64(len(descriptors))
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		switch fields[0] {
		case "VmRSS:":
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			sample["memory"] = kilobytes * 1024
		case "Threads:":
			sample["threads"], _ = strconv.ParseFloat(fields[1], 64)
		}
	}
	s.measureGoroutines(p, sample)
	rows, _ := db.Query(context.Background(), `
		select relname::text, pg_total_relation_size(oid), (xpath('/row/n/text()', query_to_xml('select count(*) as n from sandbox.' || relname, false, true, '')))[1]::text::bigint
		from pg_class
		where relnamespace = 'sandbox'::regnamespace
		and relkind = 'r'`)
	var name string
	var size, count int64
	if _, err := pgx.ForEachRow(rows, []any{&name, &size, &count}, func() error {
		sample["bytes "+name], sample["rows "+name] = float64(size), float64(count)
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
	filepath.WalkDir(objects, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			sample["files"]++
			if info, err := entry.Info(); err == nil {
				sample["bytes of files"] += float64(info.Size())
			}
		}
		return nil // a file that was deleted meanwhile
	})
	return sample
}

// measureGoroutines reads the number of goroutines from the metrics, if the server has
// them.
func (s *soak) measureGoroutines(p *servertest.Process, sample map[string]float64) {
	response, err := http.Get(p.ControlURL + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if n, found := strings.CutPrefix(lines.Text(), "go_goroutines "); found {
			sample["goroutines"], _ = strconv.ParseFloat(n, 64)
		}
	}
}
