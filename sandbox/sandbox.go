// Package sandbox gives each Go test its own tenant on an Understudy server,
// with its own credentials, clock, settings, outcomes, faults and journal. Tests
// do not affect each other, so they can run in parallel.
//
//	func TestDecline(t *testing.T) {
//		t.Parallel()
//		s := sandbox.Start(t, sandbox.NoFindings())
//		s.SetOutcome(sandbox.Outcome{
//			Match:  sandbox.Match{Filename: "broken.*"},
//			Status: sandbox.Failed,
//		})
//		client := yours.New(s.BaseURL, s.ClientID, s.ClientSecret, s.APIKey)
//		txID := client.Submit("broken.pdf")
//		s.Advance(time.Minute)
//		…
//	}
//
// # The server
//
// All tests of a process share one server, which is the first of these that the
// environment provides:
//
//   - a running server, if UNDERSTUDY_CONTROL_URL is set to the URL of its
//     control listener, such as http://127.0.0.1:8081. UNDERSTUDY_CONTROL_TOKEN
//     is its control token, if it requires one. UNDERSTUDY_API_URL is the URL of
//     its API, if that differs from the one that the server reports;
//   - a server binary, if UNDERSTUDY_BIN is set to its absolute path;
//   - the server in the version of this module that the test is built with. It
//     is built with the go command, which takes about a minute the first time.
//
// This package starts the server in the last two cases. The server then listens
// on free ports of the loopback interface, keeps its data in a temporary
// directory, and exits when the test process ends for any reason. Like every
// Understudy server, it needs the PostgreSQL programs.
//
// go test ./... runs each package in its own process. With
// "understudy exec -- go test ./...", they share one server, and its findings
// are printed at the end.
//
// # The tenant
//
// [Start] creates the tenant of a test, and deletes it at the end. Options set
// its name, the client's permissions, and settings such as the pacing of
// submissions. [Sandbox.Seed] sets it up from a file that several tests share.
//
// Configure the client under test with BaseURL, ClientID, ClientSecret, APIKey,
// CompanyPackageID and LocationPackageID. [Sandbox.Submit], [Sandbox.Token] and
// [Sandbox.HTTPClient] call the API too, so faults and permissions affect them.
//
// # Outcomes, faults and the clock
//
// [Sandbox.SetOutcome] determines the result of submissions, and
// [Sandbox.AddFault] makes calls or webhook deliveries fail. Both apply to
// everything that matches from then on.
//
// [Sandbox.Advance] and [Sandbox.SetClock] move the tenant's clock, and return
// when everything that becomes due is done: submissions end, tokens expire, and
// deliveries are retried. [Sandbox.Await] waits in real time for an event.
//
// # Webhooks
//
// [Sandbox.Receiver] starts a receiver in the test's process, which verifies
// signatures and keeps the events; [Receiver.Wait] waits for one.
// [Sandbox.FireEvent] publishes any event. [Sandbox.Subscribe] subscribes your
// own receiver.
//
// # The calls of the client
//
// [Sandbox.Requests] returns the calls of the tenant's clients with their
// responses. [NoFindings] fails the test at its end if these calls, or the
// responses of webhook receivers, show mistakes; [Sandbox.AssertNoFindings]
// fails it at once, and [Sandbox.Findings] returns them.
//
// # Failures
//
// A method that fails calls t.Fatal with the reason and a hint, so it must be
// called from the goroutine that runs the test, or in a function passed to
// t.Cleanup. Times are in the tenant's time unless stated otherwise.
package sandbox

import (
	"context"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// Sandbox is the tenant of one test: the URLs and credentials that a client
// needs to call the API as the tenant, and methods to control the tenant.
type Sandbox struct {
	BaseURL    string `json:"-"` // URL of the API, such as http://127.0.0.1:8080
	ControlURL string `json:"-"` // URL of the control listener, such as http://127.0.0.1:8081

	TenantName        string `json:"name"`
	TenantUUID        string `json:"tenant_uuid"`
	ClientID          string `json:"client_id"`
	ClientSecret      string `json:"client_secret"`
	APIKey            string `json:"api_key"`
	CompanyPackageID  string `json:"company_package_id"`  // data package of companies
	LocationPackageID string `json:"location_package_id"` // data package of locations
	UserID            string `json:"user_id"`

	t      testing.TB
	server *server

	mu        sync.Mutex
	token     string // cached for HTTPClient and Submit; "" if none
	receivers []*Receiver
}

// Option configures the tenant that Start creates.
type Option func(*tenantRequest)

// tenantRequest is the body of the control API's call that creates a tenant.
type tenantRequest struct {
	Name        string    `json:"name,omitempty"`
	Permissions []string  `json:"permissions,omitzero"`
	Settings    *Settings `json:"settings,omitempty"`

	noFindings bool
}

// WithName sets the tenant's name: 1 to 63 lower-case letters, digits and
// hyphens, unique on the server. The default is a random name.
func WithName(name string) Option { return func(n *tenantRequest) { n.Name = name } }

// WithPermissions limits the client to these permissions, such as
// "::data/v2:get". By default, the client has all permissions.
func WithPermissions(permissions ...string) Option {
	return func(n *tenantRequest) { n.Permissions = append([]string{}, permissions...) }
}

// WithSettings sets settings of the tenant. Those that are nil or "" keep their
// defaults.
func WithSettings(settings Settings) Option { return func(n *tenantRequest) { n.Settings = &settings } }

// Start creates a tenant for the test, and deletes it when the test ends, unless
// UNDERSTUDY_KEEP_TENANTS is 1. The first call in a process starts the server if
// necessary. Start fails the test if no server can be reached or started.
func Start(t testing.TB, options ...Option) *Sandbox {
	t.Helper()
	server, err := sharedServer()
	if err != nil {
		t.Fatalf("understudy: %v", err)
	}
	s := &Sandbox{BaseURL: server.apiURL, ControlURL: server.control.URL, t: t, server: server}
	var request tenantRequest
	for _, option := range options {
		option(&request)
	}
	s.callControl(http.MethodPost, "/tenants", request, s)
	t.Cleanup(func() {
		if os.Getenv("UNDERSTUDY_KEEP_TENANTS") == "1" {
			return
		}
		ctx, cancel := context.WithTimeout(s.context(), time.Minute)
		defer cancel()
		response, err := s.server.call(ctx, http.MethodDelete, s.tenantPath(""), nil)
		if err == nil && response.Status != http.StatusNotFound {
			err = response.Err()
		}
		if err != nil {
			t.Errorf("understudy: delete tenant %s: %v", s.TenantName, err)
		}
	})
	// Deliveries in flight are received until the findings are known.
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range s.receivers {
			r.stop()
		}
	})
	if request.noFindings {
		t.Cleanup(s.AssertNoFindings) // before the tenant is deleted
	}
	t.Logf("understudy: tenant %s at %s", s.TenantName, s.BaseURL)
	return s
}

// context returns the context of the test, or one that is not cancelled if the test has
// returned and its Cleanup functions run.
func (s *Sandbox) context() context.Context {
	ctx := s.t.Context()
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	return ctx
}
