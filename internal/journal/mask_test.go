package journal

import (
	"bytes"
	"encoding/json"
	"net/http"
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
		{"application/json", `{'client_secret': 's, 3', 'a': 'b'}`, `{'client_secret': ***, 'a': 'b'}`},
		{"application/json", `{'headers':{'X-Auth':'s'}}`, `{'headers':***`},
		{"application/json", `{"header":["colon separated key value pair"]}`, `{"header":["colon separated key value pair"]}`},
		{"application/json", `{"header":["X-Auth: s",7,null]}`, `{"header":["X-Auth: ***","***",null]}`},
		{"application/json", `{"header":{"X-Auth":"s","X":{"Bearer s":1}},"a":"b"}`, `{"header":{"X-Auth":"***","X":{"***":"***"}},"a":"b"}`},
		{"application/json", `{"headers":{"X-Auth":["s"]},"header":12}`, `{"headers":{"X-Auth":["***"]},"header":"***"}`},
		{"application/json", `{"header":{"X-Auth":"s`, `{"header":***`},
		{"text/xml", `<x><y:client_secret a="b">s</y:client_secret><a>b</a><token/><Header>X: s</Header><api-key>s`, `<x><y:client_secret a="b">***</y:client_secret><a>b</a><token/><Header>***</Header><api-key>***`},
		{"text/xml", `<credentials><![CDATA[s]]><user>u</user></credentials><a>b</a>`, `<credentials>***</credentials><a>b</a>`},
		{"text/plain", `Authorization: Bearer s`, `Authorization: ***`},
		{"text/plain", `a=b&headers%5BX-Auth%5D=s&client[secret]=s`, `a=b&headers%5BX-Auth%5D=***&client[secret]=***`},
		{"text/plain", `grant_type=a&client%5fsecret=b&c=d`, `grant_type=a&client%5fsecret=***&c=d`},
		{"multipart/form-data; boundary=x" + strings.Repeat("; a=b", 1000), "--x\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\ns3\r\n--x--\r\n", "***"},
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

func TestIsSecretName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Api-Key": true, "X-Api-Token": true, "X-Auth-Token": true, "X-Client-Secret": true, "Access-Token": true, "db_password": true,
		"client_credential": true, "signing-key": true, "signingKey": true, "key": true, "KEY": true, "KEY_": true, " apiKey ": true, "ocp-apim-subscription-key": true,
		"client_secret[0]": true, "X-Forwarded-Authorization": true,
		"": false, "Idempotency-Key": false, "public_key": false, "monkey": false, "token_type": false, "grant_type": false, "keyword": false,
		"company_name": false, "X-Request-Id": false, "Content-Type": false, "secretary": false,
	} {
		if got := isSecretName(name); got != want {
			t.Errorf("isSecretName(%q) = %t", name, got)
		}
	}
}

// TestMaskQuery checks that a client can separate the fields of a query by semicolons.
func TestMaskQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"a=1;client_secret=S3CRET&b=2;": "/p?a=1;client_secret=***&b=2;",
		"client_secret=S3CRET;S3CRET":   "/p?client_secret=***;S3CRET",
		"a&data=S3CRET":                 "/p?a&data=***",
	} {
		if got := maskPath(&url.URL{Path: "/p", RawQuery: query}); strings.ReplaceAll(got, mask, "***") != want {
			t.Errorf("%s is masked as %s, want %s", query, got, want)
		}
	}
}

func TestMaskHeader(t *testing.T) {
	t.Parallel()
	header := http.Header{"Accept": {"a"}, "Idempotency-Key": {"b"}}
	for _, name := range []string{"Api-Key", "X-Api-Token", "X-Auth-Token", "X-Client-Secret", "Access-Token", "Cookie", "Proxy-Authorization", "X-Auth"} {
		header[name] = []string{"S3CRET", "S3CRET"}
	}
	masked := string(maskHeader(header))
	if strings.Contains(masked, "S3CRET") || !strings.Contains(masked, `"Accept":["a"]`) || !strings.Contains(masked, `"Idempotency-Key":["b"]`) {
		t.Errorf("masked header %s", masked)
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
		if strings.Contains(name+value, "S3C") || isSecretName(name) || isHeaderName(name) {
			return
		}
		whole, err := json.Marshal(map[string]any{"a": map[string]any{name: value}, "b": map[string]any{key: []any{secret, value}}, "headers": []any{map[string]any{"X-Mine": secret}, "X-Mine: " + secret}, "z": value})
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
		xml := "<a>" + url.QueryEscape(value) + "<client_secret x='" + url.QueryEscape(name) + "'>" + secret + "</client_secret><api-key>" + secret
		if masked := maskBody("text/xml", []byte(xml)); bytes.Contains(masked, []byte("S3CRET")) {
			t.Errorf("%s\nis masked as %s", xml, masked)
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

// TestManyFieldsAreMaskedCheaply checks that the masking of a body with as many fields
// as possible allocates memory a few times only, and that it masks the fields that it
// does not examine.
func TestManyFieldsAreMaskedCheaply(t *testing.T) {
	const boundary = "multipart/form-data; boundary=b"
	for name, test := range map[string]struct {
		kind, body, secret string
		longest            int
	}{
		"form":                 {"", strings.Repeat("&", 64_000) + "=", "", 2000},
		"form with escapes":    {"", strings.Repeat("%&", 32_000) + "=", "", 8000},
		"late field of a form": {"", strings.Repeat("a&", 2000) + "b=S3CRET", "S3CRET", 4000},
		"names of JSON":        {"", `{` + strings.Repeat(`"":"",`, 10_000) + `"":""}`, "", 64_000},
		"multipart":            {boundary, strings.Repeat("--b", 20_000), "", 100_000},
		"late part":            {boundary, strings.Repeat("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n", 1000) + "S3CRET", "S3CRET", 100_000},
	} {
		var masked []byte
		allocations := testing.AllocsPerRun(1, func() { masked = maskBody(test.kind, []byte(test.body)) })
		if allocations > 20*maxFields || len(masked) > test.longest {
			t.Errorf("%s: %g allocations, %d bytes of %d", name, allocations, len(masked), len(test.body))
		}
		if test.secret != "" && bytes.Contains(masked, []byte(test.secret)) {
			t.Errorf("%s is not masked", name)
		}
	}
	if n := testing.AllocsPerRun(10, func() { isSecretName("X-Client_Secret") }); n != 0 {
		t.Errorf("isSecretName allocates memory %g times, want 0", n)
	}
}
