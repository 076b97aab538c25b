package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// markupOf returns a text that runs a script, and makes an element of the class foreign, if
// a page shows it as markup. It is different for each field.
func markupOf(field string) string {
	return `<img src=x onerror=document.title='broken'><i class=foreign>` + field
}

// markupInURL returns such a text that a URL can contain.
func markupInURL(field string) string { return `<i/class=foreign>` + field }

// wantText checks that the page shows the texts, also in form fields and folded parts,
// and that no part of them became markup.
func wantText(t *testing.T, tab *consoletest.Tab, texts ...string) {
	t.Helper()
	var found struct {
		Missing []string
		Foreign []string
	}
	tab.Eval(`(...texts) => {
		const fields = [...document.querySelectorAll('input, textarea, option, [aria-label], [title], [data-copy]')];
		const shown = [document.documentElement.textContent, ...fields.map(e => [e.value, e.title, e.ariaLabel, e.dataset.copy].join('\n'))].join('\n');
		const foreign = document.querySelectorAll('.foreign, [onerror], img[src=x], script:not([src])');
		return {
			missing: texts.filter(text => !shown.includes(text)),
			foreign: [...foreign].map(e => e.outerHTML).concat(document.title === 'broken' ? ['a script ran'] : []),
		};
	}`, &found, anys(texts)...)
	if len(found.Missing)+len(found.Foreign) > 0 {
		t.Errorf("%s: missing %q, markup %q", tab.Path(), found.Missing, found.Foreign)
	}
}

func anys(texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	return values
}

// TestMarkupIsTextOnEveryPage puts markup into every field that a client or a receiver
// controls and that can contain it, and checks that every page shows it as text.
func TestMarkupIsTextOnEveryPage(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Markup", markupOf("response header"))
		http.Error(w, markupOf("response body"), http.StatusTeapot)
	})
	hook := tenant.Control("POST /hooks", `{"name":"`+markupOf("hook name")+`","url":"`+receiver.URL+`/?a=`+markupInURL("url")+
		`","events":["*"],"header":"X-Key: `+markupOf("hook header")+`","active":true}`).Want(t, http.StatusCreated).Text(t, "id")
	tenant.Control("POST /events", `{"event":"quote_request:made","data":{"tx_id":"`+markupOf("event tx_id")+`","a":"`+markupOf("event data")+`"}}`).Want(t, http.StatusOK)
	servertest.Until(t, "the delivery has failed", func() bool {
		return strings.Contains(tenant.Control("GET /deliveries", "").Want(t, http.StatusOK).Body, "response body")
	})
	delivery := tenant.Control("GET /deliveries", "").Want(t, http.StatusOK).Get(t, "deliveries").([]any)[0].(map[string]any)["request_id"].(string)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"`+markupOf("outcome file")+`","company_name":"`+markupOf("outcome company")+
		`"},"status":"Completed","facts":{"company_name":"`+markupOf("outcome fact")+`"}}`).Want(t, http.StatusOK)
	tenant.Control("POST /faults", `{"route":"GET /hooks/{hook_id}","status":503,"body":{"a":"`+markupOf("fault body")+`"},"seed":"`+markupOf("seed")+`"}`).Want(t, http.StatusCreated)

	name := markupOf("file name") + ".txt"
	tenant.Control("PUT /outcomes", `{"match":{"filename":"*name.txt"},"facts":{"company_name":"`+markupOf("company")+`"},"locations":[{"location_city":"`+markupOf("city")+`"}]}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile(name, []byte("Named Insured: "+markupOf("insured")+"\n"+markupOf("line")+"\n"))
	tenant.AwaitEnd(txID)

	faulty := tenant.DoUnchecked("GET /hooks/"+servertest.Absent+"?"+url.Values{"a": {markupOf("query")}}.Encode(), "").Want(t, http.StatusServiceUnavailable)
	headers := s.Do(servertest.Call{Line: "GET /hooks", Token: tenant.Token, Header: map[string]string{"X-Markup": markupOf("request header"), "User-Agent": markupOf("user agent")}}).Want(t, http.StatusOK)
	company := tenant.Do(servertest.SubmitCompany, `{"company_name":"`+markupOf("submitted company")+`","address":"1"}`).Want(t, http.StatusOK)
	contentType, form := servertest.Form(t, servertest.Part{Name: markupOf("part"), Filename: markupOf("part file"), Content: []byte("a")})
	parts := s.Do(servertest.Call{
		Line: "POST /universal/v3/universal-submit/file", Token: tenant.Token, Key: tenant.Key, Header: map[string]string{"Content-Type": contentType}, Body: form,
	}).Want(t, http.StatusBadRequest)
	unknown := s.Do(servertest.Call{Line: "GET /" + url.PathEscape(markupOf("path")), Header: map[string]string{"X-Markup": markupOf("unknown header")}}).Want(t, http.StatusForbidden)
	id := func(r servertest.Response) string { return r.Header.Get("X-Request-Id") }

	tab := consoletest.Open(t, s)
	own, given := "/tenants/"+tenant.Name, url.QueryEscape(markupOf("query"))
	for _, page := range []struct {
		path  string
		texts []string
	}{
		{"/?tenant=" + tenant.Name, nil},
		{"/?tenant=" + tenant.Name + "&kind=delivery", []string{markupInURL("url")}},
		{"/?tenant=" + tenant.Name + "&kind=state", []string{name}},
		{"/?tenant=" + tenant.Name + "&window=" + given + "&kind=" + given, nil},
		{"/?q=" + given, []string{markupOf("query")}},
		{"/?tenant=" + given, []string{markupOf("query")}},
		{own + "/submissions", []string{name, markupOf("company")}},
		{own + "/submissions?q=" + given, []string{markupOf("query")}},
		{own + "/submissions/" + txID, []string{name, markupOf("company"), markupOf("line"), markupOf("city")}},
		{own + "/submissions/" + txID + "?edit=1", []string{name, markupOf("company"), markupOf("city")}},
		{own + "/submissions/" + url.PathEscape(markupOf("tx")), nil},
		{own + "/webhooks", []string{markupOf("hook name"), markupInURL("url")}},
		{own + "/webhooks?event=" + given + "&tx_id=" + given, []string{markupOf("query")}},
		{own + "/webhooks?view=test", []string{markupInURL("url")}},
		{own + "/webhooks/" + hook, []string{markupOf("hook name"), markupInURL("url")}},
		{own + "/deliveries/" + delivery, []string{
			markupInURL("url"), markupOf("hook header"), markupOf("event tx_id"), markupOf("event data"), markupOf("response header"), markupOf("response body"),
		}},
		{own + "/requests", []string{"company_submit"}},
		{own + "/requests?q=" + given + "&client_id=" + given + "&tx_id=" + given, []string{markupOf("query")}},
		{own + "/requests?status=" + given, []string{"status: invalid value"}},
		{own + "/requests/" + id(faulty), []string{markupOf("fault body")}},
		{own + "/requests/" + id(headers), []string{markupOf("request header"), markupOf("user agent")}},
		{own + "/requests/" + id(company), []string{markupOf("submitted company")}},
		{own + "/requests/" + id(parts), []string{markupOf("part"), markupOf("part file")}},
		{"/requests", []string{"foreign"}},
		{"/requests/" + id(unknown) + "?tenant=" + tenant.Name, []string{markupOf("unknown header")}},
		{own + "/control?view=" + given, nil},
		{own + "/control?view=outcomes", []string{markupOf("outcome file"), markupOf("outcome company"), markupOf("outcome fact")}},
		{own + "/control?view=faults&route=" + given + "&delay=" + given + "&seed=" + given, []string{markupOf("query")}},
		{own + "/control?view=faults&delivery=" + given + "&expires=" + given, []string{markupOf("query")}},
		{own + "/control?view=clients", nil},
		{own + "/control?view=tenant", nil},
		{"/tenants/" + url.PathEscape(markupOf("tenant")) + "/control", []string{markupOf("tenant")}},
		{"/docs?tenant=" + given, []string{markupOf("query")}},
		{"/" + url.PathEscape(markupOf("path")), nil},
	} {
		tab.Expect("status of 40")
		tab.Go(page.path)
		wantText(t, tab, page.texts...)
	}
	tab.Go(own + "/requests/" + id(parts))
	tab.Inspect("markup")
}

// TestMarkupInResultsIsText checks the same for the texts that forms show after their
// call: errors that repeat a value, and results.
func TestMarkupInResultsIsText(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	own := "/tenants/" + tenant.Name
	tab := consoletest.Open(t, s)
	tab.Expect("status of 400")
	tab.Expect("status of 422")
	tab.Go(own + "/control?view=faults")
	tab.Fill("#c-route", markupOf("route"))
	tab.Click("#call-fault button")
	tab.AwaitText("#notice", "unknown route")
	wantText(t, tab, `unknown route "`+markupOf("route"))

	tab.Go(own + "/control?view=tenant")
	tab.Fill("#configuration", `{"`+markupOf("section")+`":[]}`)
	tab.Click("form:has(#configuration) [type=checkbox]")
	tab.Click("form:has(#configuration) button")
	tab.AwaitText("#notice", "unknown field")
	wantText(t, tab, `unknown field "`+markupOf("section"))

	tab.Go(own + "/webhooks")
	tab.Fill("#h-url", markupOf("url"))
	tab.Fill("#h-events", markupOf("event"))
	tab.Click("form.card button")
	tab.AwaitText("#notice", "url: is invalid")
	wantText(t, tab)

	tab.Go(own + "/webhooks?view=test")
	tab.Fill("#s-body", markupOf("body"))
	tab.Fill("#s-header", markupOf("header"))
	tab.Fill("#s-secret", markupOf("secret"))
	tab.Click("form[action$='/signature'] button")
	tab.AwaitText("#result", "The signature is not valid")
	wantText(t, tab, markupOf("body"))
}

// TestFieldsWithoutMarkup checks that the control API refuses markup in the fields for which
// the pages need no test: nothing can store it there.
func TestFieldsWithoutMarkup(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	given := markupOf("name")
	s.Unchanged(t, func() {
		for line, body := range map[string]string{
			"POST /events":                    `{"event":"quote_request:` + given + `"}`,
			"POST /hooks":                     `{"url":"http://127.0.0.1:9/","events":["` + given + `"]}`,
			"PUT /hooks/" + servertest.Absent: `{"header":"` + given + `: v"}`,
			"POST /faults":                    `{"delivery":"` + given + `","drop":true}`,
			"PUT /outcomes":                   `{"match":{"filename":"a"},"status":"` + given + `"}`,
			"POST /clients":                   `{"client_id":"` + given + `"}`,
			"POST /packages":                  `{"id":"` + given + `","kind":"company"}`,
			"PATCH /settings":                 `{"pacing":{"mode":"timed","started":"` + given + `"}}`,
		} {
			if refused := tenant.Control(line, body); refused.Status < 400 || refused.Status >= 500 {
				t.Errorf("%s %s: %d %s", line, body, refused.Status, refused.Body)
			}
		}
		if refused := s.Control("POST /tenants", `{"name":"`+given+`"}`); refused.Status != http.StatusBadRequest {
			t.Errorf("a tenant's name: %d %s", refused.Status, refused.Body)
		}
	})
}
