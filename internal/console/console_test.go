package console_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/console"
	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/control"
	"understudy.example/internal/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// TestFormShowsRefusalAndResult checks both ends of a form: a refused call shows its
// reason and keeps what was entered, a successful one shows its response.
func TestFormShowsRefusalAndResult(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tab := consoletest.Open(t, s)
	tab.Go("/")
	tab.Click("#tenants summary")
	tab.Expect("status of 400")
	tab.Fill("#name", "<b>no name</b>")
	tab.Click("#create-tenant button")
	tab.AwaitText("#notice", "want 1 to 63 lower-case letters")
	var kept string
	tab.Eval(`() => document.querySelector('#name').value`, &kept)
	if kept != "<b>no name</b>" {
		t.Errorf("the field has %q, want what was entered", kept)
	}
	tab.Fill("#name", "new-tenant")
	tab.Click("#create-tenant button")
	tab.AwaitText("#result", "Tenant new-tenant created")
	tab.Inspect("created")
	if got := tab.Path(); got != "/" {
		t.Errorf("the page is %s, want /", got)
	}
	s.Control("GET /tenants/new-tenant", "").Want(t, http.StatusOK)
}

// TestFormWithoutScript checks that forms work in a browser without scripts.
func TestFormWithoutScript(t *testing.T) {
	s := servertest.New(t)
	post := func(name string) servertest.Response {
		return s.DoWith(http.DefaultClient, servertest.Call{
			Line: "POST " + origin(s) + "/call/tenants", Body: "name=" + name + "&_show=overview",
			Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Referer": origin(s) + "/?a=b"},
		})
	}
	if refused := post("No"); refused.Status != http.StatusBadRequest || !strings.Contains(refused.Body, "<h1>name: want 1 to 63") {
		t.Errorf("refused: %d %s", refused.Status, refused.Body)
	}
	if created := post("yes"); created.Status != http.StatusOK || !strings.Contains(created.Body, "Tenant yes created") || !strings.Contains(created.Body, `href="/?a=b">Back`) {
		t.Errorf("created: %d %s", created.Status, created.Body)
	}
}

// TestFormsOfOtherSitesAreRefused checks that a page of another site can neither use the
// console's forms nor its session.
func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	s := servertest.New(t)
	for name, header := range map[string]map[string]string{
		"cross-site": {"Sec-Fetch-Site": "cross-site"},
		"same-site":  {"Sec-Fetch-Site": "same-site"},
		"origin":     {"Origin": "https://elsewhere.example"},
	} {
		header["Content-Type"] = "application/x-www-form-urlencoded"
		response := s.DoWith(http.DefaultClient, servertest.Call{Line: "POST " + origin(s) + "/call/tenants", Body: "name=taken", Header: header})
		if response.Status != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, response.Status, response.Body)
		}
	}
	rebound := httptest.NewRequest(http.MethodPost, "http://elsewhere.example/call/tenants", strings.NewReader("name=taken"))
	rebound.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response := httptest.NewRecorder()
	s.App.Control(&url.URL{}).ServeHTTP(response, rebound)
	if response.Code != http.StatusForbidden {
		t.Errorf("DNS rebinding: %d %s", response.Code, response.Body)
	}
	s.Control("GET /tenants/taken", "").Want(t, http.StatusNotFound)
}

// TestFormsAreRefusedBeforeTheyAreRead checks that a form without a session, or of another
// site, is refused although its body never arrives.
func TestFormsAreRefusedBeforeTheyAreRead(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Access = control.Access{Tokens: []control.Token{{Name: "ops", Value: "a-control-token-of-32-characters"}}}
	})
	for name, header := range map[string]string{"no session": "", "another site": "Sec-Fetch-Site: cross-site\r\n"} {
		for _, path := range []string{"/call/tenants", "/tenants/acme/submissions/" + servertest.Absent} {
			connection, err := net.Dial("tcp", strings.TrimPrefix(origin(s), "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000\r\n%s\r\na=", path, header)
			status, err := bufio.NewReader(connection).ReadString('\n')
			if err != nil || !strings.Contains(status, " 403 ") && !strings.Contains(status, " 303 ") {
				t.Errorf("%s, %s: %q, %v", name, path, status, err)
			}
		}
	}
}

// TestLargeFormsAreLimited checks that the memory for large forms is limited, including
// forms for signing in, that a form which gets memory makes its call, and that the
// memory is released.
func TestLargeFormsAreLimited(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Bodies.Budget = api.NewBodyBudget(32<<20, 1<<20, 10*time.Millisecond)
		o.Transfers.Stall = 5 * time.Minute
	})
	send := func(path string, size int) servertest.Response {
		return s.DoWith(http.DefaultClient, servertest.Call{
			Line: "POST " + origin(s) + path, Body: "name=taken&_next=" + strings.Repeat("x", size), Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		})
	}
	for _, path := range []string{"/call/tenants", "/tenants/acme/submissions/" + servertest.Absent, "/sign-in"} {
		const size = 50_000
		connection, err := net.Dial("tcp", strings.TrimPrefix(origin(s), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\na=%s", path, size, strings.Repeat("x", size-3))
		servertest.Until(t, path+" reserves memory", func() bool { return s.App.Bodies.Budget.Used() == 2*size })
		connection.Close()
		servertest.Until(t, path+" releases memory", func() bool { return s.App.Bodies.Budget.Used() == 0 })
	}
	var rooms []*api.Room
	for range 2 { // one of them in the memory for medium bodies
		room, err := s.App.Bodies.Budget.Reserve(t.Context(), uuid.Nil, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		rooms = append(rooms, room)
	}
	if refused := send("/call/tenants", 900_000); refused.Status != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" || !strings.Contains(refused.Body, "Too many large forms") {
		t.Errorf("beyond the limit: %d %.300s", refused.Status, refused.Body)
	}
	for _, room := range rooms {
		room.Release()
	}
	send("/call/tenants", 900_000)
	s.Control("GET /tenants/taken", "").Want(t, http.StatusOK)
	if used := s.App.Bodies.Budget.Used(); used != 0 {
		t.Errorf("%d bytes are still reserved", used)
	}
}

// TestSignIn checks that a server with control tokens shows nothing before one is given.
func TestSignIn(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Access = control.Access{Tokens: []control.Token{{Name: "ops", Value: "a-control-token-of-32-characters"}}}
	})
	tab := consoletest.Open(t, s)
	tab.Go("/?tenant=acme")
	if got := tab.Path(); got != "/sign-in?next=%2F%3Ftenant%3Dacme" {
		t.Fatalf("the page is %s, want the one for signing in", got)
	}
	tab.Inspect("sign-in")
	tab.Expect("status of 401")
	tab.Fill("#token", "wrong")
	tab.Click("form button")
	tab.AwaitText("#wrong", "not a control token")
	tab.Fill("#token", "a-control-token-of-32-characters")
	tab.Click("form button")
	tab.AwaitText("h1", "Overview")
	if got := tab.Path(); got != "/?tenant=acme" {
		t.Errorf("the page is %s, want the one that was asked for", got)
	}
	tab.Click(".bar-end form button")
	tab.AwaitText("h1", "Sign in")
	tab.Go("/")
	tab.AwaitText("h1", "Sign in")

	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r, err := http.NewRequest(method, origin(s)+"/sign-in", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "evil.example" // a name that leads to this server, as a page of another site can have
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s /sign-in of another host: %d, want 403", method, response.StatusCode)
		}
	}
}

// TestSessionsAreNotForged checks that only the cookie that the server has set is valid,
// and that it does not contain the token.
func TestSessionsAreNotForged(t *testing.T) {
	const token = "a-control-token-of-32-characters"
	s := servertest.New(t, func(o *servertest.Options) {
		o.Access = control.Access{Tokens: []control.Token{{Name: "ops", Value: token}}}
	})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(path, cookie string) servertest.Response {
		return s.DoWith(client, servertest.Call{Line: "GET " + origin(s) + path, Header: map[string]string{"Cookie": cookie, "Accept": "text/html"}})
	}
	signed := s.DoWith(client, servertest.Call{
		Line: "POST " + origin(s) + "/sign-in", Body: "token=" + token + "&next=//elsewhere.example",
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	})
	set := signed.Header.Get("Set-Cookie")
	cookie, attributes, _ := strings.Cut(set, ";")
	if signed.Status != http.StatusSeeOther || signed.Header.Get("Location") != "/" || strings.Contains(set, token) ||
		!strings.Contains(attributes, "HttpOnly") || !strings.Contains(attributes, "SameSite=Strict") {
		t.Fatalf("sign-in: %d, header %v", signed.Status, signed.Header)
	}
	for _, path := range []string{"/", "/live?tenant=acme", "/call/tenants"} {
		if path != "/live?tenant=acme" { // which does not end
			get(path, cookie).Want(t, http.StatusOK)
		}
		for _, forged := range []string{"", cookie + "0", strings.Replace(cookie, ".1", ".2", 1), "understudy_session=" + token} {
			if got := get(path, forged); got.Status == http.StatusOK {
				t.Errorf("%s with the cookie %q: %d", path, forged, got.Status)
			}
		}
	}
	// the control API itself does not take the cookie
	get("/control/v1/tenants", cookie).Want(t, http.StatusUnauthorized)
}

// TestLiveEvents checks that a page is told to load what it may have missed, then of what
// happens to its tenant, and that it needs a tenant.
func TestLiveEvents(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	open := func() *bufio.Reader {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin(s)+"/live?tenant=acme", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%d, header %v", response.StatusCode, response.Header)
		}
		lines := bufio.NewReader(response.Body)
		want(t, lines, "event: live-submission")
		want(t, lines, "event: live-call")
		want(t, lines, "event: live-delivery")
		return lines
	}
	first, second := open(), open()
	s.Globex().Submit("other.txt", servertest.Letter)
	s.Acme().Submit("letter.txt", servertest.Letter)
	want(t, first, "event: live-call")
	want(t, first, "event: live-submission")
	want(t, second, "event: live-submission")
	s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + "/live?tenant=unknown"}).Want(t, http.StatusNotFound)
}

// want reads lines until one is the given one.
func want(t *testing.T, lines *bufio.Reader, wanted string) {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no line %q: %v", wanted, err)
		}
		if strings.TrimSpace(line) == wanted {
			return
		}
	}
}

// TestEveryPageIsProtected checks the headers of pages, files and errors.
func TestEveryPageIsProtected(t *testing.T) {
	s := servertest.New(t)
	for _, path := range []string{"/", "/sign-in", "/tenants/unknown/submissions", "/nothing", "/call/tenants"} {
		response := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + path, Header: map[string]string{"Accept": "text/html"}})
		if got := response.Header.Get("Content-Security-Policy"); got != console.ContentSecurityPolicy || response.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: header %v", path, response.Header)
		}
	}
}

// origin returns the base URL of the server's console.
func origin(s *servertest.Server) string { return strings.TrimSuffix(s.ControlURL, "/control/v1") }

// TestSignInOfLongURL checks that the response to a visitor without a session is small,
// because proxies limit the size of headers.
func TestSignInOfLongURL(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Access = control.Access{Tokens: []control.Token{{Name: "ops", Value: "a-control-token-of-32-characters"}}}
	})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for query, want := range map[string]string{"a%20b": "/sign-in?next=%2F%3Fa%2520b", strings.Repeat("%22", 2000): "/sign-in?next=%2F"} {
		got := s.DoWith(client, servertest.Call{Line: "GET " + origin(s) + "/?" + query}).Want(t, http.StatusSeeOther)
		if to := got.Header.Get("Location"); to != want {
			t.Errorf("redirected to %.100s, want %s", to, want)
		}
	}
}
