package control_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// TestTenant creates a tenant, uses it, resets it and deletes it.
func TestTenant(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, tenants: a new tenant has credentials and packages, and shows its secrets once",
		"Chosen, control API, tenants: permissions and settings of a new tenant",
		"Chosen, control API, tenants: tenants are listed, read and deleted",
		"Chosen, control API, tenants: a reset keeps the credentials and drops all else",
		"Chosen, control API, settings: status_vocabulary")
	s := servertest.New(t, servertest.Background)
	created := s.Control("POST /tenants", `{"name":"harbour","permissions":["::company/v1/company_submit:post"]}`).Want(t, http.StatusCreated)
	servertest.CheckKeys(t, created.Get(t), "name:s tenant_uuid:s client_id:s client_secret:s api_key:s company_package_id:s location_package_id:s user_id:s")
	if created.Text(t, "company_package_id") != "harbour-us-c0001" || created.Text(t, "location_package_id") != "harbour-us-l0001" {
		t.Errorf("tenant %s", created.Body)
	}
	shown := s.Control("GET /tenants/harbour", "").Want(t, http.StatusOK)
	for _, secret := range []string{created.Text(t, "client_secret"), created.Text(t, "api_key")} {
		if strings.Contains(shown.Body, secret) {
			t.Errorf("a secret is shown in %s", shown.Body)
		}
	}
	limited := s.Login(auth.Demo{ClientID: created.Text(t, "client_id"), ClientSecret: created.Text(t, "client_secret"), APIKey: created.Text(t, "api_key")})
	limited.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"a.txt"}`).Want(t, http.StatusForbidden)
	limited.Do("POST /company/v1/company_submit", `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street"}`).Want(t, http.StatusOK)

	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"},"status_vocabulary":"polling"}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"*"},"facts":{"company_name":"Foxglove Bakery LLC"}}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("letter.txt", []byte("one"))
	if got := tenant.AwaitEnd(txID).Text(t, "status"); got != "Succeeded" {
		t.Errorf("status %s", got)
	}
	tenant.Advance("1h")
	counts := tenant.Control("GET ", "").Want(t, http.StatusOK)
	if counts.Get(t, "counts", "transactions") != 1.0 || counts.Get(t, "counts", "reports") != 1.0 || counts.Get(t, "counts", "outcomes") != 1.0 {
		t.Errorf("counts %s", counts.Body)
	}
	s.Refresh(tenant.Credentials, s.NewToken(tenant.Credentials).Text(t, "refresh_token")).Want(t, http.StatusOK)

	// A reset keeps the credentials and the tokens, and nothing else.
	if len(s.StoredFiles()) == 0 {
		t.Error("no file stored")
	}
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	reset := tenant.Control("GET ", "").Want(t, http.StatusOK)
	if reset.Get(t, "counts", "transactions") != 0.0 || reset.Get(t, "counts", "reports") != 0.0 || reset.Get(t, "counts", "outcomes") != 0.0 ||
		reset.Text(t, "clock", "offset") != "0s" || reset.Text(t, "settings", "pacing", "mode") != "timed" {
		t.Errorf("after the reset %s", reset.Body)
	}
	tenant.Status(txID).Want(t, http.StatusNotFound)
	if files := s.StoredFiles(); len(files) != 0 {
		t.Errorf("%d files left", len(files))
	}
	tenant.SubmitFile("letter.txt", []byte("two"))

	// The token of a deleted tenant is invalid, even for another one of its name.
	tenant.Control("DELETE ", "").Want(t, http.StatusNoContent)
	tenant.Control("GET ", "").Want(t, http.StatusNotFound)
	s.Control("POST /tenants", `{"name":"`+tenant.Name+`"}`).Want(t, http.StatusCreated)
	tenant.Status(txID).Want(t, http.StatusUnauthorized)
	if files := s.StoredFiles(); len(files) != 0 {
		t.Errorf("%d files left", len(files))
	}

	// The demo tenants can be controlled like others.
	list := s.Control("GET /tenants", "").Want(t, http.StatusOK)
	if !strings.Contains(list.Body, `"acme"`) || !strings.Contains(list.Body, `"acme-company-client"`) {
		t.Errorf("tenants %s", list.Body)
	}
	s.Control("POST /tenants/acme/clock", `{"advance":"1m"}`).Want(t, http.StatusOK)
	s.Control("DELETE /tenants/globex", "").Want(t, http.StatusNoContent)
}
