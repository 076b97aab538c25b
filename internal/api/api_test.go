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

var errUnavailable = errors.New("unavailable")

// TestServe checks the responses to errors that handlers return, in each error
// format. Internal errors must not be disclosed.
func TestServe(t *testing.T) {
	t.Parallel()
	succeed := func(w http.ResponseWriter, _ *http.Request) error {
		return Write(w, http.StatusCreated, map[string]string{"a": "<&>"})
	}
	fail := func(err error) Handler { return func(http.ResponseWriter, *http.Request) error { return err } }
	teapot := &Error{Status: http.StatusTeapot, Header: http.Header{"X-Reason": {"tea"}}, Body: map[string]int{"n": 1}}
	for name, c := range map[string]struct {
		format  ErrorFormat
		handler Handler
		status  int
		body    string
	}{
		"success":                {MessageErrors, succeed, 201, `{"a":"<&>"}`},
		"error response":         {MessageErrors, fail(teapot), 418, `{"n":1}`},
		"wrapped error response": {MessageErrors, fail(fmt.Errorf("context: %w", teapot)), 418, `{"n":1}`},
		"internal error":         {MessageErrors, fail(errors.New("secret")), 500, `{"message":"Internal server error"}`},
		"internal error, hooks":  {HookErrors, fail(errors.New("secret")), 500, `{"status":500,"error":"Internal Server Error"}`},
		"internal error, OAuth":  {OAuthErrors, fail(errors.New("secret")), 500, `{"error":"server_error","error_description":"Internal server error"}`},
		"unavailable":            {MessageErrors, fail(fmt.Errorf("read: %w", errUnavailable)), 503, `{"message":"Service Unavailable"}`},
		"unavailable, hooks":     {HookErrors, fail(errUnavailable), 503, `{"status":503,"error":"Service Unavailable"}`},
		"unavailable, OAuth":     {OAuthErrors, fail(errUnavailable), 503, `{"error":"temporarily_unavailable","error_description":"Service Unavailable"}`},
		"panic":                  {MessageErrors, func(http.ResponseWriter, *http.Request) error { panic("secret") }, 500, `{"message":"Internal server error"}`},
		"unencodable body":       {MessageErrors, func(w http.ResponseWriter, _ *http.Request) error { return Write(w, 200, func() {}) }, 500, `{"message":"Internal server error"}`},
		"timeout":                {MessageErrors, WithTimeout(time.Nanosecond, func(_ http.ResponseWriter, r *http.Request) error { <-r.Context().Done(); return errUnavailable }), 503, `{"message":"Service Unavailable"}`},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			Serve(c.format, unavailableReason, c.handler).
				ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
			if recorder.Code != c.status || recorder.Body.String() != c.body {
				t.Errorf("got %d %s, want %d %s", recorder.Code, recorder.Body, c.status, c.body)
			}
			if contentType := recorder.Header().Get("Content-Type"); contentType != "application/json" {
				t.Errorf("got Content-Type %q, want application/json", contentType)
			}
			if retryAfter := recorder.Header().Get("Retry-After"); (retryAfter != "") != (c.status == 503) {
				t.Errorf("got Retry-After %q with status %d, want it with 503 only", retryAfter, c.status)
			}
			if reason := recorder.Header().Get("X-Reason"); c.status == 418 && reason != "tea" {
				t.Errorf("got X-Reason %q, want tea", reason)
			}
		})
	}
}

func unavailableReason(err error) string {
	if errors.Is(err, errUnavailable) {
		return "the database is on holiday"
	}
	return ""
}

// TestPanicLeavesConnectionUsable checks that requests on the same connection
// succeed after one whose handler panics.
func TestPanicLeavesConnectionUsable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(Serve(MessageErrors, func(error) string { return "" }, func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Path == "/panic" {
			panic("requested")
		}
		return Write(w, http.StatusOK, "fine")
	}))
	t.Cleanup(server.Close)
	for range 3 {
		for path, want := range map[string]string{"/panic": `{"message":"Internal server error"}`, "/": `"fine"`} {
			response, err := http.Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || string(body) != want {
				t.Errorf("%s: got %s, %v, want %s", path, body, err, want)
			}
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const invalid, tooLong = `{"message":"Invalid request body"}`, `{"message":"Request Too Long"}`
	const tooDeep = `{"message":"arrays and objects are nested more than 100 deep"}`
	for body, want := range map[string]string{
		`{}`:                             "",
		` {"a":"b","c":[{"a":1,"A":2}]}`: "",
		`{"a":"\\u0000"}`:                "",
		`{"a":"\ud83d\ude00 \\ud800"}`:   "",
		`{"a":"\ud800"}`:                 invalid,
		`{"a":"\ud800x"}`:                invalid,
		`{"a":"\ude00\ud83d"}`:           invalid,
		`{"K":1,"k":2}`:                  "",
		`{"a":1,"a":1}`:                  invalid,
		`{"a":1,"\u0061":1}`:             invalid,
		`{"É":1,"é":2}`:                  "",
		`{"a":"\u0000"}`:                 invalid,
		`{"\u0000":1}`:                   invalid,
		"{\"a\":\"\xff\"}":               invalid,
		`{} {}`:                          invalid,
		`{}x`:                            invalid,
		`{`:                              invalid,
		`[]`:                             invalid,
		`null`:                           invalid,
		``:                               invalid,
		`{"a":"` + strings.Repeat("x", int(jsonBounds.Bytes)-8) + `"}`:          "",
		`{"a":"` + strings.Repeat("x", int(jsonBounds.Bytes)-7) + `"}`:          tooLong,
		`{"a":` + nested(99) + `,"b":` + nested(99) + `}`:                       "",
		`{"a":` + nested(100) + `}`:                                             tooDeep,
		`{"a":` + strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 101): tooDeep,
		`{"a":"` + strings.Repeat(`[`, 101) + `\"[["}`:                          "",
		`{"a":[1e308,-1.5E-308,0e+0308],"b":"1e309","c1e309":true}`:             "",
		`{"a":1e309}`:            invalid,
		`{"a":[-2.5E-00000309]}`: invalid,
	} {
		_, err := Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)), MessageErrors)
		got := ""
		if response := new(Error); errors.As(err, &response) {
			text, err := json.Marshal(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		} else if err != nil {
			t.Fatalf("%.60s: got %v, want an *Error", body, err)
		}
		if got != want {
			t.Errorf("%.60s: got %s, want %s", body, got, want)
		}
	}
}

// nested returns an array of the given depth.
func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// TestValuesAreCounted checks that each element of an array and each field of an object
// counts as one value.
func TestValuesAreCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{}`: 0, `{ "a" : 1 }`: 1, `{"a":[ ]}`: 1, `{"a":[[],[ [] ],{}],"b":"[,\",{"}`: 6, `{"a":[1,-2.5e3,true,null,"",{"b":"c"}]}`: 8,
	} {
		if err := (Bounds{Nesting: 10, Values: want}).Check([]byte(text)); err != nil {
			t.Errorf("%s has more than %d values", text, want)
		}
		if err := (Bounds{Nesting: 10, Values: want - 1}).Check([]byte(text)); err == nil && want > 0 {
			t.Errorf("%s has fewer than %d values", text, want)
		}
	}
}

func TestObjectText(t *testing.T) {
	t.Parallel()
	object, err := Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"a":"b","empty":"","n":1,"null":null,"o":{},"spaced": "x" }`)), MessageErrors)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": "b", "empty": "", "spaced": "x"} {
		if text, ok := object.Text(key); !ok || text != want {
			t.Errorf("%s: got %q, %v, want %q, true", key, text, ok, want)
		}
	}
	for _, key := range []string{"A", "n", "null", "o", "missing"} {
		if text, ok := object.Text(key); ok || text != "" {
			t.Errorf("%s: got %q, %v, want false", key, text, ok)
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
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	from := time.Date(2026, 3, 2, 9, 0, 0, 999, time.UTC)
	for to, want := range map[time.Time]float64{from: 0, from.Add(3500 * time.Millisecond): 3.5, from.Add(time.Microsecond): 0.000001, from.Add(3509349 * time.Microsecond): 3.509349, {}: 0} {
		if got := Seconds(from, to); got != want {
			t.Errorf("got %v seconds, want %v", got, want)
		}
	}
}
