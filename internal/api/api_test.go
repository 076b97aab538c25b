package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var errAway = errors.New("away")

// TestServe: what a handler returns is what the client sees, in the form of
// its family; what is ours says nothing about us.
func TestServe(t *testing.T) {
	t.Parallel()
	written := func(w http.ResponseWriter, _ *http.Request) error {
		return Write(w, http.StatusCreated, map[string]string{"a": "<&>"})
	}
	fails := func(err error) Handler { return func(http.ResponseWriter, *http.Request) error { return err } }
	refusal := &Error{Status: http.StatusTeapot, Header: http.Header{"X-Reason": {"tea"}}, Body: map[string]int{"n": 1}}
	for name, c := range map[string]struct {
		form    Form
		handler Handler
		status  int
		body    string
	}{
		"answer":              {Message, written, 201, `{"a":"<&>"}`},
		"refusal":             {Message, fails(refusal), 418, `{"n":1}`},
		"wrapped refusal":     {Message, fails(fmt.Errorf("context: %w", refusal)), 418, `{"n":1}`},
		"fault":               {Message, fails(errors.New("secret")), 500, `{"message":"Internal server error"}`},
		"fault of hooks":      {Hooks, fails(errors.New("secret")), 500, `{"status":500,"error":"Internal Server Error"}`},
		"fault of tokens":     {OAuth, fails(errors.New("secret")), 500, `{"error":"server_error","error_description":"Internal server error"}`},
		"away":                {Message, fails(fmt.Errorf("read: %w", errAway)), 503, `{"message":"Service Unavailable"}`},
		"away, hooks":         {Hooks, fails(errAway), 503, `{"status":503,"error":"Service Unavailable"}`},
		"away, tokens":        {OAuth, fails(errAway), 503, `{"error":"temporarily_unavailable","error_description":"Service Unavailable"}`},
		"panic":               {Message, func(http.ResponseWriter, *http.Request) error { panic("secret") }, 500, `{"message":"Internal server error"}`},
		"what is no JSON":     {Message, func(w http.ResponseWriter, _ *http.Request) error { return Write(w, 200, func() {}) }, 500, `{"message":"Internal server error"}`},
		"deadline of our own": {Message, Within(time.Nanosecond, func(_ http.ResponseWriter, r *http.Request) error { <-r.Context().Done(); return errAway }), 503, `{"message":"Service Unavailable"}`},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			Serve(c.form, func(err error) bool { return errors.Is(err, errAway) }, c.handler).
				ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
			if recorder.Code != c.status || recorder.Body.String() != c.body {
				t.Errorf("%d %s, want %d %s", recorder.Code, recorder.Body, c.status, c.body)
			}
			if kind := recorder.Header().Get("Content-Type"); kind != "application/json" {
				t.Errorf("Content-Type %q", kind)
			}
			if away := recorder.Header().Get("Retry-After") != ""; away != (c.status == 503) {
				t.Errorf("header %v", recorder.Header())
			}
			if c.status == 418 && recorder.Header().Get("X-Reason") != "tea" {
				t.Errorf("header %v", recorder.Header())
			}
		})
	}
}

// TestPanicIsOneRequestsAlone: on the connection where one panicked, the next
// is answered.
func TestPanicIsOneRequestsAlone(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(Serve(Message, func(error) bool { return false }, func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Path == "/panic" {
			panic("at once")
		}
		return Write(w, http.StatusOK, "fine")
	}))
	t.Cleanup(server.Close)
	for range 3 {
		for path, want := range map[string]string{"/panic": `{"message":"Internal server error"}`, "/": `"fine"`} {
			answer, err := http.Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || string(body) != want {
				t.Errorf("%s: %s, %v", path, body, err)
			}
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const invalid, tooLong = `{"message":"Invalid request body"}`, `{"message":"Request Too Long"}`
	for body, want := range map[string]string{
		`{}`:                             "",
		` {"a":"b","c":[{"a":1,"A":2}]}`: "",
		`{"a":"\\u0000"}`:                "",
		`{"a":"\ud83d\ude00 \\ud800"}`:   "",
		`{"a":"\ud800"}`:                 invalid,
		`{"a":"\ud800x"}`:                invalid,
		`{"a":"\ude00\ud83d"}`:           invalid,
		`{"K":1,"k":2}`:                  invalid,
		`{"a":1,"a":1}`:                  invalid,
		`{"É":1,"é":2}`:                  invalid,
		`{"a":"\u0000"}`:                 invalid,
		`{"\u0000":1}`:                   invalid,
		"{\"a\":\"\xff\"}":               invalid,
		`{} {}`:                          invalid,
		`{}x`:                            invalid,
		`{`:                              invalid,
		`[]`:                             invalid,
		`null`:                           invalid,
		``:                               invalid,
		`{"a":"` + strings.Repeat("x", maxJSON-8) + `"}`: "",
		`{"a":"` + strings.Repeat("x", maxJSON-7) + `"}`: tooLong,
	} {
		_, err := Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)), Message)
		got := ""
		if refusal := new(Error); errors.As(err, &refusal) {
			text, err := json.Marshal(refusal.Body)
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		} else if err != nil {
			t.Fatalf("%.60s: %v is no answer", body, err)
		}
		if got != want {
			t.Errorf("%.60s: %s, want %s", body, got, want)
		}
	}
}

func TestObjectText(t *testing.T) {
	t.Parallel()
	object, err := Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"a":"b","empty":"","n":1,"null":null,"o":{},"spaced": "x" }`)), Message)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": "b", "empty": "", "spaced": "x"} {
		if text, ok := object.Text(key); !ok || text != want {
			t.Errorf("%s: %q, %v", key, text, ok)
		}
	}
	for _, key := range []string{"A", "n", "null", "o", "missing"} {
		if text, ok := object.Text(key); ok || text != "" {
			t.Errorf("%s: %q, %v", key, text, ok)
		}
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 3*3600)
	for want, at := range map[string]time.Time{
		`""`:                                 {},
		`"2026-03-02T09:00:00.000000+00:00"`: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		`"2026-03-02T09:00:00.123456+00:00"`: time.Date(2026, 3, 2, 12, 0, 0, 123456789, east),
	} {
		if got, err := json.Marshal(Time(at)); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	from := time.Date(2026, 3, 2, 9, 0, 0, 999, time.UTC)
	for to, want := range map[time.Time]float64{from: 0, from.Add(3500 * time.Millisecond): 3.5, from.Add(time.Microsecond): 0.000001, from.Add(3509349 * time.Microsecond): 3.509349, {}: 0} {
		if got := Seconds(from, to); got != want {
			t.Errorf("%v seconds, want %v", got, want)
		}
	}
}
