package journal

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func TestMaskBody(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, body, want string }{
		{"application/json", `{ "a" : 1,"secret" : "s\"x", "b":[true]}`, `{ "a" : 1,"secret" : "***", "b":[true]}`},
		{"application/json", `{"url":"http://u:S3CRET@host.example/"}`, `{"url":"http://***@host.example/"}`},
		{"application/json", `{"Client_Secret":{"a":["b}"]},"c":"d"}`, `{"Client_Secret":"***","c":"d"}`},
		{"application/json", `{"client\u005fsecret":12,"c":"secret"}`, `{"client\u005fsecret":"***","c":"secret"}`},
		{"application/json", `{"header":"Authorization: Bearer abc"}`, `{"header":"Authorization: ***"}`},
		{"application/json", `{"config":{"secret":"","header":""}}`, `{"config":{"secret":"***","header":""}}`},
		{"application/json", `{"upload_url":"http://x/upload-file?data=AAAAAAAAAAAAAAAAAAAAAAA"}`, `{"upload_url":"http://x/upload-file?data=***"}`},
		{"application/json", `{"secret":"s`, `{"secret":***`},
		{"text/plain", `grant_type=a&client%5fsecret=b&c=d`, `grant_type=a&client%5fsecret=***&c=d`},
		{
			"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x\r\nno name\r\n\r\ns3\r\n--x--\r\n",
			"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n***\r\n--x--\r\n",
		},
	} {
		if got := string(maskBody(test.kind, []byte(test.body))); got != test.want {
			t.Errorf("%s\n got %q\nwant %q", test.body, got, test.want)
		}
	}
}

// FuzzMaskJSON checks that a secret is masked, whatever surrounds it and wherever the
// text is cut off, and that valid JSON stays valid.
func FuzzMaskJSON(f *testing.F) {
	f.Add("name", "value", "client_secret", 0)
	f.Add(`q"uo\te`, `{"secret":"x"}`, "Refresh_Token", 20)
	f.Add("header", "secret", "secret", 31)
	f.Fuzz(func(t *testing.T, name, value, key string, cut int) {
		if !isSecretName(key) {
			key = "secret"
		}
		const secret = "S3CRET-S3CRET"
		if strings.Contains(name+value, "S3C") || isSecretName(name) || strings.EqualFold(name, "header") {
			return
		}
		whole, err := json.Marshal(map[string]any{"a": map[string]any{name: value}, "b": map[string]any{key: []any{secret, value}}, "z": value})
		if err != nil {
			t.Fatal(err)
		}
		masked := maskBody("application/json", whole)
		if bytes.Contains(masked, []byte(secret)) || !json.Valid(masked) {
			t.Errorf("%s\nis masked as %s", whole, masked)
		}
		if cut > 0 && cut < len(whole) {
			if masked := maskBody("", whole[:cut]); bytes.Contains(masked, []byte("S3CRET")) {
				t.Errorf("%s\nis masked as %s", whole[:cut], masked)
			}
		}
	})
}

// FuzzMaskForm is FuzzMaskJSON for URL-encoded and multipart forms.
func FuzzMaskForm(f *testing.F) {
	f.Add("name", "value", 0)
	f.Add("data", "a=b&c", 40)
	f.Fuzz(func(t *testing.T, name, value string, cut int) {
		const secret = "S3CRET-S3CRET"
		if strings.Contains(name+value, "S3C") {
			return
		}
		form := url.Values{name: {value}, "client_secret": {secret}, "refresh_token": {secret}, "zz": {value}}.Encode()
		if masked := maskBody("application/x-www-form-urlencoded", []byte(form)); bytes.Contains(masked, []byte("S3CRET")) {
			t.Errorf("%s\nis masked as %s", form, masked)
		}
		parts := "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value +
			"\r\n--b\r\ncontent-disposition: form-data; name=client_secret\r\n\r\n" + secret + "\r\n--b--\r\n"
		if cut > 0 && cut < len(parts) {
			parts = parts[:cut]
		}
		if masked := maskBody("multipart/form-data; boundary=b", []byte(parts)); bytes.Contains(masked, []byte("S3CRET")) {
			t.Errorf("%q\nis masked as %q", parts, masked)
		}
	})
}
