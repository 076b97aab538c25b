package control_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestInvalidCalls checks the response to each mistake: a 400 names the field, and
// nothing is changed.
func TestInvalidCalls(t *testing.T) {
	s := servertest.New(t)
	s.Control("POST /tenants", `{"name":"taken"}`).Want(t, http.StatusCreated)
	for _, test := range []struct {
		line, body string
		status     int
		message    string
	}{
		{"POST /tenants", `{"nam":"x"}`, 400, `unknown field "nam"`},
		{"POST /tenants", `{"name":"Upper"}`, 400, `name: `},
		{"POST /tenants", `{"name":""}`, 400, `name: `},
		{"POST /tenants", `{"name":7}`, 400, `name: `},
		{"POST /tenants", `{"name":"taken"}`, 409, `name: tenant "taken" already exists`},
		{"POST /tenants", `{"permissions":"all"}`, 400, `permissions: `},
		{"POST /tenants", `{"permissions":["::data/v9:get"]}`, 400, `permissions: unknown permission "::data/v9:get"`},
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
		{"PATCH /tenants/taken/settings", `{"id_seed":-9223372036854775808}`, 400, `id_seed: `},
		{"PATCH /tenants/taken/settings", `{"status_vocabulary":"both"}`, 400, `status_vocabulary: want processing or polling`},
		{"PATCH /tenants/taken/settings", `{"trailing_whitespace":"yes"}`, 400, `trailing_whitespace: `},
		{"PATCH /tenants/taken/settings", `{"webhooks":"drop"}`, 400, `webhooks: `},
		{"PATCH /tenants/taken/settings", `{"pacing":"immediate"}`, 400, `pacing: want an object`},
		{"PATCH /tenants/taken/settings", `{"pacing":{}}`, 400, `pacing.mode: `},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","queued":"1s"}}`, 400, `unknown field "pacing.queued"`},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","started":"soon"}}`, 400, `pacing.started: `},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","started":"-1s"}}`, 400, `pacing.started: `},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"timed","per_state":1}}`, 400, `pacing.per_state: only allowed with mode polls`},
		{"PATCH /tenants/taken/settings", `{"pacing":{"mode":"immediate","started":"1s"}}`, 400, `pacing.started: only allowed with mode timed`},
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
		got := s.ControlWith(t, s.ControlClient, test.line, test.body, map[string]string{"Content-Type": "application/json"})
		if got.Status != test.status || !strings.Contains(got.Text(t, "message"), test.message) {
			t.Errorf("%s %.200s: response %d %.300s, want %d %s", test.line, test.body, got.Status, got.Body, test.status, test.message)
		}
	}
	refused := s.ControlWith(t, http.DefaultClient, "PUT /tenants", `{}`, nil).Want(t, http.StatusMethodNotAllowed, `{"message":"Method Not Allowed"}`)
	if allow := refused.Header.Get("Allow"); allow != "GET, POST" {
		t.Errorf("Allow %q", allow)
	}
	taken := s.Control("GET /tenants/taken", "").Want(t, http.StatusOK)
	if taken.Text(t, "settings", "pacing", "mode") != "timed" || taken.Get(t, "counts", "outcomes") != 0.0 {
		t.Errorf("tenant %s", taken.Body)
	}
}
