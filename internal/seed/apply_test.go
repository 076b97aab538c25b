package seed_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// parse parses a seed with the given tenants.
func parse(t *testing.T, tenants string) *seed.File {
	t.Helper()
	f, err := seed.Parse(filepath.Join(t.TempDir(), "seed.yaml"), []byte("version: 1\ntenants:\n"+tenants))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// apply applies a seed with the given tenants, as the start of a server does.
func apply(t *testing.T, s *servertest.Server, tenants string) {
	t.Helper()
	if err := s.App.ApplySeed(t.Context(), parse(t, tenants)); err != nil {
		t.Fatal(err)
	}
}

// whole is a tenant that has every part.
const whole = `
  - tenant: initech
    clients:
      - {client_id: initech-client, client_secret: s3cret}
      - {client_id: initech-reader, client_secret: r3ader, permissions: ["::data/v2:get"]}
    api_keys: [initech-key, initech-second-key]
    settings: {status_vocabulary: polling, id_seed: 5}
    clock: {set: 2027-01-01T00:00:00Z, frozen: true}
    packages: [{id: carrier-us-c0042, fields: [company_name]}]
    outcomes: [{match: {filename: "*.pdf"}, status: Failed}]
    faults: [{route: GET /hooks, status: 503, times: 1, expires: 12h}]
    hooks: [{name: Billing, url: "http://127.0.0.1:9/a", events: [universal_submit], secret: s3cret, active: true}]
    documents:
      - {filename: a.txt, text: "Insured: Foxglove Bakery LLC"}
      - {filename: b.pdf, text: "Insured: Larkspur Inc"}
`

func transactions(t *testing.T, s *servertest.Server) []any {
	t.Helper()
	return s.Tenant("initech").Control("GET /transactions", "").Want(t, http.StatusOK).Get(t, "transactions").([]any)
}

// TestSeedCreatesTenants applies a seed with every part, and checks each part through the
// API and the control API.
func TestSeedCreatesTenants(t *testing.T) {
	servertest.Proves(t, "Chosen, seeds: a seed creates tenants with all their parts")
	s := servertest.New(t, servertest.Background)
	apply(t, s, whole)
	for id, secret := range map[string]string{"initech-client": "s3cret", "initech-reader": "r3ader"} {
		for _, key := range []string{"initech-key", "initech-second-key"} {
			s.Login(auth.Demo{ClientID: id, ClientSecret: secret, APIKey: key}).Do(
				"GET /data/v2/carrier-us-c0042/01900000-0000-7000-8000-000000000000?idType=transaction", "").Want(t, http.StatusNotFound)
		}
	}
	tenant := s.Tenant("initech")
	if now := tenant.Control("GET /clock", "").Want(t, http.StatusOK).Text(t, "now"); !strings.HasPrefix(now, "2027-01-01T00:00:00.000000") {
		t.Errorf("the clock shows %s", now)
	}
	exported := tenant.Control("GET /configuration", "").Want(t, http.StatusOK)
	for _, section := range []string{
		`"status_vocabulary":"polling"`, `"id":"carrier-us-c0042"`, `"filename":"*.pdf"`, `"route":"GET /hooks"`,
		`"expires":"2027-01-01T12:00:00`, `"name":"Billing"`, `"has_secret":true`,
	} {
		if !strings.Contains(exported.Body, section) {
			t.Errorf("the configuration has no %s: %s", section, exported.Body)
		}
	}
	if packages := tenant.Control("GET /packages", "").Want(t, http.StatusOK).Get(t, "packages").([]any); len(packages) < 10 {
		t.Errorf("packages %v", packages)
	}
	tenant.Advance("4s")
	status := map[any]any{}
	for _, found := range transactions(t, s) {
		status[found.(map[string]any)["filename"]] = found.(map[string]any)["status"]
	}
	if len(status) != 2 || status["a.txt"] == "Failed" || status["b.pdf"] != "Failed" {
		t.Errorf("submissions %v", status)
	}
}

// TestSeedIsAppliedOnce applies a seed several times, also from two servers at once: the
// rows do not change, and no document is submitted twice. What was changed or revoked
// meanwhile stays as it is.
func TestSeedIsAppliedOnce(t *testing.T) {
	servertest.Proves(t, "Chosen, seeds: a part that has been applied is not applied again until it changes")
	s := servertest.New(t)
	replica := s.Replica()
	var servers sync.WaitGroup
	for _, server := range []*servertest.Server{s, replica} {
		servers.Go(func() {
			if err := server.App.ApplySeed(t.Context(), parse(t, whole)); err != nil {
				t.Error(err)
			}
		})
	}
	servers.Wait()
	if found := transactions(t, s); len(found) != 2 {
		t.Errorf("%d submissions: %v", len(found), found)
	}
	s.Unchanged(t, func() { apply(t, s, whole) })
	tenant := s.Tenant("initech")
	tenant.Control("DELETE /clients/initech-reader", "").Want(t, http.StatusNoContent)
	tenant.Control("PATCH /settings", `{"status_vocabulary":"processing"}`).Want(t, http.StatusOK)
	tenant.Control("DELETE /outcomes", "").Want(t, http.StatusNoContent)
	s.Unchanged(t, func() { apply(t, s, whole) })
}

// TestChangedSeedIsApplied changes parts of a seed: only these are applied, and what the
// seed no longer has remains.
func TestChangedSeedIsApplied(t *testing.T) {
	servertest.Proves(t, "Chosen, seeds: parts that are no longer in the seed are kept")
	s := servertest.New(t)
	apply(t, s, whole)
	tenant := s.Tenant("initech")
	tenant.Control("PATCH /settings", `{"status_vocabulary":"processing"}`).Want(t, http.StatusOK)
	tenant.Control("POST /hooks", `{"name":"Mine","url":"http://127.0.0.1:9/mine","events":["*"]}`).Want(t, http.StatusCreated)
	changed := strings.NewReplacer(
		"client_secret: s3cret", "client_secret: chang3d",
		`      - {client_id: initech-reader, client_secret: r3ader, permissions: ["::data/v2:get"]}`+"\n", "",
		"initech-key, ", "",
		"status: Failed", "status: Review_required",
		`url: "http://127.0.0.1:9/a"`, `url: "http://127.0.0.1:9/b"`,
		"Foxglove Bakery", "Foxglove and Daughters",
		`      - {filename: b.pdf, text: "Insured: Larkspur Inc"}`, "",
	).Replace(whole)
	apply(t, s, changed)
	s.Pass(time.Second)
	s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("initech-client", "s3cret")}}).Want(t, http.StatusUnauthorized)
	s.Login(auth.Demo{ClientID: "initech-client", ClientSecret: "chang3d"})
	s.Login(auth.Demo{ClientID: "initech-reader", ClientSecret: "r3ader"}) // kept
	if keys := tenant.Control("GET /api-keys", "").Want(t, http.StatusOK).Get(t, "api_keys").([]any); len(keys) != 2 {
		t.Errorf("API keys %v", keys)
	}
	configuration := tenant.Control("GET /configuration", "").Want(t, http.StatusOK)
	if got := configuration.Text(t, "settings", "status_vocabulary"); got != "processing" { // this section has not changed in the seed
		t.Errorf("status_vocabulary %s", got)
	}
	var urls []string
	for _, hook := range configuration.Get(t, "hooks").([]any) {
		urls = append(urls, hook.(map[string]any)["url"].(string))
	}
	if strings.Join(urls, " ") != "http://127.0.0.1:9/b http://127.0.0.1:9/mine" {
		t.Errorf("subscriptions %v", urls)
	}
	if !strings.Contains(configuration.Body, "Review_required") || strings.Contains(configuration.Body, `"status":"Failed"`) {
		t.Errorf("outcomes in %s", configuration.Body)
	}
	if found := transactions(t, s); len(found) != 3 { // both of the first seed, and a.txt with its new content
		t.Errorf("%d submissions", len(found))
	}
	s.Unchanged(t, func() { apply(t, s, changed) })
	// What returns to the seed as it was is not applied again: no third submission of b.pdf.
	apply(t, s, strings.Replace(changed, "    documents:\n", "    documents:\n      - {filename: b.pdf, text: \"Insured: Larkspur Inc\"}\n", 1))
	if found := transactions(t, s); len(found) != 3 {
		t.Errorf("%d submissions after a document returned", len(found))
	}
}

// TestSeedAfterReset checks that the seed of a tenant that was reset or deleted is applied
// again.
func TestSeedAfterReset(t *testing.T) {
	servertest.Proves(t, "Chosen, seeds: the seed of a tenant that was reset or deleted is applied again")
	s := servertest.New(t)
	apply(t, s, whole)
	first := transactions(t, s)[0].(map[string]any)["tx_id"]
	tenant := s.Tenant("initech")
	tenant.Control("DELETE /clients/initech-reader", "").Want(t, http.StatusNoContent)
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	s.Unchanged(t, func() { s.Tenant("acme").Control("GET ", "").Want(t, http.StatusOK) })
	apply(t, s, whole)
	found := transactions(t, s)
	if len(found) != 2 || found[0].(map[string]any)["tx_id"] != first { // the seed has an id_seed
		t.Errorf("submissions %v, the first one was %v", found, first)
	}
	if clients := tenant.Control("GET /clients", "").Want(t, http.StatusOK).Get(t, "clients").([]any); len(clients) != 1 {
		t.Errorf("a reset restored the revoked client: %v", clients)
	}
	tenant.Control("DELETE ", "").Want(t, http.StatusNoContent)
	apply(t, s, whole)
	s.Login(auth.Demo{ClientID: "initech-reader", ClientSecret: "r3ader"})
}

// TestSeedAfterResetSetsAnEarlierClock checks that a clock which the seed sets to a time in
// the past is set again after a reset.
func TestSeedAfterResetSetsAnEarlierClock(t *testing.T) {
	s := servertest.New(t)
	const text = "\n  - tenant: initech\n    clients: [{client_id: initech-client, client_secret: s3cret}]\n    clock: {set: 2020-01-01T00:00:00Z, frozen: true}\n"
	for range 2 {
		apply(t, s, text)
		if now := s.Tenant("initech").Control("GET /clock", "").Text(t, "now"); !strings.HasPrefix(now, "2020-01-01T00:00:00") {
			t.Errorf("the clock shows %s", now)
		}
		s.Tenant("initech").Control("POST /reset", "").Want(t, http.StatusOK)
	}
}

// TestSeedKeepsTheIDsOfTheDemoTenants checks ids that clients may have stored.
func TestSeedKeepsTheIDsOfTheDemoTenants(t *testing.T) {
	s := servertest.New(t)
	if err := s.App.ApplySeed(t.Context(), seed.Demo("sandbox")); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"select id::text from tenants where name = 'acme'":                         "e205fcf7-dc6b-5345-805b-6a828c20f8c6",
		"select id::text from tenants where name = 'globex'":                       "81ba0d05-a885-59ce-b823-f77997b1d793",
		"select user_id::text from clients where id = 'acme-client'":               "82d25982-11f6-589f-9ef2-a167ea71802f",
		"select user_id::text from clients where id = 'globex-client'":             "cd57cc64-4d19-5c18-a278-e0a4be6c0224",
		"select user_id::text from clients where id = 'acme-company-client'":       "e1b92510-a3f5-59dc-8d6f-b8339a4b7412",
		"select first_name || last_name from clients where id = 'globex-client'":   "globexAPI client",
		"select count(*)::text from seed_items where kind in ('client','section')": "5",
	} {
		if got := servertest.Value[string](s, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestServerStartsWithTheExample starts a server with examples/seed.yaml twice.
func TestServerStartsWithTheExample(t *testing.T) {
	servertest.Proves(t, "Chosen, seeds: --seed replaces the demo tenants")
	t.Parallel()
	data := servertest.DataDir(t)
	for range 2 {
		p := servertest.Start(t, "--data-dir", data, "--seed", "../../examples/seed.yaml")
		s := p.Server()
		northwind := s.Tenant("northwind")
		northwind.Control("GET /await?event=universal_submit:completed&within=60s", "").Want(t, http.StatusOK)
		if found := northwind.Control("GET /transactions", "").Want(t, http.StatusOK).Get(t, "transactions").([]any); len(found) != 2 {
			t.Errorf("submissions %v", found)
		}
		s.Login(auth.Demo{ClientID: "contoso-client", ClientSecret: "contoso-secret"})
		s.Tenant("acme").Control("GET ", "").Want(t, http.StatusNotFound)
		if output := p.Output.String(); !strings.Contains(output, "northwind-reader  (tenant northwind)") || strings.Contains(output, "northwind-secret") {
			t.Errorf("output %s", output)
		}
		p.Kill()
	}
}

// TestExamplesFollowTheSchema validates the demo tenants and the example, which is also in
// the documentation, with the schema.
func TestExamplesFollowTheSchema(t *testing.T) {
	page, err := os.ReadFile("../../docs/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../examples/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```yaml\n"+string(example)+"```\n") {
		t.Error("docs/seeds.md does not show examples/seed.yaml")
	}
	for _, path := range []string{"demo.yaml", "../../examples/seed.yaml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := seed.Read(path); err != nil {
			t.Error(err)
		}
	}
	if err := validate(t, []byte("version: 1\ntenants:"+whole)); err != nil {
		t.Error(err)
	}
}

// TestTokenOfEarlierClient checks that an access token is not valid for a later client with the same client id, which a
// seed creates for another tenant.
func TestTokenOfEarlierClient(t *testing.T) {
	s := servertest.New(t)
	const tenant = "\n  - {tenant: %s, clients: [{client_id: partner-client, client_secret: %s}]}"
	apply(t, s, fmt.Sprintf(tenant, "hooli", "s3cret"))
	listHooks := func(token string) servertest.Response {
		return s.Do(servertest.Call{Line: "GET /hooks", Header: map[string]string{"Authorization": "Bearer " + token}})
	}
	earlier := s.NewToken(auth.Demo{ClientID: "partner-client", ClientSecret: "s3cret"}).Text(t, "access_token")
	listHooks(earlier).Want(t, http.StatusOK)
	s.Control("DELETE /tenants/hooli", "").Want(t, http.StatusNoContent)
	s.Pass(time.Second)
	apply(t, s, fmt.Sprintf(tenant, "initech", "an0ther"))
	listHooks(earlier).Want(t, http.StatusUnauthorized)
	later := s.NewToken(auth.Demo{ClientID: "partner-client", ClientSecret: "an0ther"}).Text(t, "access_token")
	listHooks(later).Want(t, http.StatusOK)
}
