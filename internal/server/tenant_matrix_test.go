package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/control"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// credentials are an access token and an API key, with the response to a call that has
// them.
type credentials struct {
	name       string
	token, key string
	refused    string // why: unauthorized, not permitted, forbidden; "" if the call is admitted
	keyMatters bool   // refused only where an API key is required
}

// refusalBodies are the responses to refused credentials, by family and reason.
var refusalBodies = map[route.Family]map[string]string{
	route.Message: {"unauthorized": servertest.Unauthorized, "not permitted": servertest.NotPermitted, "forbidden": servertest.Forbidden},
	route.Hooks:   {"unauthorized": `{"status":401,"error":"Unauthorized"}`, "not permitted": `{"status":403,"error":"Forbidden"}`},
}

// newCredentials returns credentials of all kinds for calls of the tenant globex.
func newCredentials(t *testing.T, s *servertest.Server) []credentials {
	expired := s.NewToken(s.Demo(1)).Text(t, "access_token")
	s.Pass(13 * time.Hour)
	globex, acme := s.Globex(), s.Acme()
	client := func(id, permissions string) string {
		s.Control("POST /tenants/globex/clients", `{"client_id":"`+id+`","client_secret":"s","permissions":`+permissions+`}`).Want(t, http.StatusCreated)
		return s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic(id, "s")}}).Text(t, "access_token")
	}
	revoked := client("revoked", `["::data/v2:get"]`)
	s.Control("DELETE /tenants/globex/clients/revoked", "").Want(t, http.StatusNoContent)
	powerless := client("powerless", `[]`)
	other := s.Environment("other").Globex().Token
	refresh := s.NewToken(s.Demo(1)).Text(t, "refresh_token")
	s.Pass(time.Second) // so that no outdated client is in the cache
	return []credentials{
		{name: "no token", key: globex.Key, refused: "unauthorized"},
		{name: "malformed token", token: "x.y.z", key: globex.Key, refused: "unauthorized"},
		{name: "altered token", token: globex.Token + "x", key: globex.Key, refused: "unauthorized"},
		{name: "expired token", token: expired, key: globex.Key, refused: "unauthorized"},
		{name: "token of a revoked client", token: revoked, key: globex.Key, refused: "unauthorized"},
		{name: "token of another environment", token: other, key: globex.Key, refused: "unauthorized"},
		{name: "refresh token", token: refresh, key: globex.Key, refused: "unauthorized"},
		{name: "token without permissions", token: powerless, key: globex.Key, refused: "not permitted"},
		{name: "another tenant's token", token: acme.Token, key: globex.Key, refused: "forbidden", keyMatters: true},
		{name: "no API key", token: globex.Token, refused: "forbidden", keyMatters: true},
		{name: "unknown API key", token: globex.Token, key: "nobody", refused: "forbidden", keyMatters: true},
		{name: "another tenant's API key", token: globex.Token, key: acme.Key, refused: "forbidden", keyMatters: true},
		{name: "right token and API key", token: globex.Token, key: globex.Key},
	}
}

// TestTenantMatrix calls every route of the API with credentials of each kind, for the
// caller's own objects, another tenant's, unknown ones and malformed ids. Refused calls
// change nothing, and their responses and SQL statements do not depend on the object.
// With the right credentials, TestTenancy checks the responses.
func TestTenantMatrix(t *testing.T) {
	servertest.Slow(t)
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	kinds := newCredentials(t, s)
	foreign, own := createObjects(t, s.Acme(), "acme"), createObjects(t, s.Globex(), "globex")
	for _, rt := range route.API {
		if rt.Permission == "" { // these routes use other credentials
			if rt.Operation != route.CreateToken && rt.Operation != route.UploadFile {
				t.Errorf("%s is in no matrix", rt.Pattern())
			}
			continue
		}
		t.Run(rt.Pattern(), func(t *testing.T) {
			paths := pathsFor(t, rt, own, foreign)
			sample := servertest.Sample(t, rt)
			_, query, _ := strings.Cut(sample.Line, "?")
			call := func(path string, c credentials) (servertest.Response, []string) {
				sample.Line, sample.Token, sample.Key = rt.Method+" "+path+"?"+query, c.token, c.key
				statements.Take()
				response := withoutIdentity(s.Do(sample))
				return response, statements.Take()
			}
			for _, c := range kinds {
				status, body := refusalOf(rt, c)
				if status == 0 {
					continue
				}
				call(paths[0], c) // the client is cached from now on
				s.Unchanged(t, func() {
					want, wantRun := call(paths[0], c)
					want.Want(t, status, body)
					for _, path := range paths[1:] {
						got, run := call(path, c)
						if diff := cmp.Diff(want, got) + cmp.Diff(wantRun, run); diff != "" {
							t.Errorf("%s for %s (- for %s):\n%s", c.name, path, paths[0], diff)
						}
					}
				})
			}
		})
	}
}

// refusalOf returns the response to the credentials; the status 0 if they are admitted.
func refusalOf(rt route.Route, c credentials) (status int, body string) {
	switch {
	case c.refused == "" || c.keyMatters && rt.Family == route.Hooks:
		return 0, ""
	case c.refused == "unauthorized":
		status = http.StatusUnauthorized
	default:
		status = http.StatusForbidden
	}
	return status, refusalBodies[rt.Family][c.refused]
}

// pathsFor returns paths of the route with the own object, another tenant's, an unknown
// one and malformed ids.
func pathsFor(t *testing.T, rt route.Route, own, foreign tenantObjects) []string {
	t.Helper()
	ids := func(o tenantObjects) map[string]string {
		return map[string]string{
			"{dp_id}": o.companyPackage, "{tx_id}": o.submission, "{report_id}": o.companyReport,
			"{hook_id}": o.hook, "{request_id}": o.request, "*": o.companyReport,
		}
	}
	fill := func(value func(parameter string) string) string {
		path := strings.Replace(rt.Path, "*", value("*"), 1)
		return pathParameter.ReplaceAllStringFunc(path, value)
	}
	choose := func(values map[string]string) string {
		return fill(func(parameter string) string {
			if values[parameter] == "" {
				t.Fatalf("this test has no ids for %s", parameter)
			}
			return values[parameter]
		})
	}
	paths := []string{choose(ids(own)), choose(ids(foreign)), fill(func(string) string { return servertest.Absent })}
	for _, malformed := range malformedIDs {
		paths = append(paths, fill(func(string) string { return malformed }))
	}
	if paths[0] == paths[1] {
		return paths[:1] // the route names no object
	}
	return paths
}

// TestUploadURLMatrix sends uploads to upload URLs of each kind, with credentials of each
// kind, which do not matter: the URL is the credential.
func TestUploadURLMatrix(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	other := s.Environment("other").Globex()
	kinds := newCredentials(t, s)
	globex := s.Globex()
	_, expired := globex.Announce("a.txt")
	s.Pass(5*time.Minute + time.Second)
	_, own := globex.Announce("a.txt")
	_, elsewhere := other.Announce("a.txt")
	_, data, _ := strings.Cut(elsewhere, "?")
	base, _, _ := strings.Cut(own, "?")
	contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
	upload := func(url string, c credentials) (servertest.Response, []string) {
		statements.Take()
		response := withoutIdentity(s.Do(servertest.Call{
			Line: "PUT " + url, Token: c.token, Key: c.key, Body: body, Header: map[string]string{"Content-Type": contentType},
		}))
		return response, statements.Take()
	}
	for name, test := range map[string]struct {
		url    string
		status int
		body   string
	}{
		"no data":             {base, 403, servertest.Forbidden},
		"empty data":          {base + "?data=", 403, servertest.Forbidden},
		"malformed data":      {base + "?data=%ff%00", 403, servertest.Forbidden},
		"altered data":        {own[:len(own)-2] + "AA", 403, servertest.Forbidden},
		"another environment": {base + "?" + data, 403, servertest.Forbidden},
		"expired":             {expired, 403, `{"message":"Request has expired"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s.Unchanged(t, func() {
				for _, c := range kinds {
					got, run := upload(test.url, c)
					got.Want(t, test.status, test.body)
					if found := statementsOnSubmissions(run); name != "expired" && found > 0 {
						t.Errorf("%s: %d statements about submissions, want none before the URL is verified", c.name, found)
					}
				}
			})
		})
	}
	for _, c := range kinds {
		got, _ := upload(own, c)
		got.Want(t, http.StatusOK)
	}
}

// statementsOnSubmissions returns how many of the statements are about submissions.
func statementsOnSubmissions(statements []string) (n int) {
	for _, sql := range statements {
		if strings.Contains(sql, "submissions") {
			n++
		}
	}
	return n
}

// TestControlMatrix calls every route of the control API without its token, with wrong
// ones, for another host and from another site's page: each call is refused and changes
// nothing. With the token, another tenant's object gets the response and runs the
// statements of an unknown one.
func TestControlMatrix(t *testing.T) {
	const token = "a-control-token-of-more-than-32-characters"
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t), func(o *servertest.Options) { o.Access.Tokens = []control.Token{{Name: "default", Value: token}} })
	foreign := createObjects(t, s.Acme(), "acme")
	call := func(t *testing.T, line, body string, header map[string]string) (servertest.Response, []string) {
		t.Helper()
		all := map[string]string{"Authorization": "Bearer " + token}
		if body != "" {
			all["Content-Type"] = "application/json"
		}
		maps.Copy(all, header)
		statements.Take()
		response := withoutIdentity(s.ControlWith(t, s.ControlClient, line, body, all))
		return response, statements.Take()
	}
	create := func(path, body, key string) string {
		created, _ := call(t, "POST /tenants/acme/"+path, body, nil)
		return fmt.Sprint(created.Want(t, http.StatusCreated).Get(t, key))
	}
	requests, _ := call(t, "GET /tenants/acme/requests?limit=1", "", nil)
	foreignIDs := map[string]string{ // by what follows the tenant in the path
		"clients": "acme-client", "transactions": foreign.submission, "deliveries": foreign.request,
		"hooks":    foreign.hook,
		"api-keys": create("api-keys", `{}`, "id"),
		"packages": create("packages", `{"id":"acme-us-c0042"}`, "id"),
		"faults":   create("faults", `{"route":"GET /hooks"}`, "id"),
		"requests": requests.Get(t, "requests").([]any)[0].(map[string]any)["id"].(string),
	}
	for _, rt := range route.Control {
		t.Run(rt.Pattern(), func(t *testing.T) {
			kind := strings.Split(rt.Path+"///", "/")[3]
			path := strings.TrimSuffix(strings.Replace(rt.Path, "{t}", "globex", 1), "/")
			named := pathParameter.MatchString(path) && strings.Contains(rt.Path, "{t}")
			if named && foreignIDs[kind] == "" {
				t.Fatalf("this test has no id for %s", rt.Path)
			}
			body := ""
			if rt.Method == http.MethodPatch || rt.Method == http.MethodPut {
				body = `{}`
			}
			line := rt.Method + " " + pathParameter.ReplaceAllString(path, servertest.Absent)
			s.Unchanged(t, func() {
				for name, test := range map[string]struct {
					header map[string]string
					status int
				}{
					"no token":       {map[string]string{"Authorization": ""}, 401},
					"wrong token":    {map[string]string{"Authorization": "Bearer " + token[1:]}, 401},
					"another scheme": {map[string]string{"Authorization": "Basic " + token}, 401},
					"access token":   {map[string]string{"Authorization": "Bearer " + s.Acme().Token}, 401},
					"another host":   {map[string]string{"Host": "attacker.example"}, 403},
					"another site":   {map[string]string{"Origin": "http://attacker.example"}, 403},
				} {
					got, run := call(t, line, body, test.header)
					if got.Status != test.status || len(run) > 0 {
						t.Errorf("%s: response %d %s after %d statements, want %d after none", name, got.Status, got.Body, len(run), test.status)
					}
				}
				if !named {
					return
				}
				query := ""
				if rt.Operation == route.ReadInquiry {
					query = "?version=2&package=globex-us-c0001"
				}
				want, wantRun := call(t, line+query, body, nil)
				got, run := call(t, rt.Method+" "+pathParameter.ReplaceAllString(path, foreignIDs[kind])+query, body, nil)
				want.Want(t, http.StatusNotFound)
				if diff := cmp.Diff(want, got) + cmp.Diff(wantRun, run); diff != "" {
					t.Errorf("another tenant's object (- an unknown one):\n%s", diff)
				}
			})
		})
	}
}
