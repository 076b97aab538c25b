package control_test

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
	"understudy.example/internal/server/servertest"
)

// TestControlRefusals holds the answer to each mistake: 400 names the field.
func TestControlRefusals(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	w.Control("POST /tenants", `{"name":"taken"}`).Want(t, http.StatusCreated)
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
		got := w.Control(test.line, test.body)
		if got.Status != test.status || !strings.Contains(got.Text(t, "message"), test.message) {
			t.Errorf("%s %.200s: answer %d %.300s, want %d %s", test.line, test.body, got.Status, got.Body, test.status, test.message)
		}
	}
	wrong := w.ControlWith(t, http.DefaultClient, "PUT /tenants", `{}`, nil).Want(t, http.StatusMethodNotAllowed, `{"message":"Method Not Allowed"}`)
	if allow := wrong.Header.Get("Allow"); allow != "GET, POST" {
		t.Errorf("Allow %q", allow)
	}
	// What was refused changed nothing.
	taken := w.Control("GET /tenants/taken", "").Want(t, http.StatusOK)
	if taken.Text(t, "settings", "pacing", "mode") != "timed" || taken.Get(t, "counts", "outcomes") != 0.0 {
		t.Errorf("tenant %s", taken.Body)
	}
}

// TestTenant is a tenant's life: made, used, reset, deleted.
func TestTenant(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	made := w.Control("POST /tenants", `{"name":"harbour","permissions":["::company/v1/company_submit:post"]}`).Want(t, http.StatusCreated)
	if made.Text(t, "company_package_id") != "harbour-us-c0001" || made.Text(t, "location_package_id") != "harbour-us-l0001" {
		t.Errorf("tenant %s", made.Body)
	}
	shown := w.Control("GET /tenants/harbour", "").Want(t, http.StatusOK)
	for _, secret := range []string{made.Text(t, "client_secret"), made.Text(t, "api_key")} {
		if strings.Contains(shown.Body, secret) {
			t.Errorf("secret shown in %s", shown.Body)
		}
	}
	limited := w.Login(auth.Demo{ClientID: made.Text(t, "client_id"), ClientSecret: made.Text(t, "client_secret"), APIKey: made.Text(t, "api_key")})
	limited.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"a.txt"}`).Want(t, http.StatusForbidden)
	limited.Do("POST /company/v1/company_submit", `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street"}`).Want(t, http.StatusOK)

	x := w.NewTenant(`{"pacing":{"mode":"immediate"},"status_vocabulary":"polling"}`)
	x.Control("PUT /outcomes", `{"match":{"filename":"*"},"facts":{"company_name":"Foxglove Bakery LLC"}}`).Want(t, http.StatusOK)
	txID := x.SubmitFile("servertest.Letter.txt", "one")
	if got := x.AwaitEnd(txID).Text(t, "status"); got != "Succeeded" {
		t.Errorf("status %s", got)
	}
	x.Advance("1h")
	counts := x.Control("GET ", "").Want(t, http.StatusOK)
	if counts.Get(t, "counts", "transactions") != 1.0 || counts.Get(t, "counts", "reports") != 1.0 || counts.Get(t, "counts", "outcomes") != 1.0 {
		t.Errorf("counts %s", counts.Body)
	}
	refresh := w.token(x.client).Text(t, "refresh_token")
	renew := func() servertest.Response {
		return w.Do(servertest.Call{
			Line:   "POST /auth/token?grant_type=refresh_token&refresh_token=" + refresh,
			Header: map[string]string{"Authorization": servertest.Basic(x.client.ClientID, x.client.ClientSecret)},
		})
	}
	renew().Want(t, http.StatusOK)

	// A reset keeps the credentials and the tokens, and nothing else.
	if files := w.uploaded(); files == 0 {
		t.Error("no file kept")
	}
	x.Control("POST /reset", "").Want(t, http.StatusOK)
	reset := x.Control("GET ", "").Want(t, http.StatusOK)
	if reset.Get(t, "counts", "transactions") != 0.0 || reset.Get(t, "counts", "reports") != 0.0 || reset.Get(t, "counts", "outcomes") != 0.0 ||
		reset.Text(t, "clock", "offset") != "0s" || reset.Text(t, "settings", "pacing", "mode") != "timed" {
		t.Errorf("after the reset %s", reset.Body)
	}
	x.Status(txID).Want(t, http.StatusNotFound)
	if files := w.uploaded(); files != 0 {
		t.Errorf("%d files left", files)
	}
	x.SubmitFile("servertest.Letter.txt", "two")

	// A deleted tenant's token is worth nothing, to its successor neither.
	x.Control("DELETE ", "").Want(t, http.StatusNoContent)
	x.Control("GET ", "").Want(t, http.StatusNotFound)
	w.Control("POST /tenants", `{"name":"`+x.name+`"}`).Want(t, http.StatusCreated)
	x.Status(txID).Want(t, http.StatusUnauthorized)
	if files := w.uploaded(); files != 0 {
		t.Errorf("%d files left", files)
	}

	// Seeded tenants are tenants like others.
	list := w.Control("GET /tenants", "").Want(t, http.StatusOK)
	if !strings.Contains(list.Body, `"acme"`) || !strings.Contains(list.Body, `"acme-company-client"`) {
		t.Errorf("tenants %s", list.Body)
	}
	w.Control("POST /tenants/acme/clock", `{"advance":"1m"}`).Want(t, http.StatusOK)
	w.Control("DELETE /tenants/globex", "").Want(t, http.StatusNoContent)
}

// uploaded is how many files the object store has.
func (w *servertest.Server) uploaded() (files int) {
	w.T.Helper()
	err := filepath.WalkDir(w.files, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		w.T.Fatal(err)
	}
	return files
}

// TestSettings: each key is replaced as a whole, and acts at once.
func TestSettings(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{}`)
	const defaults = `{"pacing":{"mode":"timed","scheduled":"0.5s","started":"1s","finished":"2s"},` +
		`"status_vocabulary":"processing","trailing_whitespace":false,"rate_limit":0,"webhooks":"send"}`
	x.Control("GET /settings", "").Want(t, http.StatusOK, defaults)
	x.Control("PATCH /settings", `{"pacing":{"mode":"timed","scheduled":"3s"},"webhooks":"collect"}`).Want(t, http.StatusOK)
	x.Control("PATCH /settings", `{"pacing":{"mode":"timed","started":"0s"},"rate_limit":0.5}`).Want(t, http.StatusOK,
		`{"pacing":{"mode":"timed","scheduled":"0.5s","started":"0s","finished":"2s"},`+
			`"status_vocabulary":"processing","trailing_whitespace":false,"rate_limit":0.5,"webhooks":"collect"}`)
	x.Control("PATCH /settings", `{"pacing":null,"rate_limit":null,"webhooks":null}`).Want(t, http.StatusOK, defaults)

	// A limit of one call in two seconds, in the tenant's time.
	x.Announce("before.txt")
	x.Control("PATCH /settings", `{"rate_limit":0.5}`).Want(t, http.StatusOK)
	x.Announce("first.txt")
	refused := x.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"second.txt"}`).
		Want(t, http.StatusTooManyRequests, `{"message":"Too Many Requests"}`)
	if wait := refused.Header.Get("Retry-After"); wait != "2" {
		t.Errorf("Retry-After %q", wait)
	}
	w.Pass(1500 * time.Millisecond)
	refused = x.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"second.txt"}`).Want(t, http.StatusTooManyRequests)
	if wait := refused.Header.Get("Retry-After"); wait != "1" {
		t.Errorf("Retry-After %q", wait)
	}
	x.Advance("500ms")
	x.Announce("second.txt")
	x.Control("PATCH /settings", `{"rate_limit":3}`).Want(t, http.StatusOK)
	x.Advance("1m")
	for i := range 3 {
		x.Announce(fmt.Sprintf("%d.txt", i))
	}
	x.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"x"}`).Want(t, http.StatusTooManyRequests)
	// Other checks come first, another tenant is not counted.
	w.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/x", Token: x.Token, Key: "wrong"}).Want(t, http.StatusForbidden)
	w.NewTenant(`{}`).Announce("own.txt")
}
