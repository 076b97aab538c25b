package control_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/control"
	"understudy.example/internal/server/servertest"
)

// TestAccess checks who may call the control API: by token, host and site.
func TestAccess(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, documents: the OpenAPI document of the control API",
		"Chosen, process: a control token is required if set")
	s := servertest.New(t, func(o *servertest.Options) {
		o.Access = control.Access{Tokens: []control.Token{{Name: "default", Value: "sesame"}}, Hosts: []string{"control.example", ""}}
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
		{"listed name", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "CONTROL.example.:80"}, 200},
		{"foreign name", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "evil.example"}, 403},
		{"name with an allowed prefix", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "localhost.evil.example"}, 403},
		{"foreign address", "GET /tenants", map[string]string{"Authorization": bearer, "Host": "192.0.2.1"}, 403},
		{"foreign name before the token", "GET /tenants", map[string]string{"Host": "evil.example"}, 403},
		{"another site's page", "POST /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "cross-site"}, 403},
		{"another port's page", "POST /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "same-site"}, 403},
		{"another origin", "POST /tenants", map[string]string{"Authorization": bearer, "Origin": "http://evil.example"}, 403},
		{"another site's page reads", "GET /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "cross-site"}, 403},
		{"another port's page reads", "GET /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403},
		{"another origin reads", "GET /tenants", map[string]string{"Authorization": bearer, "Origin": "http://evil.example"}, 403},
		{"page in a file reads", "GET /tenants", map[string]string{"Authorization": bearer, "Origin": "null"}, 403},
		{"frame in another site's page", "GET /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		{"link in another site's page", "GET /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200},
		{"form in another site's page", "POST /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403},
		{"own page reads", "GET /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "same-origin"}, 200},
		{"URL typed by the user", "GET /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "none"}, 200},
		{"own page", "POST /tenants", map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "same-origin"}, 201},
		{"delivery of a webhook", "POST /tenants", map[string]string{"Authorization": bearer, "X-Emperor-Event": "company_submit:new"}, 403},
		{"form", "POST /tenants", map[string]string{"Authorization": bearer, "Content-Type": "text/plain"}, 415},
		{"JSON with a charset", "POST /tenants", map[string]string{"Authorization": bearer, "Content-Type": "application/json; charset=utf-8"}, 201},
	} {
		body := ""
		if test.line == "POST /tenants" {
			body = "{}"
		}
		got := s.ControlWith(t, s.ControlClient, test.line, body, test.header)
		if got.Status != test.status {
			t.Errorf("%s: response %d %s, want %d", test.name, got.Status, got.Body, test.status)
		}
		for name := range got.Header {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: header %s", test.name, name)
			}
		}
	}

	// Without the token a path that does not exist looks like any other.
	unchecked := http.DefaultClient
	s.ControlWith(t, unchecked, "GET /nothing", "", nil).Want(t, http.StatusUnauthorized)
	s.ControlWith(t, unchecked, "GET /nothing", "", map[string]string{"Authorization": bearer}).Want(t, http.StatusNotFound, `{"message":"Not Found"}`)
	document := s.ControlWith(t, s.ControlClient, "GET /openapi.json", "", map[string]string{"Authorization": bearer}).Want(t, http.StatusOK)
	if document.Text(t, "openapi") != "3.1.0" {
		t.Errorf("document %.100s", document.Body)
	}
}

// TestAPIURL checks that the control listener returns the URL of the API, with the
// host name that the caller used.
func TestAPIURL(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) { o.Access.Hosts = []string{"control.example"} })
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for host, want := range map[string]string{
		"": s.URL, "localhost:9": s.URL, "control.example:9": "http://control.example" + port,
	} {
		s.ControlWith(t, s.ControlClient, "GET ", "", map[string]string{"Host": host}).Want(t, http.StatusOK, `{"api_url":"`+want+`"}`)
	}
}
