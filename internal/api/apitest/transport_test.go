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

// TestBodiesPassUnchanged sends bodies that are small, large, of unknown length
// and empty, and wants both sides to see every byte of them.
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
			tb := &recorder{TB: t}
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
				t.Errorf("%d bytes came back as %d, %v", size, len(got), err)
			}
			if told := res.Header.Get("X-Length"); told != fmt.Sprint(length) {
				t.Errorf("%d bytes, known %v: Content-Length %s", size, known, told)
			}
			// What is small is checked, what is large is not.
			if complained := tb.text() != ""; complained != (size == 1000) {
				t.Errorf("%d bytes, known %v: reported %q", size, known, tb.text())
			}
		}
	}
}

func TestCutAnswerIsTheCallersToSee(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	tb := &recorder{TB: t}
	client := &http.Client{Transport: apitest.New(t, document(t)).Transport(tb, nil)}
	res, err := client.Get(server.URL + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if string(body) != "half" || err == nil || tb.text() != "" {
		t.Errorf("got %q, %v, reported %q", body, err, tb.text())
	}
}

func TestEventStreamIsNotWaitedFor(t *testing.T) {
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
		t.Errorf("got %q, %v", first, err)
	}
}

func TestTwoDocuments(t *testing.T) {
	t.Parallel()
	second := []byte(`{openapi: 3.1.0, info: {title: Second, version: "1"}, paths: {
		/livez: {get: {responses: {"200": {description: Another.}}}},
		/control/v1/tenants: {get: {responses: {"200": {description: All., content: {application/json: {schema: {type: array}}}}}}}}}`)
	contract := apitest.New(t, document(t), second)
	for path, want := range map[string]bool{"/livez": false, "/control/v1/tenants": true} {
		tb := &recorder{TB: t}
		exchange(t, contract, tb, call{method: "GET", path: path, status: 200, answer: `{"status":"ok"}`})
		if got := tb.text() != ""; got != want {
			t.Errorf("%s: reported %q", path, tb.text())
		}
	}
}

func TestBadDocumentsAreRefused(t *testing.T) {
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
			tb := &recorder{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				apitest.New(tb, []byte(text))
			}()
			<-done
			if tb.text() == "" {
				t.Error("taken")
			}
		})
	}
}

// reported makes the call against a canned server and returns what the
// transport reports.
func reported(t *testing.T, c call) string {
	t.Helper()
	tb := &recorder{TB: t}
	exchange(t, apitest.New(t, document(t)), tb, c)
	return tb.text()
}

func exchange(t *testing.T, contract *apitest.Contract, tb testing.TB, c call) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("X-Request-Id", "r1")
		w.Header().Set("Content-Type", "application/json")
		for name, value := range c.answerHeader {
			if value == "" {
				w.Header().Del(name)
			} else {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(c.status)
		io.WriteString(w, c.answer)
	}))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader(c.sent))
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
	if body, err := io.ReadAll(res.Body); err != nil || c.method != "HEAD" && string(body) != c.answer {
		t.Errorf("answer came back as %q, %v", body, err)
	}
}

// recorder is a test that keeps its errors instead of failing.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.errors, "\n")
}

func document(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../cmd/server/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}
