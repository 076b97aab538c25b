package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
)

// TestControlRefusals holds the answer to each mistake: 400 names the field.
func TestControlRefusals(t *testing.T) {
	w := newControlWorld(t)
	w.control("POST /tenants", `{"name":"taken"}`).want(t, http.StatusCreated)
	for _, test := range []struct {
		line, body string
		status     int
		message    string
	}{
		{"POST /tenants", `{"nam":"x"}`, 400, `unknown field "nam"`},
		{"POST /tenants", `{"name":"Upper"}`, 400, `name: `},
		{"POST /tenants", `{"name":""}`, 400, `name: `},
		{"POST /tenants", `{"name":7}`, 400, `name: `},
		{"POST /tenants", `{"name":"taken"}`, 409, `name: there is a tenant "taken" already`},
		{"POST /tenants", `{"permissions":"all"}`, 400, `permissions: `},
		{"POST /tenants", `{"permissions":["::data/v9:get"]}`, 400, `permissions: there is no "::data/v9:get"`},
		{"POST /tenants", `{"settings":[]}`, 400, `settings: `},
		{"POST /tenants", `{"settings":{"pace":{}}}`, 400, `unknown field "settings.pace"`},
		{"POST /tenants", `{"settings":{"pacing":{"mode":"slow"}}}`, 400, `settings.pacing.mode: `},
		{"POST /tenants", `[]`, 400, `Invalid request body`},
		{"POST /tenants", `{"name":"x","name":"y"}`, 400, `Invalid request body`},
		{"POST /tenants", `{"name":"` + strings.Repeat("x", 1<<20) + `"}`, 413, `Request Too Long`},
		{"GET /tenants/nobody", ``, 404, `Tenant not found`},
		{"DELETE /tenants/nobody", ``, 404, `Tenant not found`},
		{"POST /tenants/nobody/reset", ``, 404, `Tenant not found`},
		{"POST /tenants/taken/reset", `{"settings":true}`, 400, `unknown field "settings"`},
		{"PATCH /tenants/nobody/settings", `{}`, 404, `Tenant not found`},
		{"PATCH /tenants/taken/settings", `{"rate":1}`, 400, `unknown field "rate"`},
		{"PATCH /tenants/taken/settings", `{"rate_limit":-1}`, 400, `rate_limit: `},
		{"PATCH /tenants/taken/settings", `{"rate_limit":"1"}`, 400, `rate_limit: `},
		{"PATCH /tenants/taken/settings", `{"status_vocabulary":"both"}`, 400, `status_vocabulary: want processing or polling`},
		{"PATCH /tenants/taken/settings", `{"trailing_whitespace":"yes"}`, 400, `trailing_whitespace: `},
		{"PATCH /tenants/taken/settings", `{"webhooks":"drop"}`, 400, `webhooks: `},
		{"PATCH /tenants/taken/settings", `{"pacing":"immediate"}`, 400, `pacing: want an object`},
		{"PATCH /tenants/taken/settings", `{"pacing":{}}`, 400, `pacing.mode: `},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","queued":"1s"}}`, 400, `unknown field "pacing.queued"`},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","started":"soon"}}`, 400, `pacing.started: `},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","started":"-1s"}}`, 400, `pacing.started: `},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","per_state":1}}`, 400, `pacing.per_state: only the mode polls has it`},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"immediate","started":"1s"}}`, 400, `pacing.started: only the mode timed has it`},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"polls","per_state":0}}`, 400, `pacing.per_state: `},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"polls","per_state":1.5}}`, 400, `pacing.per_state: `},
		{"GET /tenants/nobody/clock", ``, 404, `Tenant not found`},
		{"POST /tenants/taken/clock", ``, 400, `advance: `},
		{"POST /tenants/taken/clock", `{"advance":"0s"}`, 400, `advance: `},
		{"POST /tenants/taken/clock", `{"advance":"-1h"}`, 400, `advance: `},
		{"POST /tenants/taken/clock", `{"advance":"tomorrow"}`, 400, `advance: `},
		{"POST /tenants/taken/clock", `{"advance":12}`, 400, `advance: `},
		{"POST /tenants/taken/clock", `{"advance":"9999d"}`, 400, `advance: `},
		{"POST /tenants/taken/clock", `{"advance":"1h","to":"x"}`, 400, `unknown field "to"`},
		{"PUT /tenants/taken/outcomes", `{}`, 400, `match is required`},
		{"PUT /tenants/taken/outcomes", `{"match":{}}`, 400, `match: `},
		{"PUT /tenants/taken/outcomes", `{"match":{"file":"x"}}`, 400, `unknown field "match.file"`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":" "}}`, 400, `match.filename: `},
		{"PUT /tenants/taken/outcomes", `{"match":{"sha256":"abc"}}`, 400, `match.sha256: `},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"status":"Succeeded"}`, 400, `status: want Completed or Failed or Review_required`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"company_nam":"x"}}`, 400, `unknown field "facts.company_nam"`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"broker_name":"x"}}`, 400, `unknown field "facts.broker_name"`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"company_id":"x"}}`, 400, `unknown field "facts.company_id"`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"company_name":7}}`, 400, `facts.company_name: want a string`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"company_name":null}}`, 400, `facts.company_name: want a string`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"year_in_business":1.5}}`, 400, `facts.year_in_business: want an integer`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"dba_aka":"x"}}`, 400, `facts.dba_aka: want an array of strings`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"facts":{"primary_naics_2012":["311812"]}}`, 400, `facts.primary_naics_2012: want an array of {"code", "desc"}`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"options":{"company_name":"x"}}`, 400, `unknown field "options.company_name"`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"locations":{}}`, 400, `locations: `},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"locations":[{"city":"x"}]}`, 400, `unknown field "locations[0].city"`},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"after":"later"}`, 400, `after: `},
		{"PUT /tenants/taken/outcomes", `{"match":{"filename":"*"},"status":"Failed","facts":{}}`, 400, `status: `},
		{"GET /tenants/taken/transactions?status=Done", ``, 400, `status: `},
		{"GET /tenants/taken/transactions?limit=0", ``, 400, `limit: `},
		{"GET /tenants/taken/transactions/x", ``, 404, `Transaction not found`},
		{"GET /tenants/nobody/transactions", ``, 404, `Tenant not found`},
	} {
		got := w.control(test.line, test.body)
		if got.Status != test.status || !strings.Contains(got.text(t, "message"), test.message) {
			t.Errorf("%s %.200s: answer %d %.300s, want %d %s", test.line, test.body, got.Status, got.Body, test.status, test.message)
		}
	}
	wrong := w.controlCall(t, http.DefaultClient, "PUT /tenants", `{}`, nil).want(t, http.StatusMethodNotAllowed, `{"message":"Method Not Allowed"}`)
	if allow := wrong.Header.Get("Allow"); allow != "GET, POST" {
		t.Errorf("Allow %q", allow)
	}
	// What was refused changed nothing.
	taken := w.control("GET /tenants/taken", "").want(t, http.StatusOK)
	if taken.text(t, "settings", "pacing", "mode") != "timed" || taken.get(t, "counts", "outcomes") != 0.0 {
		t.Errorf("tenant %s", taken.Body)
	}
}

// TestTenant is a tenant's life: made, used, reset, deleted.
func TestTenant(t *testing.T) {
	w := newControlWorld(t)
	made := w.control("POST /tenants", `{"name":"harbour","permissions":["::company/v1/company_submit:post"]}`).want(t, http.StatusCreated)
	if made.text(t, "company_package_id") != "harbour-us-c0001" || made.text(t, "location_package_id") != "harbour-us-l0001" {
		t.Errorf("tenant %s", made.Body)
	}
	shown := w.control("GET /tenants/harbour", "").want(t, http.StatusOK)
	for _, secret := range []string{made.text(t, "client_secret"), made.text(t, "api_key")} {
		if strings.Contains(shown.Body, secret) {
			t.Errorf("secret shown in %s", shown.Body)
		}
	}
	limited := w.login(auth.Demo{ClientID: made.text(t, "client_id"), ClientSecret: made.text(t, "client_secret"), APIKey: made.text(t, "api_key")})
	limited.do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"a.txt"}`).want(t, http.StatusForbidden)
	limited.do("POST /company/v1/company_submit", `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street"}`).want(t, http.StatusOK)

	x := w.tenant(`{"pacing":{"mode":"immediate"},"status_vocabulary":"polling"}`)
	x.ask("PUT /outcomes", `{"match":{"filename":"*"},"facts":{"company_name":"Foxglove Bakery LLC"}}`).want(t, http.StatusOK)
	txID := x.send("letter.txt", "one")
	if got := x.await(txID).text(t, "status"); got != "Succeeded" {
		t.Errorf("status %s", got)
	}
	x.advance("1h")
	counts := x.ask("GET ", "").want(t, http.StatusOK)
	if counts.get(t, "counts", "transactions") != 1.0 || counts.get(t, "counts", "reports") != 1.0 || counts.get(t, "counts", "outcomes") != 1.0 {
		t.Errorf("counts %s", counts.Body)
	}
	refresh := w.token(x.client).text(t, "refresh_token")
	renew := func() answer {
		return w.do(call{
			line:   "POST /auth/token?grant_type=refresh_token&refresh_token=" + refresh,
			header: map[string]string{"Authorization": basicAuth(x.client.ClientID, x.client.ClientSecret)},
		})
	}
	renew().want(t, http.StatusOK)

	// A reset keeps the credentials and the tokens, and nothing else.
	if files := w.uploaded(); files == 0 {
		t.Error("no file kept")
	}
	x.ask("POST /reset", "").want(t, http.StatusOK)
	reset := x.ask("GET ", "").want(t, http.StatusOK)
	if reset.get(t, "counts", "transactions") != 0.0 || reset.get(t, "counts", "reports") != 0.0 || reset.get(t, "counts", "outcomes") != 0.0 ||
		reset.text(t, "clock", "offset") != "0s" || reset.text(t, "settings", "pacing", "mode") != "timed" {
		t.Errorf("after the reset %s", reset.Body)
	}
	x.status(txID).want(t, http.StatusNotFound)
	if files := w.uploaded(); files != 0 {
		t.Errorf("%d files left", files)
	}
	x.send("letter.txt", "two")

	// A deleted tenant's token is worth nothing, to its successor neither.
	x.ask("DELETE ", "").want(t, http.StatusNoContent)
	x.ask("GET ", "").want(t, http.StatusNotFound)
	w.control("POST /tenants", `{"name":"`+x.name+`"}`).want(t, http.StatusCreated)
	x.status(txID).want(t, http.StatusUnauthorized)
	if files := w.uploaded(); files != 0 {
		t.Errorf("%d files left", files)
	}

	// Seeded tenants are tenants like others.
	list := w.control("GET /tenants", "").want(t, http.StatusOK)
	if !strings.Contains(list.Body, `"acme"`) || !strings.Contains(list.Body, `"acme-company-client"`) {
		t.Errorf("tenants %s", list.Body)
	}
	w.control("POST /tenants/acme/clock", `{"advance":"1m"}`).want(t, http.StatusOK)
	w.control("DELETE /tenants/globex", "").want(t, http.StatusNoContent)
}

// uploaded is how many files the object store has.
func (w *world) uploaded() (files int) {
	w.t.Helper()
	err := filepath.WalkDir(w.files, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return files
}

// TestSettings: each key is replaced as a whole, and acts at once.
func TestSettings(t *testing.T) {
	w := newControlWorld(t)
	x := w.tenant(`{}`)
	const defaults = `{"pacing":{"mode":"timed","scheduled":"0.5s","started":"1s","finished":"2s"},` +
		`"status_vocabulary":"processing","trailing_whitespace":false,"rate_limit":0,"webhooks":"send"}`
	x.ask("GET /settings", "").want(t, http.StatusOK, defaults)
	x.ask("PATCH /settings", `{"pacing":{"mode":"timed","scheduled":"3s"},"webhooks":"collect"}`).want(t, http.StatusOK)
	x.ask("PATCH /settings", `{"pacing":{"mode":"timed","started":"0s"},"rate_limit":0.5}`).want(t, http.StatusOK,
		`{"pacing":{"mode":"timed","scheduled":"0.5s","started":"0s","finished":"2s"},`+
			`"status_vocabulary":"processing","trailing_whitespace":false,"rate_limit":0.5,"webhooks":"collect"}`)
	x.ask("PATCH /settings", `{"pacing":null,"rate_limit":null,"webhooks":null}`).want(t, http.StatusOK, defaults)

	// A limit of one call in two seconds, in the tenant's time.
	x.announce("before.txt")
	x.ask("PATCH /settings", `{"rate_limit":0.5}`).want(t, http.StatusOK)
	x.announce("first.txt")
	refused := x.do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"second.txt"}`).
		want(t, http.StatusTooManyRequests, `{"message":"Too Many Requests"}`)
	if wait := refused.Header.Get("Retry-After"); wait != "2" {
		t.Errorf("Retry-After %q", wait)
	}
	w.pass(1500 * time.Millisecond)
	refused = x.do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"second.txt"}`).want(t, http.StatusTooManyRequests)
	if wait := refused.Header.Get("Retry-After"); wait != "1" {
		t.Errorf("Retry-After %q", wait)
	}
	x.advance("500ms")
	x.announce("second.txt")
	x.ask("PATCH /settings", `{"rate_limit":3}`).want(t, http.StatusOK)
	x.advance("1m")
	for i := range 3 {
		x.announce(fmt.Sprintf("%d.txt", i))
	}
	x.do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"x"}`).want(t, http.StatusTooManyRequests)
	// Other checks come first, another tenant is not counted.
	w.do(call{line: "GET /universal/v2/universal-submit/status/x", token: x.token, key: "wrong"}).want(t, http.StatusForbidden)
	w.tenant(`{}`).announce("own.txt")
}
