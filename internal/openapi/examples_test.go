package openapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/conform"
	"understudy.example/internal/fidelity"
	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

var publishedTo = flag.String("published", "", "write the document with its examples to this file")

// recorder keeps the answers that pass through it, the first of each kind.
type recorder struct {
	next http.RoundTripper
	mu   sync.Mutex
	kept examples
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.keep(request, response.StatusCode, body)
	return response, err
}

// keep keeps the answer under a name that tells its case.
func (r *recorder) keep(request *http.Request, status int, body []byte) {
	operation, ok := fidelity.Line(request.Method, request.URL.Path, status)
	if status == http.StatusMethodNotAllowed {
		operation, ok = fidelity.Line(http.MethodPost, request.URL.Path, status) // where the document has it
	}
	var value any
	if !ok || json.Unmarshal(body, &value) != nil {
		return
	}
	object, _ := value.(map[string]any)
	name := "answer"
	for _, key := range []string{"message", "error", "status"} {
		if text, ok := object[key].(string); ok {
			name = text
			break
		}
	}
	if status == http.StatusUnprocessableEntity {
		name = strings.Join(slices.Sorted(maps.Keys(object)), " and ")
	}
	if strings.HasPrefix(operation, "GET /data/") && status == http.StatusOK {
		name = "company"
		if _, many := object["data"].([]any); many && object["seed_input"] == nil {
			name = "locations"
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	code := strconv.Itoa(status)
	if r.kept[operation] == nil {
		r.kept[operation] = map[string]map[string]json.RawMessage{}
	}
	if r.kept[operation][code] == nil {
		r.kept[operation][code] = map[string]json.RawMessage{}
	}
	if before, there := r.kept[operation][code][name]; !there || string(before) == "[]" { // a list of nothing shows nothing
		r.kept[operation][code][name] = body
	}
}

// varying is what differs from one run to the next.
var varying = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[CL][A-Z]{2}1[0-9A-F]{16}|eyJ[\w.-]+|\bdata=[\w.~%-]+|127\.0\.0\.1:\d+|"refresh_token": "[^"]+"|t-[0-9a-z]+|"response_duration_ms": [\d.]+`)

// TestDocumentExamples: the examples of the document are what the server
// answers, in the conversation that a conformance run has.
func TestDocumentExamples(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	w.Control("PATCH /tenants/acme/settings", byPolls).Want(t, http.StatusOK)
	kept := &recorder{next: apitest.New(t, openapi.Document).Transport(t, http.DefaultTransport), kept: examples{}}
	if _, err := conform.Run(t.Context(), conform.Target{
		BaseURL: w.URL, AuthURL: w.URL, HooksURL: w.URL, ClientID: "acme-client", ClientSecret: "acme-secret", APIKey: "acme-api-key",
		CompanyPackage: "acme-us-c0001", LocationPackage: "acme-us-l0001", LimitedID: "acme-company-client", LimitedSecret: "acme-company-secret",
	}, conform.Options{Wait: time.Minute, Poll: 5 * time.Millisecond, Progress: t.Output(), Client: &http.Client{Transport: kept}}); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: kept}
	w.redelivered(t, client)
	broken := outOfOrder(t, client)
	text, err := json.MarshalIndent(kept.kept, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{w.URL, broken} {
		text = bytes.ReplaceAll(text, []byte(url), []byte("http://127.0.0.1:8080"))
	}
	text = append(text, '\n')
	const file = "answers.json"
	if *servertest.Update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		answers = text
	}
	plain := func(text []byte) string { return varying.ReplaceAllString(string(text), "…") }
	if diff := cmp.Diff(plain(answers), plain(text)); diff != "" {
		t.Errorf("%s is old (-update writes it):\n%s", file, diff)
	}
}

// redelivered has an event delivered, and then once more.
func (w *servertest.Server) redelivered(t *testing.T, client *http.Client) {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	acme := w.Acme()
	made := acme.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["quote_request"]}`).Want(t, http.StatusCreated)
	w.Control("POST /tenants/acme/events", `{"event":"quote_request:created","data":{}}`).Want(t, http.StatusNoContent)
	w.Control("GET /tenants/acme/await?event=delivery&within=20s", "").Want(t, http.StatusOK)
	requests := "/hooks/" + made.Text(t, "id") + "/requests"
	ask := func(line string) servertest.Response {
		return w.DoWith(client, servertest.Call{Line: line, Token: acme.Token})
	}
	list, _ := ask("GET "+requests).Want(t, http.StatusOK).Get(t).([]any)
	ask("POST "+requests+"/"+list[0].(map[string]any)["id"].(string)+"/redeliver").Want(t, http.StatusCreated)
}

// outOfOrder makes the calls that a server refuses when it has too much to do,
// when its database is broken, and when that is away. It returns the server's
// address.
func outOfOrder(t *testing.T, client *http.Client) string {
	t.Helper()
	var outage servertest.Outage
	w := servertest.Open(t, outage.Option(t))
	acme := w.Acme()
	ask := func(line, body string, status int) {
		t.Helper()
		w.DoWith(client, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Body: body}).Want(t, status)
	}
	grant := func(body string, status int) {
		t.Helper()
		w.DoWith(client, servertest.Call{Line: granting, Header: map[string]string{
			"Authorization": servertest.Basic("acme-client", "acme-secret"), "Content-Type": "application/x-www-form-urlencoded",
		}, Body: body}).Want(t, status)
	}
	const status, list = "GET /universal/v2/universal-submit/status/" + absent, "GET /hooks"
	large := `{"filename":"` + strings.Repeat("a", 2<<20) + `"}`
	ask("GET /livez", "", http.StatusOK)
	ask("GET /docs/none", "", http.StatusForbidden)
	ask("GET /auth/token", "", http.StatusMethodNotAllowed)
	ask(announceLine, large, http.StatusRequestEntityTooLarge)
	ask("POST /hooks", large, http.StatusRequestEntityTooLarge)
	grant(large, http.StatusRequestEntityTooLarge)

	w.Settings("acme", `{"rate_limit":1}`)
	for _, line := range []string{status, list} {
		w.Do(servertest.Call{Line: line, Token: acme.Token, Key: acme.Key})
		ask(line, "", http.StatusTooManyRequests)
	}
	w.Settings("acme", `{"rate_limit":0}`)

	outage.Active.Store(true)
	ask(status, "", http.StatusServiceUnavailable)
	ask(list, "", http.StatusServiceUnavailable)
	ask("GET /readyz", "", http.StatusServiceUnavailable)
	w.Pass(time.Minute) // by now the client must be read again
	grant("", http.StatusServiceUnavailable)
	outage.Active.Store(false)
	ask("GET /readyz", "", http.StatusOK)

	lose := func(table string) { w.Exec("alter table " + table + " rename to " + table + "_lost") }
	lose("submissions")
	ask(status, "", http.StatusInternalServerError)
	lose("hooks")
	ask(list, "", http.StatusInternalServerError)
	lose("clients")
	w.Pass(time.Minute)
	grant("", http.StatusInternalServerError)
	return w.URL
}

// publishedDocument is the document with its examples, as text and as read.
func publishedDocument(t *testing.T) ([]byte, *openapi3.T) {
	t.Helper()
	text, err := published()
	if err != nil {
		t.Fatal(err)
	}
	spec, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return text, spec
}

// TestDocumentEveryExample: each answer in JSON, the errors too, has examples.
func TestDocumentEveryExample(t *testing.T) {
	_, spec := publishedDocument(t)
	for path, item := range spec.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				media := response.Value.Content.Get("application/json")
				if media != nil && media.Example == nil && len(media.Examples) == 0 {
					t.Errorf("%s %s %s has no example", method, path, status)
				}
			}
		}
	}
}

// TestDocumentPublished: with its examples, the document is still a valid one
// that says the same.
func TestDocumentPublished(t *testing.T) {
	text, spec := publishedDocument(t)
	if err := spec.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(string(text), "openapi: 3.1.") || !strings.Contains(string(text), "Missing Authentication Token") {
		t.Errorf("document %.100s", text)
	}
	if n := strings.Count(string(text), "examples:\n"); n < 40 {
		t.Errorf("%d places with examples", n)
	}
	if *publishedTo != "" {
		if err := os.MkdirAll(filepath.Dir(*publishedTo), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*publishedTo, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
