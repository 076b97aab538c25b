package journal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestMisplacedSecretsAreMasked sends a chosen client secret and a chosen API key in places
// where no secret belongs, and checks that the journal and the feed do not contain them.
func TestMisplacedSecretsAreMasked(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewNamedTenant("careless", `{}`)
	const secret, key = "chosen/secret+of=us", "chosen-key-of-us"
	tenant.Control("POST /clients", `{"client_id":"careless-too","client_secret":"`+secret+`"}`).Want(t, http.StatusCreated)
	tenant.Control("POST /api-keys", `{"key":"`+key+`"}`).Want(t, http.StatusCreated)
	demo := tenant.Credentials
	demo.ClientID, demo.ClientSecret, demo.APIKey = "careless-too", secret, key
	client := s.Login(demo)
	for _, misplaced := range []string{secret, key} {
		call := func(line, body string, header ...string) {
			c := servertest.Call{Line: line, Token: client.Token, Key: key, Body: body}
			if len(header) > 0 {
				c.Header = map[string]string{header[0]: header[1]}
			}
			s.DoWith(http.DefaultClient, c)
		}
		call("GET /hooks/"+url.PathEscape(misplaced), "")
		call("GET /hooks?note="+url.QueryEscape(misplaced), "")
		call("GET /universal/v2/universal-submit/status/"+url.PathEscape(misplaced), "")
		call("GET /data/v2/"+url.PathEscape(misplaced)+"/x?idType=transaction", "")
		call("GET /nothing/"+url.PathEscape(misplaced), "")
		call(servertest.SubmitCompany, `{"company_name":"`+misplaced+`","address":"the key is `+misplaced+`, keep it"}`)
		call(servertest.GetUploadURL, `{"filename":"`+misplaced+`"}`)
		call("POST /hooks", `{"url":"/?note=`+misplaced+`","name":"`+misplaced+`"}`)
		call("POST /hooks", `not JSON: `+misplaced)
		call("GET /hooks", "", "X-Note", misplaced)
		call("GET /hooks", "", "User-Agent", "client/1.0 "+misplaced)
	}
	if n := len(tenant.Journal("")); n != 23+1 {
		t.Errorf("%d calls are in the journal", n)
	}
	rows := storedWithout(t, s, secret, key, url.QueryEscape(secret), url.PathEscape(secret))
	if !strings.Contains(rows, "the key is ***, keep it") || !strings.Contains(rows, "/hooks?note=***") {
		t.Error("other text is not in the journal")
	}
}

// TestSecretsInEscapedJSONAreMasked sends a chosen client secret in JSON strings as different libraries write them, and
// checks that the journal does not contain it in any of these forms.
func TestSecretsInEscapedJSONAreMasked(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewNamedTenant("escaping", `{}`)
	const secret = "chosen+secret/of=us&them;too"
	tenant.Control("POST /clients", `{"client_id":"escaping-client","client_secret":"`+secret+`"}`).Want(t, http.StatusCreated)
	credentials := tenant.Credentials
	credentials.ClientID, credentials.ClientSecret = "escaping-client", secret
	client := s.Login(credentials)
	var all strings.Builder
	for _, r := range secret {
		fmt.Fprintf(&all, `\u%04x`, r)
	}
	forms := []string{
		strings.ReplaceAll(secret, "/", `\/`),
		strings.NewReplacer("+", `\u002B`, "&", `\u0026`).Replace(secret),
		all.String(),
		strings.ReplaceAll(secret, "/", `\\\/`), // JSON in a JSON string
	}
	for _, form := range forms[:3] {
		client.Do("POST /hooks", `{"url":"/","name":"a \"name\"","note":"`+form+`"}`)
		client.Do("POST /hooks", `{"note":"it is `+form+` \u2026","url":"/"}`)
	}
	client.Do("POST /hooks", `{"note":"{\"key\":\"`+forms[3]+`\"}"}`)
	client.Do("POST /hooks;k="+secret, "")
	client.Do("POST /hooks", `<note key='`+secret+`'/>`)
	if n := len(tenant.Journal("")); n != 9+2 {
		t.Errorf("%d calls are in the journal", n)
	}
	rows := storedWithout(t, s, append(forms, secret)...)
	if !strings.Contains(rows, `name`) {
		t.Error("other text is not in the journal")
	}
}

// TestSecretsInUnexpectedFormsAreMasked sends a chosen client secret after the client id and a
// colon, as the name of a query field, and in token requests that name no client.
func TestSecretsInUnexpectedFormsAreMasked(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewNamedTenant("confused", `{}`)
	const id, secret, hard = "confused-client", "Hunter2-my-own-secret", "chosen/secret:of=us"
	tenant.Control("POST /clients", `{"client_id":"`+id+`","client_secret":"`+secret+`"}`).Want(t, http.StatusCreated)
	tenant.Control("POST /clients", `{"client_id":"hard-client","client_secret":"`+hard+`"}`).Want(t, http.StatusCreated)
	credentials := tenant.Credentials
	credentials.ClientID, credentials.ClientSecret = id, secret
	client := s.Login(credentials)
	const form = "application/x-www-form-urlencoded"
	call := func(line, body, contentType string, header ...string) {
		c := servertest.Call{Line: line, Body: body, Header: map[string]string{}}
		if contentType != "" {
			c.Header["Content-Type"] = contentType
		}
		if len(header) > 0 {
			c.Header[header[0]] = header[1]
		}
		s.DoWith(http.DefaultClient, c)
	}
	for id, secret := range map[string]string{id: secret, "hard-client": hard} {
		basic := servertest.Basic(id, secret)
		for _, misplaced := range []string{secret, id + ":" + secret, id + "/" + secret, secret + "@" + id} {
			escaped := url.QueryEscape(misplaced)
			for _, query := range []string{escaped, escaped + "=", "user=" + escaped, "grant_type=client_credentials&" + escaped} {
				call("POST /auth/token?"+query, "", "", "Authorization", basic)
				call("POST /auth/token", query, form, "Authorization", basic)
			}
			call("POST /auth/token?"+escaped, "", "")
			call("POST /auth/token?client_id="+escaped, "", "", "Authorization", basic)
			call("POST /auth/token", "user="+escaped, form)
			call("POST /auth/token", "grant_type=client_credentials&"+escaped, form)
			call("POST /auth/token", misplaced, "text/plain")
			call("POST /auth/token", misplaced, form)
			call("POST /auth/token", `{"user":"`+misplaced+`"}`, "application/json")
			call("POST /auth/token", misplaced, "text/plain", "Authorization", basic)
			if secret == credentials.ClientSecret {
				s.DoWith(http.DefaultClient, servertest.Call{Line: "GET /hooks", Token: client.Token, Key: client.Key, Header: map[string]string{"X-Debug": misplaced}})
				s.DoWith(http.DefaultClient, servertest.Call{Line: servertest.GetUploadURL, Token: client.Token, Key: client.Key, Body: `{"filename":"` + misplaced + `"}`})
			}
		}
	}
	tenant.Journal("") // writes the calls
	rows := storedWithout(t, s, secret, hard, url.QueryEscape(hard))
	for _, want := range []string{`"/auth/token?***"`, `"/auth/token?user=***"`, `"/auth/token?user=` + id + `%3A***"`, id + ":***"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%s is not in the journal", want)
		}
	}
}

// storedWithout returns the calls and the entries of the feed in the database as lines, and checks that none
// contains one of the texts.
func storedWithout(t *testing.T, s *servertest.Server, texts ...string) (rows string) {
	t.Helper()
	rows = servertest.Value[string](s, `
		select string_agg(text, E'\n')
		from (
			select to_jsonb(c)::text || encode(request_body, 'escape') || encode(response_body, 'escape') as text
			from calls c
			union all
			select to_jsonb(f)::text
			from feed f
		) stored`)
	for line := range strings.Lines(rows) {
		for _, text := range texts {
			if strings.Contains(line, text) {
				t.Errorf("%s is in %s", text, line)
			}
		}
	}
	return rows
}
