package openapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/conform"
	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
	"understudy.example/internal/openapi"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// TestExamplesAreRecorded checks that the examples of the document are the server's
// responses to a conformance run and to the calls that such a run cannot make. With
// -update it records them anew.
func TestExamplesAreRecorded(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	s.Tenant("acme").Control("PATCH /settings", `{"pacing":{"mode":"polls","per_state":1}}`).Want(t, http.StatusOK)
	recorder := &recorder{next: apitest.New(t, openapi.Document).Transport(t, http.DefaultTransport), recorded: examples{}}
	client := &http.Client{Transport: recorder}
	if _, err := conform.Run(t.Context(), conform.Target{
		BaseURL: s.URL, AuthURL: s.URL, HooksURL: s.URL, ClientID: "acme-client", ClientSecret: "acme-secret", APIKey: "acme-api-key",
		CompanyPackage: "acme-us-c0001", LocationPackage: "acme-us-l0001", LimitedClientID: "acme-company-client", LimitedClientSecret: "acme-company-secret",
	}, conform.Options{CompletionTimeout: time.Minute, PollInterval: 5 * time.Millisecond, Progress: t.Output(), Client: client}); err != nil {
		t.Fatal(err)
	}
	redeliver(t, s, client)
	faultyURL := callFaultyServer(t, client)

	text, err := json.MarshalIndent(recorder.recorded, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{s.URL, faultyURL} {
		text = bytes.ReplaceAll(text, []byte(url), []byte("http://127.0.0.1:8080"))
	}
	text = append(text, '\n')
	want := openapi.Examples
	if *servertest.Update {
		if err := os.WriteFile("examples.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
		want = text
	}
	if diff := cmp.Diff(withoutVarying(want), withoutVarying(text)); diff != "" {
		t.Errorf("examples.json is out of date, -update rewrites it (- file, + recorded):\n%s", diff)
	}
}

// examples are operation → status code → name → body, as openapi.Examples.
type examples map[string]map[string]map[string]json.RawMessage

var varying = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[CL][A-Z]{2}1[0-9A-F]{16}|eyJ[\w.-]+|\bdata=[\w.~%-]+|127\.0\.0\.1:\d+|"refresh_token": "[^"]+"|t-[0-9a-z]+|"response_duration_ms": [\d.]+|"since": "[^"]+"`)

// withoutVarying returns the examples without what differs from run to run.
func withoutVarying(text []byte) string { return varying.ReplaceAllString(string(text), "…") }

// recorder is a transport that records the first response of each kind.
type recorder struct {
	next     http.RoundTripper
	mu       sync.Mutex
	recorded examples
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.record(request, response.StatusCode, body)
	return response, err
}

// record records a response that the document has, unless it is not JSON.
func (r *recorder) record(request *http.Request, status int, body []byte) {
	method, path := request.Method, request.URL.Path
	if status == http.StatusMethodNotAllowed {
		method = http.MethodPost // the document has this response there
	}
	rt, found := route.Find(slices.Concat(route.API, route.Own), method, path)
	_, documented := fidelity.Find(method, path, status)
	var value any
	if !found || !documented || json.Unmarshal(body, &value) != nil {
		return
	}
	name, operation, code := exampleName(rt, status, value), rt.Documented(), strconv.Itoa(status)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recorded[operation] == nil {
		r.recorded[operation] = map[string]map[string]json.RawMessage{}
	}
	if r.recorded[operation][code] == nil {
		r.recorded[operation][code] = map[string]json.RawMessage{}
	}
	earlier, exists := r.recorded[operation][code][name]
	if !exists || string(earlier) == "[]" { // an empty list is a poor example
		r.recorded[operation][code][name] = body
	}
}

// exampleName returns a name that tells the kinds of response apart.
func exampleName(rt route.Route, status int, value any) string {
	object, _ := value.(map[string]any)
	switch {
	case status == http.StatusUnprocessableEntity:
		return strings.Join(slices.Sorted(maps.Keys(object)), " and ")
	case status == http.StatusOK && (rt.Operation == route.ReadData || rt.Operation == route.ReadReport):
		id, _ := object["data_package_id"].(string)
		for _, content := range field.Contents {
			if content.Name != "" && strings.HasSuffix(id, "-"+content.Suffix) {
				return content.Name
			}
		}
		if _, several := object["data"].([]any); several && object["seed_input"] == nil {
			return "locations"
		}
		return "company"
	}
	for _, key := range []string{"message", "error", "status"} {
		if text, ok := object[key].(string); ok {
			return text
		}
	}
	return "response"
}

// redeliver makes the calls that list the requests of a subscription and repeat
// one.
func redeliver(t *testing.T, s *servertest.Server, client *http.Client) {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	acme, tenant := s.Acme(), s.Tenant("acme")
	hook := acme.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["quote_request"]}`).Want(t, http.StatusCreated)
	tenant.Control("POST /events", `{"event":"quote_request:created","data":{}}`).Want(t, http.StatusOK)
	tenant.Control("GET /await?event=delivery&within=20s", "").Want(t, http.StatusOK)
	requests := "/hooks/" + hook.Text(t, "id") + "/requests"
	do := func(line string) servertest.Response {
		return s.DoWith(client, servertest.Call{Line: line, Token: acme.Token})
	}
	sent, _ := do("GET "+requests).Want(t, http.StatusOK).Get(t).([]any)
	do("POST "+requests+"/"+sent[0].(map[string]any)["id"].(string)+"/redeliver").Want(t, http.StatusCreated)
}

// stall makes the call with a body that never ends.
func stall(s *servertest.Server, client *http.Client, call servertest.Call) servertest.Response {
	s.T.Helper()
	body, more := io.Pipe()
	defer more.Close()
	request := s.Request(call)
	request.Body, request.ContentLength = body, -1
	response, err := servertest.Try(client, request)
	if err != nil {
		s.T.Fatal(err)
	}
	return response
}

// callFaultyServer makes calls that a server refuses because of their size, a stalled
// body, its rate limits and quotas, an unreachable database and a broken database. It returns the
// server's URL.
func callFaultyServer(t *testing.T, client *http.Client) string {
	t.Helper()
	var outage servertest.Outage
	s := servertest.Open(t, outage.Option(t), func(o *servertest.Options) {
		o.Shared, o.Transfers.Stall = true, 2*time.Second
	})
	acme := s.Acme()
	do := func(line, body string, status int) {
		t.Helper()
		s.DoWith(client, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Body: body}).Want(t, status)
	}
	getToken := func(body string, status int) {
		t.Helper()
		s.DoWith(client, servertest.Call{Line: servertest.GetToken, Body: body, Header: map[string]string{
			"Authorization": servertest.Basic("acme-client", "acme-secret"), "Content-Type": "application/x-www-form-urlencoded",
		}}).Want(t, status)
	}
	const readStatus, listHooks = "GET /universal/v2/universal-submit/status/" + servertest.Absent, "GET /hooks"
	large := `{"filename":"` + strings.Repeat("a", 2<<20) + `"}`
	do("GET /livez", "", http.StatusOK)
	do("GET /docs/none", "", http.StatusForbidden)
	do("GET /auth/token", "", http.StatusMethodNotAllowed)
	do(servertest.GetUploadURL, large, http.StatusRequestEntityTooLarge)
	do("POST /hooks", large, http.StatusRequestEntityTooLarge)
	getToken(large, http.StatusRequestEntityTooLarge)
	for _, line := range []string{servertest.GetUploadURL, "POST /hooks", servertest.GetToken} {
		stall(s, client, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}).Want(t, http.StatusRequestTimeout)
	}
	s.DoWith(client, servertest.Call{
		Line: "POST /hooks", Token: acme.Token, Header: map[string]string{"Content-Encoding": "gzip"}, Body: `{}`,
	}).Want(t, http.StatusUnsupportedMediaType)

	for range 10 {
		s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("nobody", "wrong")}})
	}
	s.DoWith(client, servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("nobody", "wrong")}}).
		Want(t, http.StatusTooManyRequests)

	s.Settings("acme", `{"rate_limit":1}`)
	for _, line := range []string{readStatus, listHooks} {
		s.Do(servertest.Call{Line: line, Token: acme.Token, Key: acme.Key})
		do(line, "", http.StatusTooManyRequests)
	}
	s.Settings("acme", `{"max_submissions":1}`)
	acme.Announce("letter.txt")
	do(servertest.GetUploadURL, `{"filename":"letter.txt"}`, http.StatusTooManyRequests)
	s.Settings("acme", `{}`)

	outage.Active.Store(true)
	do(readStatus, "", http.StatusServiceUnavailable)
	do(listHooks, "", http.StatusServiceUnavailable)
	do("GET /readyz", "", http.StatusServiceUnavailable)
	s.Pass(time.Minute) // the client has to be read again
	getToken("", http.StatusServiceUnavailable)
	outage.Active.Store(false)
	do("GET /readyz", "", http.StatusOK)

	hide := func(table string) { s.Exec("alter table " + table + " rename to hidden_" + table) }
	hide("submissions")
	do(readStatus, "", http.StatusInternalServerError)
	hide("hooks")
	do(listHooks, "", http.StatusInternalServerError)
	hide("clients")
	s.Pass(time.Minute)
	getToken("", http.StatusInternalServerError)
	return s.URL
}
