package main

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
	w := newControlWorld(t)
	w.control("PATCH /tenants/acme/settings", byPolls).want(t, http.StatusOK)
	kept := &recorder{next: apitest.New(t, document).Transport(t, http.DefaultTransport), kept: examples{}}
	if _, err := conform.Run(t.Context(), conform.Target{
		BaseURL: w.url, AuthURL: w.url, HooksURL: w.url, ClientID: "acme-client", ClientSecret: "acme-secret", APIKey: "acme-api-key",
		CompanyPackage: "acme-us-c0001", LocationPackage: "acme-us-l0001", LimitedClientID: "acme-company-client", LimitedClientSecret: "acme-company-secret",
	}, conform.Options{CompletionTimeout: time.Minute, PollInterval: 5 * time.Millisecond, Progress: t.Output(), Client: &http.Client{Transport: kept}}); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: kept}
	w.redelivered(t, client)
	broken := outOfOrder(t, client)
	text, err := json.MarshalIndent(kept.kept, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{w.url, broken} {
		text = bytes.ReplaceAll(text, []byte(url), []byte("http://127.0.0.1:8080"))
	}
	text = append(text, '\n')
	const file = "answers.json"
	if *update {
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
func (w *controlWorld) redelivered(t *testing.T, client *http.Client) {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	acme := w.acme()
	made := acme.do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["quote_request"]}`).want(t, http.StatusCreated)
	w.control("POST /tenants/acme/events", `{"event":"quote_request:created","data":{}}`).want(t, http.StatusNoContent)
	w.control("GET /tenants/acme/await?event=delivery&within=20s", "").want(t, http.StatusOK)
	requests := "/hooks/" + made.text(t, "id") + "/requests"
	ask := func(line string) answer { return w.doBy(client, call{line: line, token: acme.token}) }
	list, _ := ask("GET "+requests).want(t, http.StatusOK).get(t).([]any)
	ask("POST "+requests+"/"+list[0].(map[string]any)["id"].(string)+"/redeliver").want(t, http.StatusCreated)
}

// outOfOrder makes the calls that a server refuses when it has too much to do,
// when its database is broken, and when that is away. It returns the server's
// address.
func outOfOrder(t *testing.T, client *http.Client) string {
	t.Helper()
	var way line
	w := openWorld(t, way.through(t))
	acme := w.acme()
	ask := func(line, body string, status int) {
		t.Helper()
		w.doBy(client, call{line: line, token: acme.token, key: acme.key, body: body}).want(t, status)
	}
	grant := func(body string, status int) {
		t.Helper()
		w.doBy(client, call{line: granting, header: map[string]string{
			"Authorization": basicAuth("acme-client", "acme-secret"), "Content-Type": "application/x-www-form-urlencoded",
		}, body: body}).want(t, status)
	}
	const status, list = "GET /universal/v2/universal-submit/status/" + absent, "GET /hooks"
	large := `{"filename":"` + strings.Repeat("a", 2<<20) + `"}`
	ask("GET /livez", "", http.StatusOK)
	ask("GET /docs/none", "", http.StatusForbidden)
	ask("GET /auth/token", "", http.StatusMethodNotAllowed)
	ask(announceLine, large, http.StatusRequestEntityTooLarge)
	ask("POST /hooks", large, http.StatusRequestEntityTooLarge)
	grant(large, http.StatusRequestEntityTooLarge)

	w.settings("acme", `{"rate_limit":1}`)
	for _, line := range []string{status, list} {
		w.do(call{line: line, token: acme.token, key: acme.key})
		ask(line, "", http.StatusTooManyRequests)
	}
	w.settings("acme", `{"rate_limit":0}`)

	way.cut.Store(true)
	ask(status, "", http.StatusServiceUnavailable)
	ask(list, "", http.StatusServiceUnavailable)
	ask("GET /readyz", "", http.StatusServiceUnavailable)
	w.pass(time.Minute) // by now the client must be read again
	grant("", http.StatusServiceUnavailable)
	way.cut.Store(false)
	ask("GET /readyz", "", http.StatusOK)

	lose := func(table string) { w.exec("alter table " + table + " rename to " + table + "_lost") }
	lose("submissions")
	ask(status, "", http.StatusInternalServerError)
	lose("hooks")
	ask(list, "", http.StatusInternalServerError)
	lose("clients")
	w.pass(time.Minute)
	grant("", http.StatusInternalServerError)
	return w.url
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
