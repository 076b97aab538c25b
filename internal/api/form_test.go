package api_test

import (
	"encoding/base64"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/api"
)

// TestToStorable checks that only text that PostgreSQL would reject is changed.
func TestToStorable(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"acme-us-c0001":         "acme-us-c0001",
		"Šafařík 東京":            "Šafařík 東京",
		"a\x00b":                "a\uFFFDb",
		"\xff":                  "\uFFFD",
		"a\xed\xa0\x80b":        "a\uFFFDb", // a surrogate
		"\xc3\x28":              "\uFFFD(",
		"it was \uFFFD already": "it was \uFFFD already",
	} {
		got := api.ToStorable(text)
		if got != want || !api.Storable(got) || api.Storable(text) != (text == want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestParseForm checks that a form is parsed as by net/url, except for text that cannot
// be stored.
func TestParseForm(t *testing.T) {
	for text, want := range map[string]url.Values{
		"":                     {},
		"a=1&a=2&b":            {"a": {"1", "2"}, "b": {""}},
		"a=%00&%FFb=x%00":      {"a": {"\uFFFD"}, "\uFFFDb": {"x\uFFFD"}},
		"a=\xff+%C5%A0+%2B%26": {"a": {"\uFFFD Š +&"}},
	} {
		got, err := api.ParseForm(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: error %v, and (- want, + got):\n%s", text, err, diff)
		}
	}
	if got, err := api.ParseForm("a=%zz&b=%00"); err == nil || got.Get("b") != "\uFFFD" {
		t.Errorf("got %v and the error %v, want the valid field and an error", got, err)
	}
}

// FuzzParseBasic checks that credentials parsed from a header are those that a client
// following RFC 7617 would send.
func FuzzParseBasic(f *testing.F) {
	f.Add("Basic " + base64.StdEncoding.EncodeToString([]byte("acme-client:acme-secret")))
	f.Add("basic " + base64.StdEncoding.EncodeToString([]byte("id:se:cret")))
	f.Add("Basic !!!")
	f.Add("Bearer abc")
	f.Add("")
	f.Fuzz(func(t *testing.T, header string) {
		id, secret, ok := api.ParseBasic(header)
		if !ok {
			return
		}
		if strings.Contains(id, ":") {
			t.Errorf("%q: id %q contains the separator", header, id)
		}
		again, same, ok := api.ParseBasic("Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret)))
		if !ok || again != id || same != secret {
			t.Errorf("%q: %q and %q do not survive a round trip", header, id, secret)
		}
	})
}

// TestDescribedPartsAreShort checks that a long header of a part is not recorded whole.
func TestDescribedPartsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	body := "--b\r\nContent-Disposition: form-data; name=\"" + long + "\"; filename=\"" + long + "\"\r\nContent-Type: " + long + "\r\n\r\n\r\n--b--"
	part, err := multipart.NewReader(strings.NewReader(body), "b").NextPart()
	if err != nil {
		t.Fatal(err)
	}
	if p := api.DescribePart(part); len(p.Name) != 1024 || len(p.Filename) != 1024 || len(p.ContentType) != 1024 {
		t.Errorf("%d, %d and %d bytes, want 1024", len(p.Name), len(p.Filename), len(p.ContentType))
	}
}

// TestMultipartFormsHaveFewParts checks that reading stops after 200 parts.
func TestMultipartFormsHaveFewParts(t *testing.T) {
	part := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n"
	for parts, wantError := range map[int]bool{200: false, 201: true, 6500: true} {
		form, err := api.ReadMultipart(strings.NewReader(strings.Repeat(part, parts)+"--b--\r\n"), "b")
		if (err != nil) != wantError || len(form["a"]) != 200 {
			t.Errorf("%d parts: %d values, %v", parts, len(form["a"]), err)
		}
	}
}
