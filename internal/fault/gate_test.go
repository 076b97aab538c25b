package fault_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestFaultsActAfterTheGate checks that a call which the gate refuses uses up no
// fault, and that a fault acts before the body is read and before the object is
// looked up.
func TestFaultsActAfterTheGate(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	mistakes := s.GateMistakes()
	tenant.Fault(`{"route":"*","status":418}`)
	for _, rt := range servertest.Gated(route.Message) {
		for _, mistake := range mistakes {
			if mistake.Name == "permission" && slices.Contains(seed.Demos()[2].Permissions, rt.Permission) {
				continue // the client of that mistake has the permission
			}
			refused := servertest.Sample(t, rt)
			refused.Token, refused.Key = acme.Token, acme.Key
			mistake.Make(&refused)
			if got := s.Do(refused); got.Status == http.StatusTeapot || got.Header.Get("X-Fault") != "" {
				t.Errorf("%s, %s: a fault acted: %d", rt.Pattern(), mistake.Name, got.Status)
			}
		}
	}
	for _, rt := range servertest.Gated(route.Hooks) {
		refused := servertest.Sample(t, rt)
		s.Do(refused).Want(t, http.StatusUnauthorized)
	}
	if got := counts(t, tenant); got != "0 0" {
		t.Errorf("refused calls: counts %s, want 0 0", got)
	}

	for _, line := range []string{
		servertest.GetUploadURL, servertest.SubmitCompany, "POST /universal/v3/universal-submit/file", // no body
		unknownStatus, "GET /data/v2/none/none?idType=none", // no such object
		"POST /hooks", "DELETE /hooks/none",
	} {
		acme.DoUnchecked(line, "").Want(t, http.StatusTeapot)
	}
	if got := counts(t, tenant); got != "7 7" {
		t.Errorf("admitted calls: counts %s, want 7 7", got)
	}
}

// TestRateLimitComesBeforeFaults checks that a call beyond the rate limit uses up
// no fault.
func TestRateLimitComesBeforeFaults(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	s.Settings("acme", `{"rate_limit":1}`)
	tenant.Fault(`{"route":"*","status":418}`)
	acme.DoUnchecked(unknownStatus, "").Want(t, http.StatusTeapot)
	acme.Do(unknownStatus, "").Want(t, http.StatusTooManyRequests)
	if got := counts(t, tenant); got != "1 1" {
		t.Errorf("counts %s, want 1 1", got)
	}
}

// TestFaultsOfTokenRequests checks that faults act on the token endpoint, once
// the client is authenticated and before its grant is read.
func TestFaultsOfTokenRequests(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	login := func(secret, query string) servertest.Response {
		return s.DoWith(http.DefaultClient, servertest.Call{
			Line:   "POST /auth/token" + query,
			Header: map[string]string{"Authorization": servertest.Basic("acme-client", secret)},
		})
	}
	const grant = "?grant_type=client_credentials"
	tenant.Fault(`{"route":"POST /auth/token","status":503,"times":1}`)
	login("wrong", grant).Want(t, http.StatusUnauthorized)
	login("acme-secret", grant).Want(t, http.StatusServiceUnavailable, `{"error":"temporarily_unavailable","error_description":"Service Unavailable"}`)
	login("acme-secret", grant).Want(t, http.StatusOK)
	if got := counts(t, tenant); got != "2 1" {
		t.Errorf("counts %s, want 2 1", got)
	}
	tenant.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
	tenant.Fault(`{"route":"*"}`)
	login("wrong", grant).Want(t, http.StatusUnauthorized)
	login("acme-secret", "?grant_type=password").Want(t, http.StatusInternalServerError)
	if got := counts(t, tenant); got != "1 1" {
		t.Errorf("counts %s, want 1 1", got)
	}
}

// TestFaultsOfUploads checks that faults act on an upload, once its URL is
// checked and before its body is read.
func TestFaultsOfUploads(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	_, uploadURL := acme.Announce("a.txt")
	contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("text")})
	put := func(url, body string) servertest.Response {
		return s.DoWith(http.DefaultClient, servertest.Call{Line: "PUT " + url, Header: map[string]string{"Content-Type": contentType}, Body: body})
	}
	tenant.Fault(`{"route":"PUT /file-transfer/upload-file","status":500,"times":2}`)
	put(uploadURL+"x", body).Want(t, http.StatusForbidden)
	put(uploadURL, "no form").Want(t, http.StatusInternalServerError)
	put(uploadURL, body).Want(t, http.StatusInternalServerError)
	if got := counts(t, tenant); got != "2 2" {
		t.Errorf("counts %s, want 2 2", got)
	}
	put(uploadURL, body).Want(t, http.StatusOK)
	s.Pass(5*time.Minute + time.Second)
	put(uploadURL, body).Want(t, http.StatusForbidden, `{"message":"Request has expired"}`)
	if got := counts(t, tenant); got != "3 2" {
		t.Errorf("counts %s, want 3 2", got)
	}
}
