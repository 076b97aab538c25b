package api

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzRead checks that Read returns the values of an object as encoding/json does.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a" : "b" , "c":[{"d":"]}\""}, 1 ] ,"e":{"f":{}},"\u0061b":null}`, "{\"a\":1.5e3\n,\t\"b\" :true\r}",
		`{"":"\\"}`, `{"a":"\\\"","b":[]}`, `{"a":1,"\u0061":2}`, `[{}]`, `"{}"`, `{"a":-0}`, `{"ü":"ü"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, err := Read(httptest.NewRequest("POST", "/", bytes.NewReader(text)), MessageErrors)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Object(want), object); diff != "" {
			t.Error(diff)
		}
	})
}
