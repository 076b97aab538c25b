package apitest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"understudy.example/internal/api/apitest"
)

// TestBodiesPassUnchanged checks that request and response bodies are passed on
// unchanged: empty, small and large ones, of known and of unknown length.
func TestBodiesPassUnchanged(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Request-Id", "r")
		w.Header().Set("X-Length", fmt.Sprint(r.ContentLength))
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(body)
	}))
	t.Cleanup(server.Close)
	echo := []byte(`{openapi: 3.1.0, info: {title: Echo, version: "1"}, paths: {/echo: {post: {
		requestBody: {content: {application/octet-stream: {schema: {type: string, maxLength: 100}}}},
		responses: {"200": {description: The same., content: {application/octet-stream: {}}}}}}}}`)
	for _, size := range []int{0, 10, 1000, 3 << 20} {
		for _, known := range []bool{true, false} {
			tb := &errorRecorder{TB: t}
			client := &http.Client{Transport: apitest.New(t, echo).Transport(tb, nil)}
			sent := bytes.Repeat([]byte("x"), size)
			var body io.Reader = bytes.NewReader(sent)
			length := size
			if !known {
				body, length = io.MultiReader(body), -1
			}
			res, err := client.Post(server.URL+"/echo", "application/octet-stream", body)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("sent %d bytes, got %d back, %v", size, len(got), err)
			}
			if got := res.Header.Get("X-Length"); got != fmt.Sprint(length) {
				t.Errorf("%d bytes, known length %v: the server got Content-Length %s, want %d", size, known, got, length)
			}
			// Up to 100 bytes are valid, 1000 are too long, 3 MiB are not checked.
			if reported := tb.text() != ""; reported != (size == 1000) {
				t.Errorf("%d bytes, known length %v: reported %q", size, known, tb.text())
			}
		}
	}
}

func TestTruncatedResponseIsPassedOn(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	tb := &errorRecorder{TB: t}
	client := &http.Client{Transport: apitest.New(t, document(t)).Transport(tb, nil)}
	res, err := client.Get(server.URL + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if string(body) != "half" || err == nil || tb.text() != "" {
		t.Errorf("got %q, %v, reported %q, want half, an error, nothing", body, err, tb.text())
	}
}

func TestEventStreamIsPassedOnAtOnce(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	stream := []byte(`{openapi: 3.1.0, info: {title: Stream, version: "1"}, paths: {/stream: {get: {
		responses: {"200": {description: Events., content: {text/event-stream: {schema: {type: string}}}}}}}}}`)
	client := &http.Client{Transport: apitest.New(t, stream).Transport(t, nil)}
	res, err := client.Get(server.URL + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, 7)
	if _, err := io.ReadFull(res.Body, first); err != nil || string(first) != "data: 1" {
		t.Errorf("got %q, %v, want data: 1", first, err)
	}
}

func TestFirstDocumentWins(t *testing.T) {
	t.Parallel()
	second := []byte(`{openapi: 3.1.0, info: {title: Second, version: "1"}, paths: {
		/livez: {get: {responses: {"200": {description: Another.}}}},
		/control/v1/tenants: {get: {responses: {"200": {description: All., content: {application/json: {schema: {type: array}}}}}}}}}`)
	contract := apitest.New(t, document(t), second)
	for path, want := range map[string]bool{"/livez": false, "/control/v1/tenants": true} {
		tb := &errorRecorder{TB: t}
		doCall(t, contract, tb, call{method: "GET", path: path, status: 200, response: `{"status":"ok","version":"devel"}`})
		if got := tb.text() != ""; got != want {
			t.Errorf("%s: reported %q, want an error: %v", path, tb.text(), want)
		}
	}
}

func TestInvalidDocumentsAreRejected(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"not YAML":      "{",
		"3.0":           `{openapi: 3.0.3, info: {title: a, version: "1"}, paths: {}}`,
		"no info":       `{openapi: 3.1.0, paths: {}}`,
		"dangling":      `{openapi: 3.1.0, info: {title: a, version: "1"}, paths: {/a: {get: {responses: {"200": {$ref: "#/components/responses/B"}}}}}}`,
		"bad pattern":   `{openapi: 3.1.0, info: {title: a, version: "1"}, paths: {/a: {get: {responses: {"200": {description: a, content: {application/json: {schema: {type: string, pattern: "("}}}}}}}}}`,
		"wrong example": `{openapi: 3.1.0, info: {title: a, version: "1"}, paths: {/a: {get: {responses: {"200": {description: a, content: {application/json: {schema: {type: string}, example: 1}}}}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := &errorRecorder{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				apitest.New(tb, []byte(text))
			}()
			<-done
			if tb.text() == "" {
				t.Error("New accepted the document")
			}
		})
	}
}

// problemsOf makes the call against a test server and returns the errors that
// the transport reports.
func problemsOf(t *testing.T, c call) string {
	t.Helper()
	tb := &errorRecorder{TB: t}
	doCall(t, apitest.New(t, document(t)), tb, c)
	return tb.text()
}

// doCall makes the call against a test server and checks that the response is
// passed on unchanged.
func doCall(t *testing.T, contract *apitest.Contract, tb testing.TB, c call) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("X-Request-Id", "r1")
		w.Header().Set("Content-Type", "application/json")
		if c.status >= 400 && c.status < 500 {
			w.Header().Set("X-Understudy-Hint", "the call is wrong: make another")
		}
		for name, value := range c.responseHeader {
			if value == "" {
				w.Header().Del(name)
			} else {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(c.status)
		io.WriteString(w, c.response)
	}))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	res, err := contract.Transport(tb, nil).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || c.method != "HEAD" && string(body) != c.response {
		t.Errorf("got body %q, %v, want %q", body, err, c.response)
	}
}

// errorRecorder is a testing.TB that records its errors instead of failing.
type errorRecorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *errorRecorder) Helper() {}

func (r *errorRecorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *errorRecorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *errorRecorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.errors, "\n")
}

func document(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../openapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}
