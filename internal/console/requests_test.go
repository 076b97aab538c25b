package console_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// TestFindAndCopyRequest finds the request of a call with the filters, opens it and
// copies it.
func TestFindAndCopyRequest(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	for range 60 {
		tenant.Do("GET /hooks", "").Want(t, http.StatusOK)
	}
	tenant.Fault(`{"route":"POST /company/v1/company_submit","status":503,"body":{"message":"busy"},"times":1}`)
	tenant.DoUnchecked(servertest.SubmitCompany, `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street"}`).Want(t, http.StatusServiceUnavailable)
	wrong := s.Do(servertest.Call{
		Line: servertest.SubmitCompany, Token: tenant.Token, Key: tenant.Key, Header: map[string]string{"Content-Type": "text/plain"}, Body: `{"company_name":1}`,
	}).Want(t, http.StatusBadRequest)

	tab := consoletest.Open(t, s)
	list := "/tenants/" + tenant.Name + "/requests"
	tab.Go(list)
	tab.Inspect("list")
	tab.Click(".older a")
	tab.AwaitText("main", "/auth/token")
	tab.Go(list)
	tab.Fill("#q", "company_submit")
	tab.Fill("#status", "4xx")
	tab.Click("form[role=search] button")
	tab.AwaitTrue(`() => document.querySelectorAll('#calls tbody tr').length === 1`)
	if path := tab.Path(); !strings.Contains(path, "q=company_submit") || !strings.Contains(path, "status=4xx") {
		t.Errorf("the URL %s does not have the filters", path)
	}
	tab.Click("#calls tbody a")
	tab.AwaitText("h1", "POST /company/v1/company_submit")
	tab.AwaitText("main", wrong.Header.Get("X-Understudy-Hint"))
	tab.AwaitText("main", "Send Content-Type: application/json with each JSON body")
	tab.AwaitText("main", "UNDERSTUDY_API_KEY")
	tab.Inspect("request")
	tab.Eval(`() => Object.defineProperty(navigator, 'clipboard', {value: {writeText: text => { window.copiedText = text; return Promise.resolve(); }}})`, nil)
	tab.Click(".snippet button.copy")
	tab.AwaitTrue(`() => window.copiedText?.startsWith('curl ') && window.copiedText.includes('"$UNDERSTUDY_TOKEN"')`)
	tab.AwaitText("#notice", "Copied")

	tab.Go(list + "?status=503")
	tab.Click("#calls tbody a")
	tab.AwaitText("main", "Used up: no more calls of POST /company/v1/company_submit")
}

// TestRequestsAreLive checks that a call appears on a page that is open.
func TestRequestsAreLive(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/" + tenant.Name + "/requests")
	tab.AwaitText("#calls", "/auth/token")
	awaitCall(t, tenant, tab)
}

// awaitCall makes a call and waits until it appears on the page.
func awaitCall(t *testing.T, tenant *servertest.Tenant, tab *consoletest.Tab) {
	t.Helper()
	tenant.Do("GET /hooks?appears=now", "").Want(t, http.StatusOK)
	tab.AwaitText("#calls", "appears=now")
}

// TestPageIsLiveAfterALateScript checks that a page is live if the script that connects it
// arrives long after the others.
func TestPageIsLiveAfterALateScript(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	tab := consoletest.Open(t, s)
	release := tab.Hold("/tenants/"+tenant.Name+"/requests", "hx-sse.js")
	tab.AwaitTrue(`() => {
		if (window.htmx && window.timersHaveRun === undefined) {
			window.timersHaveRun = false;
			setTimeout(() => { window.timersHaveRun = true; });
		}
		return window.timersHaveRun === true;
	}`)
	release()
	awaitCall(t, tenant, tab)
}

// TestHiddenPageLetsGo checks that a page which is hidden ends its stream, since browsers
// allow six connections to a host, and that it shows what it has missed when it is shown
// again.
func TestHiddenPageLetsGo(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/" + tenant.Name + "/requests")
	awaitCall(t, tenant, tab)
	show := func(hidden bool) {
		tab.Eval(`hidden => {
			Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
			document.dispatchEvent(new Event('visibilitychange'));
		}`, nil, hidden)
	}
	show(true)
	// The browser lists a response once it has ended.
	tab.AwaitTrue(`() => performance.getEntriesByType('resource').some(e => e.name.includes('/live'))`)
	tenant.Do("GET /hooks?appears=later", "").Want(t, http.StatusOK)
	show(false)
	tab.AwaitText("#calls", "appears=later")
}

// TestRequestLinksItsOutcome checks that the page of a call shows which outcome determined
// the response, with a link to it.
func TestRequestLinksItsOutcome(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	for _, match := range []string{`{"company_name":"<b>Foxglove</b> Bakery"}`, `{"filename":"a.txt"}`} {
		tenant.Control("PUT /outcomes", `{"match":`+match+`,"facts":{"website":"https://foxglove.example"}}`).Want(t, http.StatusOK)
	}
	call := tenant.Do(servertest.SubmitCompany, `{"company_name":"<B>FOXGLOVE</B> BAKERY","address":"12 Mill Street"}`).Want(t, http.StatusOK)
	page := func(path string) string {
		return s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + "/tenants/" + tenant.Name + path}).Want(t, http.StatusOK).Body
	}
	shown := page("/requests/" + call.Header.Get("X-Request-Id"))
	if strings.Contains(shown, "/submissions/") {
		t.Error("the page links a submission, but a company has none")
	}
	_, link, _ := strings.Cut(shown, "/control?view=outcomes#")
	id, text, _ := strings.Cut(link, `">`)
	if !strings.HasPrefix(text, "outcome for the company &lt;b&gt;Foxglove&lt;/b&gt; Bakery</a>") {
		t.Fatalf("the link is %.100s", link)
	}
	if outcomes := page("/control?view=outcomes"); strings.Count(outcomes, `id="`+id+`"`) != 1 {
		t.Errorf("the outcomes have no id %q", id)
	}
}
