package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"net/http"
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

	"understudy/internal/api/apitest"
	"understudy/internal/conform"
	"understudy/internal/fidelity"
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
	if _, there := r.kept[operation][code][name]; !there {
		r.kept[operation][code][name] = body
	}
}

// varying is what differs from one run to the next.
var varying = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[CL][A-Z]{2}1[0-9A-F]{16}|eyJ[\w.-]+|\bdata=[\w.~%-]+|127\.0\.0\.1:\d+|"refresh_token": "[^"]+"|t-[0-9a-z]+`)

// TestDocumentExamples: the examples of the document are what the server
// answers, in the conversation that a conformance run has.
func TestDocumentExamples(t *testing.T) {
	w := newControlWorld(t)
	w.control("PATCH /tenants/acme/settings", byPolls).want(t, http.StatusOK)
	kept := &recorder{next: apitest.New(t, document).Transport(t, http.DefaultTransport), kept: examples{}}
	if _, err := conform.Run(t.Context(), conform.Target{
		BaseURL: w.url, AuthURL: w.url, HooksURL: w.url, ClientID: "acme-client", ClientSecret: "acme-secret", APIKey: "acme-api-key",
		CompanyPackage: "acme-us-c0001", LocationPackage: "acme-us-l0001", LimitedID: "acme-company-client", LimitedSecret: "acme-company-secret",
	}, conform.Options{Wait: time.Minute, Poll: 5 * time.Millisecond, Progress: t.Output(), Client: &http.Client{Transport: kept}}); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(kept.kept, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(bytes.ReplaceAll(text, []byte(w.url), []byte("http://127.0.0.1:8080")), '\n')
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

	// Every operation of the service has an example of its success, save one
	// that has no body, and one that needs a receiver.
	without := []string{
		"GET /livez", "GET /readyz", "GET /openapi.yaml", "GET /docs", "GET /docs/{file}",
		"DELETE /hooks/{hook_id}", "POST /hooks/{hook_id}/requests/{request_id}/redeliver",
	}
	for _, operation := range fidelity.All.Operations {
		for _, answer := range operation.Answers {
			of := kept.kept[operation.Line][strconv.Itoa(answer.Status)]
			if answer.Status/100 == 2 && len(of) == 0 && !slices.Contains(without, operation.Line) {
				t.Errorf("%s %d has no example", operation.Line, answer.Status)
			}
		}
	}
}

// TestDocumentPublished: with its examples, the document is still a valid one
// that says the same.
func TestDocumentPublished(t *testing.T) {
	text, err := published()
	if err != nil {
		t.Fatal(err)
	}
	spec, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
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
