package server_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

func TestBearerTokenIsRequired(t *testing.T) {
	servertest.Proves(t, "Endpoints, all: the bearer token")
	s := servertest.New(t)
	checked := 0
	for _, rt := range route.API {
		if rt.Permission == "" {
			continue
		}
		call := servertest.Sample(t, rt)
		call.Key = "acme-api-key"
		s.Do(call).Want(t, http.StatusUnauthorized)
		checked++
	}
	if checked < 9 {
		t.Errorf("%d routes ask for a token", checked)
	}
}

func TestAPIKeyIsRequired(t *testing.T) {
	servertest.Proves(t, "Endpoints, all: x-api-key", "Authentication: 5 x-api-key")
	s := servertest.New(t)
	for _, rt := range servertest.Gated(route.Message) {
		call := servertest.Sample(t, rt)
		call.Token = s.Acme().Token
		s.Do(call).Want(t, http.StatusForbidden, servertest.Forbidden)
	}
}

func TestTokenWithBasicCredentials(t *testing.T) {
	servertest.Proves(t, "Endpoint 1, token: Basic credentials, no body", "Authentication: 2 Basic authentication for tokens")
	s := servertest.New(t)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("acme-client:acme-secret"))
	s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": basic}}).Want(t, http.StatusOK)
}

func TestUploadToTheExactURL(t *testing.T) {
	servertest.Proves(t, "Endpoint 3, upload: PUT to the exact URL, without credentials")
	s := servertest.New(t)
	_, url := s.Acme().Announce("a.txt")
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	s.Upload(url+"x", "a.txt", servertest.Letter).Want(t, http.StatusForbidden)
}

func TestUploadURLLastsFiveMinutes(t *testing.T) {
	servertest.Proves(t, "Endpoint 3, upload: valid 5 minutes", "Limits: upload URL, 5 minutes")
	s := servertest.New(t)
	_, url := s.Acme().Announce("a.txt")
	s.Pass(5 * time.Minute)
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	s.Pass(time.Second)
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusForbidden)
}

func TestTokenLifetimeAndRenewal(t *testing.T) {
	servertest.Proves(t, "Authentication: 3 bearer, 12 hours, then refresh or a new token", "Limits: access token, 12 hours")
	s := servertest.New(t)
	old := s.NewToken(seed.Demos()[0])
	s.Pass(12*time.Hour - time.Second)
	checkToken(t, s, old, http.StatusNotFound)
	s.Pass(2 * time.Second)
	checkToken(t, s, old, http.StatusUnauthorized)
	checkToken(t, s, s.Refresh(seed.Demos()[0], old.Text(t, "refresh_token")), http.StatusNotFound)
	checkToken(t, s, s.NewToken(seed.Demos()[0]), http.StatusNotFound)
}

// checkToken uses the access token to read the status of a submission that does
// not exist: 404 shows that the token was accepted.
func checkToken(t *testing.T, s *servertest.Server, token servertest.Response, status int) {
	t.Helper()
	client := servertest.Client{Server: s, Token: token.Text(t, "access_token"), Key: "acme-api-key"}
	client.Status(servertest.Absent).Want(t, status)
}

func TestTokenIsValidInItsEnvironment(t *testing.T) {
	servertest.Proves(t, "What the service does: 7 a token of another environment is rejected", "Authentication: 4 the same environment",
		"Chosen, process: the environment is bound into tokens")
	s := servertest.New(t)
	uat := s.Environment("uat")
	tokens := map[*servertest.Server]servertest.Response{s: s.NewToken(seed.Demos()[0]), uat: uat.NewToken(uat.Demo(0))}
	for at := range tokens {
		for from, token := range tokens {
			want := http.StatusUnauthorized
			if at == from {
				want = http.StatusNotFound
			}
			client := servertest.Client{Server: at, Token: token.Text(t, "access_token"), Key: at.Demo(0).APIKey}
			client.Status(servertest.Absent).Want(t, want)
		}
	}
}

func TestCredentialsOfAnEnvironment(t *testing.T) {
	servertest.Proves(t, "What the service does: 7 credentials and hosts of each environment", "Authentication: 1 what a customer receives", "Versioning: 3 environments")
	s := servertest.New(t)
	production := s.Environment("production")
	if s.NewToken(seed.Demos()[0]).Text(t, "uid") == production.NewToken(production.Demo(0)).Text(t, "uid") || s.URL == production.URL {
		t.Error("two environments share a client or a host")
	}
	for from, to := range map[*servertest.Server]*servertest.Server{s: production, production: s} {
		basic := servertest.Basic(from.Demo(0).ClientID, from.Demo(0).ClientSecret)
		to.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": basic}}).Want(t, http.StatusUnauthorized)
		client := to.Acme()
		client.Key = from.Demo(0).APIKey
		client.Status(servertest.Absent).Want(t, http.StatusForbidden, servertest.Forbidden)
	}

	// Both clients of a customer use the same API key.
	submitted := s.Acme().Do(servertest.SubmitCompany, `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`)
	for _, demo := range []auth.Demo{seed.Demos()[0], seed.Demos()[2]} {
		client := servertest.Client{Server: s, Token: s.NewToken(demo).Text(t, "access_token"), Key: "acme-api-key"}
		client.Do("GET /data/v1/acme-us-c0001/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	}

	// A tenant of one environment is unknown in another.
	tenant := s.NewTenant("{}")
	call := servertest.Call{Line: servertest.GetToken, Header: map[string]string{
		"Authorization": servertest.Basic(tenant.Credentials.ClientID, tenant.Credentials.ClientSecret),
	}}
	s.Do(call).Want(t, http.StatusOK)
	production.Do(call).Want(t, http.StatusUnauthorized)
}

func TestLargeFiles(t *testing.T) {
	servertest.Slow(t)
	servertest.Proves(t, "Limits: large files")
	s := servertest.New(t, func(o *servertest.Options) { o.MaxUpload = 100 << 20 })
	acme := s.Acme()
	for _, size := range []int{10_000_000, 10 << 20} {
		content := slices.Concat(servertest.Letter, make([]byte, size-len(servertest.Letter)))
		txID := acme.SubmitFile("a.txt", content)
		if got := servertest.Value[int](s, "select size from submissions where tx_id = $1", txID); got != size {
			t.Errorf("%d bytes", got)
		}
	}
}

func TestVersionIsInThePath(t *testing.T) {
	servertest.Proves(t, "Versioning: 1 a path segment, none for webhooks")
	s := servertest.New(t)
	acme := s.Acme()
	for _, path := range []string{
		"/universal/universal-submit/status/" + servertest.Absent, "/data/acme-us-c0001/" + servertest.Absent,
		"/data/v0/acme-us-c0001/" + servertest.Absent, "/v1/hooks",
	} {
		acme.Do("GET "+path, "").Want(t, http.StatusForbidden, servertest.UnknownRoute)
	}
	acme.Do("GET /hooks", "").Want(t, http.StatusOK)
}
