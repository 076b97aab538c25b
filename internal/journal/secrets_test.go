package journal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestSecretsAreMasked checks that no secret which was sent or returned is in the
// rows of the journal and the feed.
func TestSecretsAreMasked(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, journal: secrets and header values of subscriptions are masked")
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	first := s.NewToken(seed.Demos()[0])
	refreshed := s.Do(servertest.Call{
		Line:   "POST /auth/token",
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		Body: url.Values{
			"grant_type": {"refresh_token"}, "client_id": {"acme-client"}, "client_secret": {"acme-secret"},
			"refresh_token": {first.Text(t, "refresh_token")},
		}.Encode(),
	}).Want(t, http.StatusOK)
	contentType, body := multipartFields(map[string]string{"grant_type": "client_credentials", "client_id": "acme-client", "client_secret": "acme-secret"})
	multipart := s.Do(servertest.Call{Line: "POST /auth/token", Header: map[string]string{"Content-Type": contentType}, Body: body}).Want(t, http.StatusOK)
	s.DoWith(http.DefaultClient, servertest.Call{
		Line:   "POST /auth/token?grant_type=refresh_token&refresh_token=" + refreshed.Text(t, "refresh_token"),
		Header: map[string]string{"Authorization": servertest.Basic("acme-client", "acme-secret")},
	}).Want(t, http.StatusOK)
	s.Do(servertest.Call{ // a wrong secret may be the right one of another service
		Line:   servertest.GetToken,
		Header: map[string]string{"Authorization": servertest.Basic("acme-client", "another-secret"), "Cookie": "session=cookie-secret"},
	}).Want(t, http.StatusUnauthorized)
	acme := s.Acme()
	_, uploadURL := acme.Announce("a.txt")
	s.Upload(uploadURL, "a.txt", []byte("uploaded-content")).Want(t, http.StatusOK)
	acme.DoUnchecked(servertest.SubmitCompany, `{"company_name":"x","client_secret":"acme-secret","secret":["acme-secret"]`)
	acme.DoUnchecked(servertest.SubmitCompany, `{"company_name":"x, "client_secret":"acme-secret"}`)

	acme.Do("POST /hooks", `{"url":"http://127.0.0.1:1/","header":"X-Mine: header-value","secret":"signing-key"}`).Want(t, http.StatusCreated)

	if n := len(tenant.Journal("")); n != 11 {
		t.Fatalf("%d calls, want 11", n)
	}
	text := servertest.Value[string](s, `
		select string_agg(text, E'\n')
		from (
			select to_jsonb(calls)::text as text from calls
			union all
			select to_jsonb(feed)::text from feed
			union all
			select encode(request_body, 'escape') || encode(response_body, 'escape') from calls
		) stored`)
	_, uploadData, _ := strings.Cut(uploadURL, "data=")
	for name, secret := range map[string]string{
		"client secret": "acme-secret", "wrong client secret": "another-secret", "cookie": "cookie-secret", "API key": acme.Key,
		"data of the upload URL": uploadData, "uploaded content": "uploaded-content",
		"header of a subscription": "header-value", "secret of a subscription": "signing-key",
		"Basic credentials": strings.TrimPrefix(servertest.Basic("acme-client", "acme-secret"), "Basic "),
		"access token":      acme.Token, "refresh token": refreshed.Text(t, "refresh_token"),
		"first access token": first.Text(t, "access_token"), "first refresh token": first.Text(t, "refresh_token"),
		"access token of a multipart request": multipart.Text(t, "access_token"),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("the %s is in the journal", name)
		}
	}
	for _, unmasked := range []string{"grant_type=refresh_token", "client_credentials", "Bearer ***", "X-Mine: ***", "expires_in", "raw_info"} {
		if !strings.Contains(text, unmasked) {
			t.Errorf("%q is not in the journal", unmasked)
		}
	}
}

// multipartFields returns a multipart body of plain fields.
func multipartFields(fields map[string]string) (contentType, body string) {
	var parts strings.Builder
	for name, value := range fields {
		fmt.Fprintf(&parts, "--limit\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, value)
	}
	return "multipart/form-data; boundary=limit", parts.String() + "--limit--\r\n"
}
