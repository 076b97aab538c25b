package journal_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestRefusedCallsAreAttributed checks that the journal has every call that can be
// attributed by its access token, API key, client id or upload URL:
// unknown routes, wrong methods and 401s included. Calls that cannot be
// attributed are in the server's own list.
func TestRefusedCallsAreAttributed(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, journal: every call that can be attributed, refused ones too, with the reason",
		"Chosen, hints: the journal has a reason, which may say more")
	s := servertest.New(t)
	acme, tenant := s.Acme(), s.Tenant("acme")
	_, uploadURL := acme.Announce("a.txt")
	uploadPath := strings.TrimPrefix(uploadURL, s.URL)
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	for _, c := range []struct {
		name   string
		call   servertest.Call
		status int
		reason string // its start
	}{
		{"unknown route, by token", servertest.Call{Line: "GET /nothing", Token: acme.Token}, 403, "the service has no path"},
		{"unknown route, by key", servertest.Call{Line: "GET /nothing", Key: acme.Key}, 403, "the service has no path"},
		{"unknown route of webhooks", servertest.Call{Line: "PUT /hooks", Token: acme.Token}, 404, "this path does not accept"},
		{"trailing slash", servertest.Call{Line: servertest.SubmitCompany + "/", Token: acme.Token, Key: acme.Key}, 403, "the path ends with a slash"},
		{"wrong method of the trigger", servertest.Call{Line: "PUT /universal/v2/universal-submit/file/" + servertest.Absent, Token: acme.Token}, 403, "this path does not accept"},
		{"HEAD", servertest.Call{Line: "HEAD /universal/v2/universal-submit/status/" + servertest.Absent, Token: acme.Token}, 403, "this path does not accept"},
		{"POST to the upload URL", servertest.Call{Line: "POST " + uploadPath}, 403, "POST to the upload URL: use PUT"},
		{"no token, by key", servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Key: acme.Key}, 401, "the Authorization header is missing"},
		{"altered token, by key", servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: "x", Key: acme.Key}, 401, "the token is not an access token"},
		{"wrong secret", servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("acme-client", "x")}}, 401, "the client secret is wrong"},
		{"wrong secret in a form", servertest.Call{Line: servertest.GetToken, Header: form, Body: "client_id=acme-client&client_secret=x"}, 401, "the client secret is wrong"},
		{"GET a token", servertest.Call{Line: "GET /auth/token", Header: map[string]string{"Authorization": servertest.Basic("acme-client", "x")}}, 405, "the method is"},
		{"token request in JSON", servertest.Call{Line: "POST /auth/token", Body: `{"grant_type":"client_credentials","client_id":"acme-client","client_secret":"acme-secret"}`}, 0, ""},
		{"unknown key", servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: acme.Token, Key: "x"}, 403, "the API key is unknown"},
		{"foreign key", servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: acme.Token, Key: s.Globex().Key}, 403, "the API key belongs to tenant globex, the access token to tenant acme"},
	} {
		t.Run(c.name, func(t *testing.T) {
			response := s.Do(c.call)
			if c.status != 0 {
				response.Want(t, c.status)
			}
			recorded := tenant.Journal("limit=1")[0]
			if recorded.ID != response.Header.Get("X-Request-Id") || *recorded.Status != response.Status || !strings.HasPrefix(recorded.Reason, c.reason) {
				t.Errorf("newest call %s %s with status %d and reason %q, want the one with status %d and a reason that starts with %q",
					recorded.Method, recorded.Path, *recorded.Status, recorded.Reason, response.Status, c.reason)
			}
			if found := fmt.Sprint(recorded); strings.Contains(found, "acme-secret") || strings.Contains(found, acme.Key) {
				t.Errorf("the journal shows a secret: %s", found)
			}
		})
	}
}

// TestUnattributedCalls checks the list of the calls that cannot be attributed to a
// tenant.
func TestUnattributedCalls(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, journal: calls that cannot be attributed are the server's own")
	s := servertest.New(t)
	before := len(s.Tenant("acme").Journal(""))
	nobody := []servertest.Call{
		{Line: "GET /nothing"},
		{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: "x", Key: "nobody's"},
		{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("nobody", "x")}},
		{Line: "PUT /file-transfer/upload-file?data=x"},
	}
	var ids []string
	for _, call := range nobody {
		ids = append(ids, s.Do(call).Header.Get("X-Request-Id"))
	}
	listed := s.Control("GET /requests", "").Want(t, http.StatusOK).Get(t, "requests").([]any)
	if len(listed) != len(ids) {
		t.Fatalf("%d calls, want %d", len(listed), len(ids))
	}
	for i, entry := range listed {
		if got, want := entry.(map[string]any)["id"], ids[len(ids)-1-i]; got != want {
			t.Errorf("call %d is %v, want %s", i, got, want)
		}
	}
	one := s.Control("GET /requests/"+ids[0], "").Want(t, http.StatusOK)
	if one.Text(t, "route") != "" || one.Text(t, "path") != "/nothing" {
		t.Errorf("call %s", one.Body)
	}
	s.Tenant("acme").Control("GET /requests/"+ids[0], "").Want(t, http.StatusNotFound)
	if n := len(s.Tenant("acme").Journal("")); n != before {
		t.Errorf("the tenant has %d calls, want %d", n, before)
	}
}

// TestPartsAreRecorded checks that the journal has the names of the parts and files of
// a multipart upload and their content types, but no bytes of the files.
func TestPartsAreRecorded(t *testing.T) {
	s := servertest.New(t)
	acme, tenant := s.Acme(), s.Tenant("acme")
	_, uploadURL := acme.Announce("a.txt")
	contentType, body := servertest.Form(t,
		servertest.Part{Name: "note", Content: []byte("confidential")}, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("confidential")})
	for line, status := range map[string]int{
		"PUT " + uploadURL:                             200,
		"POST " + uploadURL:                            403, // refused before the body is read
		"POST /universal/v3/universal-submit/file/x/y": 403,
	} {
		s.Do(servertest.Call{Line: line, Key: acme.Key, Header: map[string]string{"Content-Type": contentType}, Body: body}).Want(t, status)
		request := tenant.Journal("limit=1")[0].Request
		if len(request.Parts) != 2 || request.Parts[0].Name != "note" || request.Parts[1].Filename != "a.txt" || request.Parts[1].ContentType == "" {
			t.Errorf("%s: parts %+v", line, request.Parts)
		}
		if request.Body != "" {
			t.Errorf("%s: body %q, want none", line, request.Body)
		}
	}
}

// TestMaskedFilenameIsListed checks that an upload is listed whose filename has a character that
// JSON escapes, followed by text that looks like a secret.
func TestMaskedFilenameIsListed(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	_, uploadURL := acme.Announce("a.txt")
	s.Upload(uploadURL, "<Xa0Yb1Zc2Xa3Yb4Zc5Xa6Yb7Zc8Xa9Yb0Zc1Xa2Yb3Zc4", []byte("a")).Want(t, http.StatusOK)
	if parts := s.Tenant("acme").Journal("limit=1")[0].Request.Parts; len(parts) != 1 || parts[0].Filename != "<***" {
		t.Errorf("unexpected parts %+v", parts)
	}
}

// TestFewNamesAreLookedUp checks that a call that names thousands of clients and API keys
// makes only a few queries.
func TestFewNamesAreLookedUp(t *testing.T) {
	var statements servertest.Statements
	s := servertest.New(t, statements.Record(t))
	var query strings.Builder
	header := http.Header{}
	for i := range 300 {
		fmt.Fprintf(&query, "&client_id=c%d", i)
		header.Add("X-Api-Key", fmt.Sprint("k", i))
	}
	statements.Take()
	request := httptest.NewRequest("POST", "/nothing?"+query.String(), nil)
	request.Header = header
	s.Serve(request, "192.0.2.1:1")
	if n := len(statements.Take()); n > 20 {
		t.Errorf("the call made %d statements, want at most 20", n)
	}
}
