package console

import (
	"net/url"
	"strings"
	"testing"
)

// TestFormBody checks how fields of a form become JSON.
func TestFormBody(t *testing.T) {
	form := url.Values{
		"name": {"a"}, "empty": {""}, "kept:text": {""}, "header:null": {""}, "secret:null": {"s"},
		"match.filename": {"x.pdf"}, "match.sha256": {""}, "times:number": {" 3 "}, "every:number": {""},
		"frozen:bool": {"false", "on"}, "reorder:bool": {"false"}, "events:list": {"a\r\n\r\n b \n"},
		"facts:json": {`{"x": [1]}`}, "locations:json": {""}, "_next": {"/"},
	}
	body, err := formBody(form)
	const want = `{"events":["a","b"],"facts":{"x":[1]},"frozen":true,"header":null,"kept":"","match":{"filename":"x.pdf"},"name":"a","reorder":false,"secret":"s","times":3}`
	if err != nil || string(body) != want {
		t.Errorf("%v\n got %s\nwant %s", err, body, want)
	}
	if body, err := formBody(url.Values{":json": {`{"whole": true}`}}); err != nil || string(body) != `{"whole":true}` {
		t.Errorf("the whole body: %s, %v", body, err)
	}
	for _, form := range []url.Values{{"times:number": {"three"}}, {"facts:json": {"{"}}, {strings.Repeat("a.", 900_000) + "a": {"1"}}} {
		if body, err := formBody(form); err == nil {
			t.Errorf("%.100v: %.100s, want an error", form, body)
		}
	}
}

// TestIsLocal checks that a form cannot send its visitor to another site.
func TestIsLocal(t *testing.T) {
	for next, want := range map[string]bool{
		"/": true, "/tenants/acme/requests?status=4xx#x": true, "": false, "x": false, "//elsewhere.example": false,
		"https://elsewhere.example/": false, `/\elsewhere.example`: false, "/\t/elsewhere.example": false, "javascript:alert(1)": false,
	} {
		if isLocal(next) != want {
			t.Errorf("isLocal(%q) is %t", next, !want)
		}
	}
}
