package hooks_test

import (
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// TestInvalidSubscriptions checks that the response to invalid fields lists what is
// wrong with each, that other bodies are malformed, and that nothing is changed.
func TestInvalidSubscriptions(t *testing.T) {
	servertest.Proves(t,
		"Webhook subscription, fields: config.url", "Webhook subscription, fields: config.header",
		"Webhook subscription, states: not active without an event", "Endpoint 10, create a subscription: url, required and not blank",
		"Errors, webhooks: 422 header", "Errors, webhooks: 422 url",
		"Chosen, webhook subscriptions: 422 lists every field that is wrong",
		"Chosen, webhook subscriptions: 422 url: blank, not absolute, with user info, too long",
		"Chosen, webhook subscriptions: 422 header: no pair, control characters, a name that the server sets, too long",
		"Chosen, webhook subscriptions: 422 events: an entry of another form, too many or too long",
		"Chosen, webhook subscriptions: 422 active: without events, or the eleventh",
		"Chosen, webhook subscriptions: a refused update changes nothing",
		"Chosen, webhook subscriptions: a duplicate key is malformed, a key in another case unknown",
		"Chosen, bearer token and API key: malformed JSON: 400",
		"Chosen, bearer token and API key: body too large: 413")
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
		{`"header":""`, header},
		{`"header":" "`, header},
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
		{`"header":"user-agent: a"`, header},
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
		{`"events":["a"` + strings.Repeat(`,"a"`, 100) + `]`, events},
		{`"events":["a"` + strings.Repeat(`,"`+strings.Repeat("a", 91)+`"`, 91) + `]`, events}, // 8,282 bytes
		{`"events":[null]`, events},
		{`"events":[5]`, events},
		{`"events":"a"`, events},
		{`"events":{}`, events},
		{`"events":[""],"active":true`, events},
		{`"active":true`, `{"events":["can't be blank"]}`},
		{`"active":true,"events":[]`, `{"events":["can't be blank"]}`},
		{`"active":"yes"`, `{"active":["is invalid"]}`},
		{`"active":1`, `{"active":["is invalid"]}`},
		{`"header":"Name: a\u0007b"`, header},
		{`"url":"http://169.254.169.254/latest"`, `{"url":["is not allowed"]}`},
		{`"url":"http://[::]/","header":"","secret":5`, `{"header":["colon separated key value pair"],"secret":["is invalid"],"url":["is not allowed"]}`},
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
	for _, body := range []string{`{}`, `{"url":null}`, `{"Url":"http://a"}`, `{"URL":"http://a","Header":5}`} {
		acme.Do("POST /hooks", body).Want(t, 422, `{"url":["can't be blank"]}`)
	}
	for _, body := range []string{
		"", "[]", "nothing", `{"url":"http://a","url":"http://a"}`, `{"url":"http://a","\u0075rl":"http://b"}`,
		`{"active":false,"secret":"a","secret":"b"}`, `{"url":"http://a"} {}`, "{\"url\":\"\xff\"}",
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

// TestClearedFields checks the effects of null, "" and keys in another case on a
// subscription.
func TestClearedFields(t *testing.T) {
	servertest.Proves(t,
		"Chosen, webhook subscriptions: an update clears the secret by an empty string, the header by null",
		"Chosen, webhook subscriptions: config.secret is empty in every response",
		"Chosen, webhook subscriptions: a duplicate key is malformed, a key in another case unknown")
	s := servertest.New(t)
	acme := s.Acme()
	const whole = `{"url":"http://example.com","events":["a"],"header":"Name: v","secret":"s"}`
	path := "/hooks/" + acme.Do("POST /hooks", whole).Want(t, 201).Text(t, "id")
	secret := func() string {
		return servertest.Value[string](s, "select coalesce(secret, '')::text from hooks where id = $1", path[len("/hooks/"):])
	}
	sealed := secret()
	for _, line := range []string{"GET " + path, "GET /hooks"} {
		if got := acme.Do(line, "").Want(t, 200); !strings.Contains(got.Body, `"secret":""`) {
			t.Errorf("%s: %s, want an empty secret", line, got.Body)
		}
	}
	for _, test := range []struct {
		fields, header string
		secret         bool
	}{
		{`{"active":null,"url":null,"events":null,"secret":null}`, "Name: v", true},
		{`{"Header":null,"HEADER":"X: y","Secret":"","Url":"http://other.example"}`, "Name: v", true},
		{`{"header":null}`, "", true},
		{`{"header":null}`, "", true},
		{`{"header":"Other: w","secret":""}`, "Other: w", false},
		{`{"secret":""}`, "Other: w", false},
	} {
		for _, method := range []string{"PUT ", "PATCH "} {
			got := acme.Do(method+path, test.fields).Want(t, 200)
			if header := got.Get(t, "config").(map[string]any)["header"]; header != test.header {
				t.Errorf("%s%s: header %q, want %q", method, test.fields, header, test.header)
			}
			if shown := got.Get(t, "config").(map[string]any)["secret"]; shown != "" {
				t.Errorf("%s%s: secret %q is shown", method, test.fields, shown)
			}
			if url := got.Get(t, "config").(map[string]any)["url"]; url != "http://example.com" {
				t.Errorf("%s%s: url %q", method, test.fields, url)
			}
			if kept := secret() == sealed; kept != test.secret {
				t.Errorf("%s%s: secret kept: %v, want %v", method, test.fields, kept, test.secret)
			}
		}
	}
	created := acme.Do("POST /hooks", `{"url":"http://example.com","header":null,"secret":"","events":null,"Url":"http://other.example"}`).Want(t, 201)
	config := created.Get(t, "config").(map[string]any)
	if config["header"] != "" || config["url"] != "http://example.com" {
		t.Errorf("created %s", created.Body)
	}
}

// TestInvalidSubscriptionHints checks that the hint says how to fix as many of the
// invalid fields as it has room for.
func TestInvalidSubscriptionHints(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	for fields, want := range map[string]string{
		`"url":"ftp://a"`:             "url: send an absolute URL that begins with http:// or https:// and a host",
		`"url":"http://me:pw@a"`:      "url: remove the user name and password from the URL: use header for credentials",
		`"url":"http://a:0"`:          "url: send a port from 1 to 65535, or none",
		`"url":"http://a/ b"`:         "url: remove the white space and control characters from the URL",
		`"Url":"http://a","url":null`: "url: keys are case-sensitive: write url in place of Url",
		`"url":5`:                     "url: send a string with an absolute http or https URL",
		`"url":""`:                    "url: send an absolute http or https URL",
		`"url":"http://0xA9FEA9FE/"`:  "url: this server never delivers to this address: use another host",
		`"header":"nothing"`:          `header: send one string of the form "Name: Value", or null to send no header`,
		`"header":"host: a"`:          `header: the server sets "host" itself: choose another name`,
		`"header":"A: b\n"`:           "header: remove the control characters, such as tabs and line breaks",
		`"active":"true"`:             "active: send true or false, without quotes",
		`"active":true`:               "events: an active subscription needs at least one event, such as *",
		`"events":["a"` + strings.Repeat(`,"`+strings.Repeat("a", 91)+`"`, 91) + `]`: "events: send entries of at most 8,192 bytes together",
		`"events":"a"`:          "events: send a list of at most 100 entries of the form subject, subject:action or *",
		`"secret":[]`:           "secret: send a string of at most 4,096 bytes",
		`"active":1,"secret":1`: "active: send true or false, without quotes; secret: send a string of at most 4,096 bytes",
		`"url":"","events":"a","header":"","secret":1`: "events: send a list of at most 100 entries of the form subject, subject:action or *; header: " +
			`send one string of the form "Name: Value", or null to send no header`,
	} {
		body := "{" + fields
		if !strings.Contains(fields, `"url"`) {
			body += `,"url":"http://example.com"`
		}
		if got := acme.Do("POST /hooks", body+"}").Want(t, 422).Header.Get("X-Understudy-Hint"); got != want {
			t.Errorf("%s: hint %q, want %q", fields, got, want)
		}
	}
}

// TestUndeliverableURLs checks that a URL is refused if its host is written as an
// address that deliveries cannot go to.
func TestUndeliverableURLs(t *testing.T) {
	servertest.Proves(t,
		"Chosen, webhook subscriptions: a URL whose host is a forbidden address is refused",
		"Chosen, webhook subscriptions: --webhook-allow allows private ranges, never link-local and metadata")
	t.Parallel()
	for name, profile := range map[string]struct {
		network          hooks.Network
		loopback, subnet bool // 10.1.0.0/16
	}{
		"local":                    {hooks.Network{AllowPrivate: true}, true, true},
		"uat":                      {hooks.Network{}, false, false},
		"uat with --webhook-allow": {hooks.Network{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("169.254.0.0/16")}}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t, func(o *servertest.Options) { o.Sender = hooks.NewSender(profile.network, hooks.Signature{}) })
			acme := s.Acme()
			path := "/hooks/" + acme.Do("POST /hooks", `{"url":"http://example.com"}`).Want(t, 201).Text(t, "id")
			check := func(allowed bool, hosts ...string) {
				t.Helper()
				for _, host := range hosts {
					body := `{"url":"http://` + host + `:8080/in"}`
					status, want := 201, ""
					if !allowed {
						status, want = 422, `{"url":["is not allowed"]}`
					}
					created := acme.Do("POST /hooks", body)
					if created.Status != status || want != "" && created.Body != want {
						t.Errorf("create %s: response %d %s, want %d %s", host, created.Status, created.Body, status, want)
					}
					if got := acme.Do("PATCH "+path, body); (got.Status == 422) == allowed {
						t.Errorf("update %s: response %d %s", host, got.Status, got.Body)
					}
				}
			}
			check(true, "example.com", "127.example.com", "localhost", "93.184.216.34", "[2606:2800:220:1::1]", "metadata.google.internal")
			check(profile.loopback, "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.",
				"[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "192.168.1.1", "172.16.0.1", "10.2.0.1", "[fd12:3456::1]", "１２７.0.0.1")
			check(profile.subnet, "10.1.2.3", "0x0a010203", "[::ffff:10.1.2.3]")
			check(false, "169.254.169.254", "169.254.0.1", "2852039166", "0xA9FEA9FE", "0251.0376.0251.0376", "169.254.43518", "[::ffff:a9fe:a9fe]", "[::ffff:169.254.169.254]",
				"[fe80::1]", "[fe80::1%25eth0]", "[fd00:ec2::254]", "100.100.100.200", "168.63.129.16", "0.0.0.0", "0", "[::]", "224.0.0.1", "[ff02::1]", "255.255.255.255",
				"[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "[::169.254.169.254]", "１６９.254.169.254")
		})
	}
}

// TestInwardHostsAreRefused checks that the profile uat refuses each inward address, in
// each notation, as a subscription's URL, and no public one.
func TestInwardHostsAreRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, webhook subscriptions: a URL whose host is a forbidden address is refused")
	s := servertest.New(t, func(o *servertest.Options) { o.Sender = hooks.NewSender(hooks.Network{}, hooks.Signature{}) })
	acme := s.Acme()
	text, err := os.ReadFile("delivery/testdata/refused_hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for host := range strings.Lines(string(text)) {
		host = strings.TrimSpace(host)
		if host == "" || host[0] == '#' {
			continue
		}
		refused++
		const want = `{"url":["is not allowed"]}`
		if got := acme.Do("POST /hooks", `{"url":"https://`+host+`/in"}`); got.Status != 422 || got.Body != want {
			t.Errorf("%s: response %d %s, want 422 %s", host, got.Status, got.Body, want)
		}
	}
	if refused < 119 {
		t.Errorf("%d hosts, want at least 119", refused)
	}
	for _, host := range []string{"8.8.8.8", "134744072", "[2001:4860:4860::8888]", "[64:ff9b::8.8.8.8]", "[::ffff:8.8.8.8]", "example.com", "example.com."} {
		acme.Do("POST /hooks", `{"url":"https://`+host+`/in"}`).Want(t, http.StatusCreated)
	}
	for _, host := range []string{"999.1.1.1", "1.2.3.4.5", "08.8.8.8", "256.256.256.256", "[::g]", "1..2"} {
		acme.Do("POST /hooks", `{"url":"https://`+host+`/in"}`).Want(t, http.StatusUnprocessableEntity, `{"url":["is invalid"]}`)
	}
}
