package servertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/auth"
	"understudy.example/internal/call"
)

// Tenant is a tenant as a test sees it: through the control API, and as its
// client.
type Tenant struct {
	Client
	Name            string
	Credentials     auth.Demo
	CompanyPackage  string
	LocationPackage string
}

// Tenant returns an existing tenant, without a client's token.
func (s *Server) Tenant(name string) *Tenant {
	return &Tenant{Client: Client{Server: s}, Name: name}
}

// NewTenant creates a tenant with the settings, as JSON, and logs its client in.
func (s *Server) NewTenant(settings string) *Tenant {
	s.T.Helper()
	return s.createTenant(`{"settings":` + settings + `}`)
}

// NewNamedTenant is NewTenant with a name of the test's choice.
func (s *Server) NewNamedTenant(name, settings string) *Tenant {
	s.T.Helper()
	return s.createTenant(`{"name":"` + name + `","settings":` + settings + `}`)
}

func (s *Server) createTenant(body string) *Tenant {
	s.T.Helper()
	created := s.Control("POST /tenants", body).Want(s.T, http.StatusCreated)
	tenant := &Tenant{
		Name: created.Text(s.T, "name"),
		Credentials: auth.Demo{
			ClientID:     created.Text(s.T, "client_id"),
			ClientSecret: created.Text(s.T, "client_secret"),
			APIKey:       created.Text(s.T, "api_key"),
		},
		CompanyPackage:  created.Text(s.T, "company_package_id"),
		LocationPackage: created.Text(s.T, "location_package_id"),
	}
	tenant.Client = s.Login(tenant.Credentials)
	return tenant
}

// Control makes a call of the control API: "POST /tenants", with a JSON body.
func (s *Server) Control(line, body string) Response {
	s.T.Helper()
	return s.ControlWith(s.T, s.ControlClient, line, body, nil)
}

// ControlWith makes a control call with a client and headers of the test's own;
// Host is one of them.
func (s *Server) ControlWith(t testing.TB, client *http.Client, line, body string, header map[string]string) Response {
	t.Helper()
	method, path, _ := strings.Cut(line, " ")
	request, err := http.NewRequest(method, s.ControlURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(body, "{") {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	request.Host = header["Host"]
	response, err := Try(client, request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// Control makes a control call below the tenant's path: "GET /clock".
func (t *Tenant) Control(line, body string) Response {
	t.T.Helper()
	method, path, _ := strings.Cut(line, " ")
	return t.Server.Control(method+" /tenants/"+t.Name+path, body)
}

// ControlPath returns the URL of a path below the tenant's.
func (t *Tenant) ControlPath(path string) string {
	return t.ControlURL + "/tenants/" + t.Name + path
}

// Fault creates a fault and returns its id.
func (t *Tenant) Fault(body string) string {
	t.T.Helper()
	return t.Control("POST /faults", body).Want(t.T, http.StatusCreated).Text(t.T, "id")
}

// Effect is what happened while a clock was advanced.
type Effect struct {
	Kind     string
	At       string
	TxID     string `json:"tx_id"`
	Status   string
	What     string
	ClientID string `json:"client_id"`
}

// Advance advances the tenant's clock and returns what happened.
func (t *Tenant) Advance(by string) []Effect {
	t.T.Helper()
	return t.MoveClock(`{"advance":"` + by + `"}`)
}

// MoveClock changes the tenant's clock as the JSON says, and returns what happened.
func (t *Tenant) MoveClock(change string) []Effect {
	t.T.Helper()
	var body struct{ Effects []Effect }
	moved := t.Control("POST /clock", change).Want(t.T, http.StatusOK)
	if err := json.Unmarshal([]byte(moved.Body), &body); err != nil {
		t.T.Fatal(err)
	}
	return body.Effects
}

// JournalEntry is a call in the journal.
type JournalEntry struct {
	ID, Method, Path, Route string
	Status                  *int
	TxID                    string `json:"tx_id"`
	ClientID                string `json:"client_id"`
	ExpiredToken            bool   `json:"expired_token"`
	Reason                  string
	Faults                  []string
	Request, Response       struct {
		Headers   http.Header
		Body      string
		Size      int64
		Truncated bool
		Parts     []call.Part
		File      *struct {
			Name, SHA256 string
			ContentType  string `json:"content_type"`
		}
	}
}

// Journal returns the tenant's calls that the query selects, newest first.
func (t *Tenant) Journal(query string) []JournalEntry {
	t.T.Helper()
	var page struct{ Requests []JournalEntry }
	list := t.Control("GET /requests?"+query, "").Want(t.T, http.StatusOK)
	if err := json.Unmarshal([]byte(list.Body), &page); err != nil {
		t.T.Fatal(err)
	}
	return page.Requests
}
