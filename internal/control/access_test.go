package control_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/control"
	"understudy.example/internal/server/servertest"
)

// TestControlAccess: the control API is closed to whoever it is not meant for.
func TestControlAccess(t *testing.T) {
	w := servertest.New(t, servertest.Background, func(p *parts) {
		p.access = control.Access{Token: "sesame", Hosts: []string{"control.example", ""}}
	})
	const bearer = "Bearer sesame"
	for _, test := range []struct {
		name   string
		line   string
		header map[string]string
		status int
	}{
		{"token", "GET /tenants", map[string]string{"Authorization": bearer}, 200},
		{"no token", "GET /tenants", nil, 401},
		{"wrong token", "GET /tenants", map[string]string{"Authorization": "Bearer sesam"}, 401},
		{"other scheme", "GET /tenants", map[string]string{"Authorization": "Basic sesame"}, 401},
		{"localhost", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "localhost:9"}, 200},
		{"IPv6 loopback", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "[::1]:9"}, 200},
		{"another loopback", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "127.9.9.9"}, 200},
		{"listed", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "CONTROL.example.:80"}, 200},
		{"foreign name", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "evil.example"}, 403},
		{"name that ends alike", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "localhost.evil.example"}, 403},
		{"foreign address", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "192.0.2.1"}, 403},
		{"foreign name before the token", "GET /tenants", map[string]string{"Host": "evil.example"}, 403},
		{"another site's page", "POST /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "cross-site"}, 403},
		{"another port's page", "POST /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "same-site"}, 403},
		{"another origin", "POST /tenants", map[string]string{"Authorization": bearer, "Origin": "http://evil.example"}, 403},
		{"own page", "POST /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "same-origin"}, 201},
		{"a form", "POST /tenants", map[string]string{"Authorization": bearer, "Content-Type": "text/plain"}, 415},
		{"JSON with a charset", "POST /tenants", map[string]string{"Authorization": bearer, "Content-Type": "application/json; charset=utf-8"}, 201},
	} {
		body := ""
		if test.line == "POST /tenants" {
			body = "{}"
		}
		got := w.ControlWith(t, w.ControlClient, test.line, body, test.header)
		if got.Status != test.status {
			t.Errorf("%s: answer %d %s, want %d", test.name, got.Status, got.Body, test.status)
		}
		for name := range got.Header {
			if len(name) > 14 && name[:14] == "Access-Control" {
				t.Errorf("%s: header %s", test.name, name)
			}
		}
	}

	// Unknown paths tell nothing to strangers; health needs no token.
	plain := http.DefaultClient
	w.ControlWith(t, plain, "GET /nothing", "", nil).Want(t, http.StatusUnauthorized)
	w.ControlWith(t, plain, "GET /nothing", "", map[string]string{"Authorization": bearer}).Want(t, http.StatusNotFound, `{"message":"Not Found"}`)
	document := w.ControlWith(t, w.ControlClient, "GET /openapi.json", "", map[string]string{"Authorization": bearer}).Want(t, http.StatusOK)
	if document.Text(t, "openapi") != "3.1.0" {
		t.Errorf("document %.100s", document.Body)
	}
}

// TestWhereabouts: who knows the control listener finds the API, by the name
// that the listener has for them.
func TestWhereabouts(t *testing.T) {
	w := servertest.New(t, servertest.Background, func(p *parts) { p.access.Hosts = []string{"control.example"} })
	port := w.URL[strings.LastIndex(w.URL, ":"):]
	for host, want := range map[string]string{
		"": w.URL, "localhost:9": w.URL, "control.example:9": "http://control.example" + port,
	} {
		w.ControlWith(t, w.ControlClient, "GET ", "", map[string]string{"Host": host}).Want(t, http.StatusOK, `{"api_url":"`+want+`"}`)
	}
}
