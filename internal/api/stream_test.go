package api

import (
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// streamed is a body with its array last but one.
type streamed struct {
	Note string         `json:"note"`
	Data []any          `json:"data"`
	More map[string]any `json:"more"`
}

// elementsOf yields the elements and then, unless it is nil, the error.
func elementsOf(elements []any, err error) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, element := range elements {
			if !yield(element, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// TestWriteArrayHasTheBytesOfWrite checks that a streamed response does not differ from
// one that is written at once.
func TestWriteArrayHasTheBytesOfWrite(t *testing.T) {
	t.Parallel()
	many := make([]any, 2000)
	for i := range many {
		many[i] = map[string]any{"name": "<Smith & Söhne>\u2028", "n": i, "list": []int{}}
	}
	for _, elements := range [][]any{{}, {"one"}, {1, nil, map[string]any{"data": []any{}}}, many} {
		want, got := httptest.NewRecorder(), httptest.NewRecorder()
		body := streamed{`"data":[]`, elements, map[string]any{}}
		if err := Write(want, http.StatusOK, body); err != nil {
			t.Fatal(err)
		}
		body.Data = []any{}
		if err := WriteArray(got, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusOK, body, "data", elementsOf(elements, nil)); err != nil {
			t.Fatal(err)
		}
		if got.Body.String() != want.Body.String() || got.Header().Get("Content-Type") != want.Header().Get("Content-Type") {
			t.Errorf("%d elements: the streamed response differs", len(elements))
		}

		want, got = httptest.NewRecorder(), httptest.NewRecorder()
		if err := Write(want, http.StatusOK, elements); err != nil {
			t.Fatal(err)
		}
		if err := WriteArray(got, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusOK, []any{}, "", elementsOf(elements, nil)); err != nil {
			t.Fatal(err)
		}
		if got.Body.String() != want.Body.String() {
			t.Errorf("%d elements: the streamed array differs", len(elements))
		}
	}
}

// TestWriteArrayError checks that an error before the response has begun is returned, and
// that a later one breaks the connection.
func TestWriteArrayError(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	large := strings.Repeat("x", streamBytes)
	for name, test := range map[string]struct {
		elements []any
		aborts   bool
	}{"at once": {nil, false}, "before anything is sent": {[]any{1}, false}, "later": {[]any{large}, true}} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			defer func() {
				if p := recover(); (p == http.ErrAbortHandler) != test.aborts {
					t.Errorf("panic %v, want one: %v", p, test.aborts)
				}
			}()
			err := WriteArray(w, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusOK, streamed{Data: []any{}}, "data", elementsOf(test.elements, failed))
			if !errors.Is(err, failed) || w.Body.Len() > 0 {
				t.Errorf("error %v, %d bytes written", err, w.Body.Len())
			}
		})
	}
}
