// Package sandbox gives a Go test an Understudy of its own: a tenant with its
// own credentials, clock, pace, outcomes, faults and journal, which no other
// test notices.
//
//	func TestCheckout(t *testing.T) {
//		t.Parallel()
//		s := sandbox.Start(t)
//		s.SetOutcome(sandbox.Outcome{
//			Match:  sandbox.Match{Filename: "broken.*"},
//			Status: sandbox.Failed,
//		})
//		client := yours.New(s.BaseURL, s.ClientID, s.ClientSecret, s.APIKey)
//		…
//	}
//
// All tests of a process share one server. It is the first of these:
//
//   - the one at UNDERSTUDY_CONTROL_URL (such as http://127.0.0.1:8081), whose
//     API is where it says, or at UNDERSTUDY_API_URL; UNDERSTUDY_CONTROL_TOKEN is its control
//     token, if it has one;
//   - the binary that UNDERSTUDY_BIN names by its whole path, started by this
//     package;
//   - the server in the module understudy that the test is built with, built
//     and started with the go command. The first time, that takes a minute.
//
// One that this package starts listens on free ports of this machine, keeps its
// data in a temporary directory, needs Postgres' programs as every Understudy
// does, and ends with the test's process, however that ends.
//
// A method that can't do what it is for fails its test at once, by t.Fatal, and
// says why; so it is to be called on the test's own goroutine. Times are the
// tenant's own.
package sandbox

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Sandbox is a tenant of the test's own, and what a client needs to be it.
type Sandbox struct {
	BaseURL    string `json:"-"` // of the API, such as http://127.0.0.1:8080
	ControlURL string `json:"-"` // of the control listener, such as http://127.0.0.1:8081

	Tenant          string `json:"name"`
	TenantUUID      string `json:"tenant_uuid"`
	ClientID        string `json:"client_id"`
	ClientSecret    string `json:"client_secret"`
	APIKey          string `json:"api_key"`
	CompanyPackage  string `json:"company_package_id"`  // data package of companies
	LocationPackage string `json:"location_package_id"` // data package of locations
	UserID          string `json:"user_id"`

	t      testing.TB
	server *server

	mu    sync.Mutex
	token string // of HTTPClient and Submit; "" = to be fetched
}

// Option is something special about a new tenant.
type Option func(*newTenant)

// newTenant is the body of a tenant's making.
type newTenant struct {
	Name        string    `json:"name,omitempty"`
	Permissions []string  `json:"permissions,omitzero"`
	Settings    *Settings `json:"settings,omitempty"`
}

// WithName names the tenant: 1 to 63 lower-case letters, digits and hyphens.
// Without it a name is made up. A name can be taken once on a server.
func WithName(name string) Option { return func(n *newTenant) { n.Name = name } }

// WithPermissions gives the client these permissions only, such as
// "::data/v2:get". Without it, it has all.
func WithPermissions(permissions ...string) Option {
	return func(n *newTenant) { n.Permissions = append([]string{}, permissions...) }
}

// WithSettings makes the tenant with these settings.
func WithSettings(settings Settings) Option { return func(n *newTenant) { n.Settings = &settings } }

// Start makes a tenant for the test, which is deleted when the test ends. It
// fails the test when there is no server and none can be started.
func Start(t testing.TB, options ...Option) *Sandbox {
	t.Helper()
	found, err := shared()
	if err != nil {
		t.Fatalf("understudy: %v", err)
	}
	s := &Sandbox{BaseURL: found.api, ControlURL: found.control, t: t, server: found}
	var asked newTenant
	for _, option := range options {
		option(&asked)
	}
	s.do(http.MethodPost, "/tenants", asked, s)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		got, err := s.server.call(ctx, http.MethodDelete, s.path(""), nil)
		if err == nil && got.status != http.StatusNotFound {
			err = got.refusal()
		}
		if err != nil {
			t.Errorf("understudy: delete tenant %s: %v", s.Tenant, err)
		}
	})
	t.Logf("understudy: tenant %s at %s", s.Tenant, s.BaseURL)
	return s
}
