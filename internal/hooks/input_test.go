package hooks_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestInvalidSubscriptions checks that the response to invalid fields lists what is
// wrong with each, that other bodies are malformed, and that nothing is changed.
func TestInvalidSubscriptions(t *testing.T) {
	servertest.Proves(t,
		"Webhook subscription, fields: config.url", "Webhook subscription, fields: config.header",
		"Webhook subscription, states: not active without an event", "Endpoint 10, create a subscription: url, required and not blank",
		"Errors, webhooks: 422 header", "Errors, webhooks: 422 url")
	s := servertest.New(t)
	acme := s.Acme()
	created := acme.Do("POST /hooks", `{"url":"http://example.com"}`).Want(t, 201)
	path := "/hooks/" + created.Text(t, "id")
	const header = `{"header":["colon separated key value pair"]}`
	const url = `{"url":["is invalid"]}`
	const events = `{"events":["is invalid"]}`
	for _, test := range []struct{ fields, want string }{
		{`"url":""`, `{"url":["can't be blank"]}`},
		{`"url":"  "`, `{"url":["can't be blank"]}`},
		{`"url":5`, url},
		{`"url":"example.com"`, url},
		{`"url":"/in"`, url},
		{`"url":"ftp://example.com"`, url},
		{`"url":"http://"`, url},
		{`"url":"http:///in"`, url},
		{`"url":"http:example.com"`, url},
		{`"url":"http://me:pw@example.com"`, url},
		{`"url":"http://me@example.com"`, url},
		{`"url":"http://example.com:99999"`, url},
		{`"url":"http://example.com/a b"`, url},
		{`"url":"http://example.com/\n"`, url},
		{`"url":"http://example.com/` + strings.Repeat("a", 2049-len("http://example.com/")) + `"`, url},
		{`"header":"nothing"`, header},
		{`"header":": v"`, header},
		{`"header":"Name:"`, header},
		{`"header":"Name:  "`, header},
		{`"header":"Na me: v"`, header},
		{`"header":" Name: v"`, header},
		{`"header":"Näme: v"`, header},
		{`"header":"Name: a\r\nX-Evil: b"`, header},
		{`"header":"Name: a\tb"`, header},
		{`"header":["Name: v"]`, header},
		{`"header":"Name: ` + strings.Repeat("a", 4097-len("Name: ")) + `"`, header},
		{`"header":"host: a"`, header},
		{`"header":"Content-Length: 5"`, header},
		{`"header":"content-type: a/b"`, header},
		{`"header":"Transfer-Encoding: chunked"`, header},
		{`"header":"Connection: close"`, header},
		{`"header":"HTTP2-Settings: a"`, header},
		{`"header":"X-Signature: a"`, header},
		{`"header":"x-delivery-id: a"`, header},
		{`"header":"X-Emperor-Event: a"`, header},
		{`"header":"X-Request-ID: a"`, header},
		{`"events":[""]`, events},
		{`"events":["a:b:c"]`, events},
		{`"events":["a:"]`, events},
		{`"events":[":b"]`, events},
		{`"events":["a b"]`, events},
		{`"events":["a:*"]`, events},
		{`"events":["**"]`, events},
		{`"events":[null]`, events},
		{`"events":[5]`, events},
		{`"events":"a"`, events},
		{`"events":{}`, events},
		{`"events":[""],"active":true`, events},
		{`"active":true`, `{"events":["can't be blank"]}`},
		{`"active":true,"events":[]`, `{"events":["can't be blank"]}`},
		{`"active":"yes"`, `{"active":["is invalid"]}`},
		{`"active":1`, `{"active":["is invalid"]}`},
		{`"secret":5`, `{"secret":["is invalid"]}`},
		{`"url":"","header":"x","active":true`, `{"events":["can't be blank"],"header":["colon separated key value pair"],"url":["can't be blank"]}`},
	} {
		body := "{" + test.fields
		if !strings.Contains(test.fields, `"url"`) {
			body += `,"url":"http://example.com"`
		}
		if got := acme.Do("POST /hooks", body+"}"); got.Status != 422 || got.Body != test.want {
			t.Errorf("create %s: response %d %s, want 422 %s", test.fields, got.Status, got.Body, test.want)
		}
		if got := acme.Do("PATCH "+path, "{"+test.fields+"}"); got.Status != 422 || got.Body != test.want {
			t.Errorf("update %s: response %d %s, want 422 %s", test.fields, got.Status, got.Body, test.want)
		}
	}
	for _, body := range []string{`{}`, `{"url":null}`} {
		acme.Do("POST /hooks", body).Want(t, 422, `{"url":["can't be blank"]}`)
	}
	for _, body := range []string{
		"", "[]", "nothing", `{"url":"http://a","url":"http://b"}`, `{"url":"http://a","URL":"http://b"}`, `{"URL":"http://a"}`,
		`{"url":"http://a","Active":true}`, `{"url":"http://a"} {}`, "{\"url\":\"\xff\"}",
	} {
		for _, line := range []string{"POST /hooks", "PUT " + path} {
			if got := acme.Do(line, body); got.Status != 400 || got.Body != `{"status":400,"error":"Bad Request"}` {
				t.Errorf("%s %q: response %d %s, want 400", line, body, got.Status, got.Body)
			}
		}
	}
	acme.Do("POST /hooks", `{"url":"`+strings.Repeat("a", 1<<20)+`"}`).
		Want(t, http.StatusRequestEntityTooLarge, `{"status":413,"error":"Request Entity Too Large"}`)
	acme.Do("GET /hooks", "").Want(t, 200, "["+created.Body+"]")
}
