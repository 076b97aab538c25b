package configuration_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// configured creates a tenant that uses every section of a configuration.
func configured(s *servertest.Server) *servertest.Tenant {
	tenant := s.NewNamedTenant("source", `{"pacing":{"mode":"polls","per_state":2},"status_vocabulary":"polling","rate_limit":50}`)
	for _, call := range []string{
		`POST /packages {"id":"carrier-us-c0042","fields":["company_name"]}`,
		`POST /packages {"id":"carrier-auto","content":"auto"}`,
		`PUT /outcomes {"match":{"filename":"*.pdf"},"facts":{"company_name":"Foxglove Bakery LLC"},"after":"5s"}`,
		`PUT /outcomes {"match":{"filename":"broken.*"},"status":"Failed"}`,
		`POST /faults {"route":"GET /hooks","status":503,"body":{"a":[1,2]},"times":3}`,
		`POST /faults {"delivery":"*","duplicate":1,"probability":0.5,"seed":7,"expires":"12h"}`,
		`POST /hooks {"name":"Billing","url":"http://127.0.0.1:9/a","events":["universal_submit"],"header":"X-Key: k3y-value","secret":"s3cret-value","active":true}`,
		`POST /clients {"client_id":"source-reader","client_secret":"r3ader-value","permissions":["::data/v2:get"]}`,
	} {
		line, body, _ := strings.Cut(call, " {")
		if got := tenant.Control(line, "{"+body); got.Status/100 != 2 {
			s.T.Fatalf("%s: %d %s", call, got.Status, got.Body)
		}
	}
	tenant.Do("POST /hooks", `{"url":"http://127.0.0.1:9/b","events":["company_submit:completed"]}`).Want(s.T, http.StatusCreated)
	return tenant
}

func export(tenant *servertest.Tenant) map[string]any {
	tenant.T.Helper()
	return tenant.Control("GET /configuration", "").Want(tenant.T, http.StatusOK).Get(tenant.T).(map[string]any)
}

// TestConfigurationIsCopied exports a configuration and imports it into another tenant:
// that one then has the same, except for its own client and what is secret.
func TestConfigurationIsCopied(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, configuration: an export is imported into another tenant, without secrets")
	s := servertest.New(t)
	source := configured(s)
	target := s.NewNamedTenant("target", `{"webhooks":"collect"}`)
	target.Control("POST /hooks", `{"url":"http://127.0.0.1:9/gone","events":["*"],"active":true}`).Want(t, http.StatusCreated)
	target.Control("PUT /outcomes", `{"match":{"filename":"gone"},"status":"Failed"}`).Want(t, http.StatusOK)
	text := source.Control("GET /configuration", "").Want(t, http.StatusOK).Body
	for _, secret := range []string{"k3y-value", "s3cret-value", "r3ader-value", source.Credentials.ClientSecret, source.Credentials.APIKey} {
		if strings.Contains(text, secret) {
			t.Errorf("the export contains the secret %s", secret)
		}
	}
	imported := target.Control("PUT /configuration", text).Want(t, http.StatusOK)
	created := imported.Get(t, "created_clients").([]any)
	if len(created) != 2 { // the source's own client, and its reader
		t.Fatalf("created %v", created)
	}
	if diff := cmp.Diff([]any{"hooks[0].header", "hooks[0].secret"}, imported.Get(t, "missing")); diff != "" {
		t.Errorf("missing (- want):\n%s", diff)
	}
	reader := created[0].(map[string]any)
	if reader["client_id"] != "target-reader" { // the other has a random id
		reader = created[1].(map[string]any)
	}
	s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{
		"Authorization": servertest.Basic("target-reader", reader["client_secret"].(string)),
	}}).Want(t, http.StatusOK)

	want, got := export(source), export(target)
	clients := got["clients"].([]any)
	if len(clients) != 3 {
		t.Errorf("clients %v", clients)
	}
	billing := want["hooks"].([]any)[0].(map[string]any)
	billing["header"], billing["has_secret"] = "", false
	want["tenant"] = "target"
	delete(want, "clients")
	delete(got, "clients")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the target (- the source):\n%s", diff)
	}
	// Once more, nothing changes.
	s.Unchanged(t, func() {
		again := target.Control("PUT /configuration", text).Want(t, http.StatusOK)
		if len(again.Get(t, "created_clients").([]any)) > 0 {
			t.Errorf("the second import created %s", again.Body)
		}
	})
	// Nor does an import of a tenant's own export, which keeps all secrets.
	s.Unchanged(t, func() {
		source.Control("PUT /configuration", text).Want(t, http.StatusOK, `{"created_clients":[],"missing":[]}`)
	})
	// With the secret and the header, the document is complete.
	complete := strings.Replace(text, `"header":"X-Key: ***"`, `"header":"X-Key: k","secret":"s"`, 1)
	target.Control("PUT /configuration", complete).Want(t, http.StatusOK, `{"created_clients":[],"missing":[]}`)
	// A secret and an API key can be added too.
	credentials := `{"clients":[{"client_id":"target-reader","client_secret":"chosen","permissions":["::data/v2:get"]}],"api_keys":["chosen-key"]}`
	target.Control("PUT /configuration", credentials).Want(t, http.StatusOK, `{"created_clients":[],"missing":[]}`)
	s.Unchanged(t, func() { target.Control("PUT /configuration", credentials).Want(t, http.StatusOK) })
	s.Pass(time.Second)
	s.Login(auth.Demo{ClientID: "target-reader", ClientSecret: "chosen", APIKey: "chosen-key"}).Do(
		"GET /data/v2/target-us-c0001/01900000-0000-7000-8000-000000000000?idType=transaction", "").Want(t, http.StatusNotFound)
	target.Control("PUT /configuration", `{"faults":[]}`).Want(t, http.StatusOK)
	if after := export(target); len(after["faults"].([]any)) != 0 || len(after["outcomes"].([]any)) != 2 {
		t.Errorf("after an import of no faults: %v", after)
	}
}

// TestInvalidConfiguration checks that the path of an invalid field is named, and that
// then nothing changes, not even in the sections before it.
func TestInvalidConfiguration(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, configuration: nothing changes if a field is invalid")
	s := servertest.New(t)
	source := configured(s)
	valid := export(source)
	valid["settings"] = map[string]any{"webhooks": "collect"}
	hook := func(i int, fields string) string {
		return strings.Repeat(`{"url":"http://127.0.0.1:9/x","events":["*"],"active":true},`, i) + `{"url":"http://127.0.0.1:9/y",` + fields + `}`
	}
	s.Unchanged(t, func() {
		for _, test := range []struct {
			section, value string
			status         int
			message        string
		}{
			{"version", `2`, 400, "version: "},
			{"extra", `[]`, 400, `unknown field "extra"`},
			{"settings", `{"pacing":{"mode":"slow"}}`, 400, "settings.pacing.mode: "},
			{"packages", `{}`, 400, "packages: want an array"},
			{"packages", `[{"id":"a-c0001"},{"id":"b/"}]`, 400, "packages[1].id: "},
			{"packages", `[{"id":"a-c0001","kin":"company"}]`, 400, `unknown field "packages[0].kin"`},
			{"packages", `[{"id":"source-us-c0001","kind":"company"}]`, 409, `packages[0].id: data package "source-us-c0001" already exists`},
			{"outcomes", `[{"match":{"filename":"a"}},{"match":{"filename":"a"}}]`, 400, "outcomes[1].match: "},
			{"outcomes", `[{"match":{"filename":"a"},"facts":{"x":1}}]`, 400, `unknown field "outcomes[0].facts.x"`},
			{"outcomes", `[{}]`, 400, "outcomes[0]: match is required"},
			{"faults", `[{"route":"GET /hooks"},{"route":"GET /hooks","status":99}]`, 400, "faults[1].status: "},
			{"faults", `[null]`, 400, "faults: want an array"},
			{"hooks", `[` + hook(0, `"events":["a:b"]`) + `]`, 422, "hooks[0].events: want subjects only"},
			{"hooks", `[` + hook(1, `"made_by":"me"`) + `]`, 400, "hooks[1].made_by: "},
			{"hooks", `[{"url":""}]`, 422, "hooks[0].url: can't be blank"},
			{"hooks", `[` + hook(10, `"events":["*"],"active":true`) + `]`, 422, "hooks[10].active: limit of 10"},
			{"clients", `[{"client_id":"a b"}]`, 400, "clients[0].client_id: "},
			{"clients", `[{"client_id":"a","permissions":["x"]}]`, 400, "clients[0].permissions: "},
			{"clients", `[{"client_id":"a","client_secret":"b c"}]`, 400, "clients[0].client_secret: "},
			{"api_keys", `"a"`, 400, "api_keys: want an array"},
			{"api_keys", `["a","b c"]`, 400, "api_keys[1]: "},
			{"api_keys", `["acme-api-key"]`, 409, "api_keys[0]: the API key already exists"},
			{"clients", `[{"client_id":"acme-client"}]`, 409, `clients[0].client_id: client "acme-client" already exists`},
		} {
			changed := map[string]any{}
			maps.Copy(changed, valid)
			changed[test.section] = json.RawMessage(test.value)
			text, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			got := source.Control("PUT /configuration", string(text))
			if got.Status != test.status || !strings.HasPrefix(got.Text(t, "message"), test.message) {
				t.Errorf("%s: response %d %s, want %d %s", test.value, got.Status, got.Body, test.status, test.message)
			}
		}
	})
}

// TestDeepValuesAreReadAgain checks that an outcome that is nested as deeply as allowed
// can be exported, imported and read in every form, and that deeper JSON is rejected
// wherever it would be stored.
func TestDeepValuesAreReadAgain(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	outcome := func(depth int) string {
		return `{"match":{"filename":"*"},"raw":true,"facts":{"subsidiary_companies":` + nested(depth) + `}}`
	}
	const tooDeep = `{"message":"arrays and objects are nested more than 100 deep"}`
	tenant.Control("PUT /outcomes", outcome(98)).Want(t, http.StatusOK)
	tenant.Control("POST /faults", `{"route":"DELETE /hooks/{hook_id}","body":`+nested(99)+`}`).Want(t, http.StatusCreated)
	tenant.Control("PUT /outcomes", outcome(99)).Want(t, http.StatusBadRequest, tooDeep)
	tenant.Control("POST /faults", `{"route":"GET /hooks","body":`+nested(100)+`}`).Want(t, http.StatusBadRequest, tooDeep)
	tenant.Control("POST /events", `{"event":"quote_request:x","data":{"a":`+nested(99)+`}}`).Want(t, http.StatusBadRequest, tooDeep)
	tenant.Control("PATCH /settings", `{"pacing":`+nested(100)+`}`).Want(t, http.StatusBadRequest, tooDeep)
	text := tenant.Control("GET /configuration", "").Want(t, http.StatusOK).Body
	tenant.Control("PUT /configuration", text).Want(t, http.StatusOK)
	tenant.Control("PUT /configuration", `{"outcomes":[`+outcome(99)+`]}`).Want(t, http.StatusBadRequest,
		`{"message":"arrays and objects are nested more than 102 deep"}`)

	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	tenant.AwaitEnd(txID)
	tenant.Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
	exported := tenant.Control("GET /transactions/"+txID+"/outcome", "").Want(t, http.StatusOK)
	tenant.Control("PUT /outcomes", exported.Body).Want(t, http.StatusOK)
	for _, version := range []string{"v2", "v3", "v4", "v5"} {
		line := "GET /data/" + version + "/" + tenant.CompanyPackage + "/" + txID + "?idType=transaction"
		tenant.DoUnchecked(line, "").Want(t, http.StatusOK) // the values of a raw outcome have any form
	}
}

// TestManyValuesAreRejected checks that a configuration with millions of values is rejected
// before they are decoded.
func TestManyValuesAreRejected(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	tenant.Control("PUT /configuration", `{"outcomes":[`+strings.Repeat("[],", 1_000_000)+`[]]}`).Want(t, http.StatusBadRequest,
		`{"message":"the body has more than 1000000 values"}`)
	tenant.Control("PUT /configuration", `{"outcomes":[`+strings.Repeat("[],", 999_990)+`[]]}`).Want(t, http.StatusBadRequest,
		`{"message":"outcomes: want an array of at most 1000 objects"}`)
}

// TestImportWaitsBriefly checks that an import waits for a lock of its tenant only for
// a short time, although other calls may wait longer: while it waits, it keeps a
// connection that calls of other tenants need.
func TestImportWaitsBriefly(t *testing.T) {
	s := servertest.New(t, servertest.DatabaseLimits(t, storage.Limits{
		Connections: storage.MinConnections, Calls: storage.Timeouts{Lock: time.Minute, Statement: time.Minute},
	}))
	tx := s.Lock("select from tenants where name = 'acme' for update")
	refused := s.Tenant("acme").Control("PUT /configuration", `{"outcomes":[]}`).Want(t, http.StatusServiceUnavailable)
	if hint := refused.Header.Get(api.HintHeader); hint != "a lock in the database was not free in time: retry" {
		t.Errorf("hint %q", hint)
	}
	s.Tenant("globex").Control("PUT /configuration", `{"outcomes":[]}`).Want(t, http.StatusOK)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Tenant("acme").Control("PUT /configuration", `{"outcomes":[]}`).Want(t, http.StatusOK)
}

// TestImportedSubscriptionIsUsedAtOnce checks that a delivery after an import is signed with
// the imported secret, even though the server has cached the old one for an earlier delivery
// of the subscription, which is still in flight.
func TestImportedSubscriptionIsUsedAtOnce(t *testing.T) {
	s := servertest.New(t, servertest.Background) // whose time does not pass
	tenant := s.NewTenant(`{}`)
	release := make(chan struct{})
	receiver := servertest.NewReceiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	for n, secret := range []string{"first", "second"} {
		tenant.Control("PUT /configuration", `{"version":1,"hooks":[{"name":"a","url":"`+receiver.URL+`","events":["*"],"active":true,"secret":"`+secret+`"}]}`).Want(t, http.StatusOK)
		tenant.Control("POST /events", `{"event":"sample:sent","data":{}}`).Want(t, http.StatusOK)
		if received := receiver.Await(t, n+1); !received[n].Verify(secret) {
			t.Errorf("delivery %d is not signed with the secret %s", n, secret)
		}
	}
}
