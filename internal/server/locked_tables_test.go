package server_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// TestLockedTables locks a table while clients repeat all calls that need it. Those calls
// get a 503 response with Retry-After in time, and no other call is affected. Once the
// table is free, everything works again.
func TestLockedTables(t *testing.T) {
	for table, failing := range map[string][]string{
		"submissions":      {"status", "upload URL", "trigger"},
		"hooks":            {"hooks", "hook requests", "trigger", "company"},
		"deliveries":       {"hook requests", "trigger", "company"},
		"feed":             {"trigger", "company"},
		"outcomes":         {"trigger", "company"},
		"reports":          {"report", "data of transaction", "company"},
		"data_packages":    {"report", "data of transaction"},
		"refresh_families": {"refresh"},
		"call_batches":     {},
		"events":           {"trigger", "company"},
	} {
		t.Run(table, func(t *testing.T) {
			// The default number of connections, with shorter timeouts.
			s := servertest.New(t, servertest.RealClock, servertest.Background, servertest.DatabaseLimits(t, storage.Limits{
				Connections: 32,
				Calls:       storage.Timeouts{Lock: time.Second, Statement: 10 * time.Second},
				Background:  storage.Timeouts{Lock: time.Second, Statement: 10 * time.Second},
			}))
			calls := repeatableCalls(t, s)
			lock, err := s.DB.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Rollback(context.Background())
			if _, err := lock.Exec(t.Context(), "lock table "+pgx.Identifier{table}.Sanitize()+" in access exclusive mode"); err != nil {
				t.Fatal(err)
			}
			ctx, free := context.WithCancel(t.Context())
			var repeating sync.WaitGroup
			for _, name := range failing {
				for range 5 { // more than a pool has connections
					repeating.Go(func() {
						for ctx.Err() == nil {
							got := calls[name]()
							if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
								t.Errorf("%s: %d %s", name, got.Status, got.Body)
							}
						}
					})
				}
			}
			var slowest time.Duration
			for range 5 {
				for name, call := range calls {
					if slices.Contains(failing, name) {
						continue
					}
					begun := time.Now()
					if got := call(); got.Status >= 300 {
						t.Errorf("%s: %d %s", name, got.Status, got.Body)
					}
					slowest = max(slowest, time.Since(begun))
				}
			}
			t.Logf("slowest call that does not need %s: %s", table, slowest)
			free()
			repeating.Wait()
			if err := lock.Rollback(t.Context()); err != nil {
				t.Error(err)
			}
			for name, call := range calls {
				servertest.Until(t, name+" works again", func() bool { return call().Status < 300 })
			}
		})
	}
}

// repeatableCalls returns calls by name, each of which can be repeated from any goroutine.
func repeatableCalls(t *testing.T, s *servertest.Server) map[string]func() servertest.Response {
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	hook := "/hooks/" + tenant.Subscribe("http://127.0.0.1:9/")
	const base = "/universal/v3/universal-submit/"
	company := servertest.Call{
		Line: "POST /company/v1/company_submit", Body: `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`,
	}
	report := tenant.Do(company.Line, company.Body).Want(t, http.StatusOK).Text(t, "c_report_id")
	completed := tenant.SubmitFile("a.txt", servertest.Letter)
	tenant.AwaitStatus(completed, "Completed", "Succeeded")
	pending, upload := tenant.Announce("a.fail.txt")
	tenant.Upload(upload, "a.fail.txt", servertest.Letter).Want(t, http.StatusOK)
	basic := map[string]string{"Authorization": servertest.Basic(tenant.Credentials.ClientID, tenant.Credentials.ClientSecret)}

	calls := map[string]func() servertest.Response{}
	add := func(name string, call servertest.Call) {
		if call.Header == nil {
			call.Token, call.Key = tenant.Token, tenant.Key
		}
		calls[name] = func() servertest.Response { return try(t, s.Client, s.Request(call)) }
	}
	calls["clock"] = func() servertest.Response {
		request, err := http.NewRequest(http.MethodGet, tenant.ControlPath("/clock"), http.NoBody)
		if err != nil {
			t.Error(err)
		}
		return try(t, s.ControlClient, request)
	}
	add("ready", servertest.Call{Line: "GET /readyz"})
	add("token", servertest.Call{Line: "POST /auth/token?grant_type=client_credentials", Header: basic})
	calls["refresh"] = func() servertest.Response { // a token can be refreshed only once
		token := calls["token"]().Text(t, "refresh_token")
		return try(t, s.Client, s.Request(servertest.Call{Line: "POST /auth/token?grant_type=refresh_token&refresh_token=" + token, Header: basic}))
	}
	add("hooks", servertest.Call{Line: "GET /hooks"})
	add("hook requests", servertest.Call{Line: "GET " + hook + "/requests"})
	add("status", servertest.Call{Line: "GET " + base + "status/" + completed})
	add("upload URL", servertest.Call{Line: "POST " + base + "file-upload-url", Body: `{"filename":"a.txt"}`})
	add("trigger", servertest.Call{Line: "POST " + base + "file/" + pending})
	add("report", servertest.Call{Line: "GET /data/v1/" + tenant.CompanyPackage + "/" + report})
	add("data of transaction", servertest.Call{Line: "GET /data/v2/" + tenant.CompanyPackage + "/" + completed + "?idType=transaction"})
	add("company", company)
	return calls
}

// try makes a call from any goroutine.
func try(t *testing.T, client *http.Client, request *http.Request) servertest.Response {
	got, err := servertest.Try(client, request)
	if err != nil {
		t.Errorf("%s: %v", request.URL.Path, err)
	}
	return got
}

// TestLockedTenant locks the row of a tenant while its settings are changed, more often
// than a pool has connections. The token checks of other tenants are not affected.
func TestLockedTenant(t *testing.T) {
	s := servertest.New(t, servertest.RealClock, servertest.DatabaseLimits(t, storage.Limits{
		Connections: 32,
		Calls:       storage.Timeouts{Lock: time.Second, Statement: 10 * time.Second},
		Background:  storage.Timeouts{Lock: time.Second, Statement: 10 * time.Second},
	}))
	locked, other := s.NewTenant(`{}`), s.NewTenant(`{}`)
	lock, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback(context.Background())
	if _, err := lock.Exec(t.Context(), "select from tenants where name = $1 for update", locked.Name); err != nil {
		t.Fatal(err)
	}
	ctx, free := context.WithCancel(t.Context())
	var changing sync.WaitGroup
	for range 5 {
		changing.Go(func() {
			for ctx.Err() == nil {
				got := s.ControlWith(t, s.ControlClient, "PATCH /tenants/"+locked.Name+"/settings", `{"rate_limit":1}`, nil)
				if got.Status != http.StatusServiceUnavailable {
					t.Errorf("change settings: %d %s", got.Status, got.Body)
				}
			}
		})
	}
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); { // longer than clients are cached
		if got := other.Do("GET /hooks", ""); got.Status != http.StatusOK {
			t.Errorf("hooks: %d %s", got.Status, got.Body)
			break
		}
	}
	free()
	changing.Wait()
}
