package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestTokenRequestInJSONIsRefused checks that the response to a JSON body says that it
// is not a form, and that the call is in the journal of the client that the JSON names.
func TestTokenRequestInJSONIsRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: a body that is no form: 400 invalid_request, which says so")
	s := servertest.New(t)
	basic := servertest.Basic("acme-client", "acme-secret")
	const credentials = `{"grant_type":"client_credentials","client_id":"acme-client","client_secret":"acme-secret"}`
	for name, call := range map[string]servertest.Call{
		"JSON with credentials":        tokenCall("", "", "application/json", credentials),
		"JSON with credentials, +json": tokenCall("", "", "application/vnd.api+json", credentials),
		"JSON and Basic":               tokenCall(grant, basic, "application/json; charset=utf-8", `{"grant_type":"client_credentials"}`),
		"an empty object and Basic":    tokenCall(grant, basic, "application/json", `{}`),
		"plain text":                   tokenCall(grant, basic, "text/plain", grant),
		"no type":                      {Line: servertest.GetToken, Header: map[string]string{"Authorization": basic}, Body: grant},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.DoWith(http.DefaultClient, call).Want(t, http.StatusBadRequest)
			description := got.Text(t, "error_description")
			if got.Text(t, "error") != "invalid_request" || !strings.Contains(description, "form") || !strings.Contains(description, "not JSON") {
				t.Errorf("response %s", got.Body)
			}
			if got.Header.Get("X-Understudy-Hint") == "" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("header %v", got.Header)
			}
		})
	}
	calls := s.Tenant("acme").Journal("status=400")
	if len(calls) != 6 || calls[0].ClientID != "acme-client" {
		t.Errorf("the journal has %v", calls)
	}
	for _, call := range calls {
		if strings.Contains(call.Request.Body, "acme-secret") {
			t.Errorf("the journal shows the secret: %s", call.Request.Body)
		}
	}
}

// TestTokenFormsHaveFewFields checks that a form with very many fields, which would take long to
// parse, is refused.
func TestTokenFormsHaveFewFields(t *testing.T) {
	s := servertest.New(t)
	basic := servertest.Basic("acme-client", "acme-secret")
	for fields, status := range map[int]int{199: http.StatusOK, 200: http.StatusBadRequest} {
		got := s.Do(tokenCall("", basic, urlencoded, grant+strings.Repeat("&a=1", fields))).Want(t, status)
		if status == http.StatusBadRequest && got.Text(t, "error") != "invalid_request" {
			t.Errorf("response %s", got.Body)
		}
	}
}
