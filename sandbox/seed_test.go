package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSeed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := time.Date(time.Now().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("letter.txt", letter)
	seed := write("seed.yaml", `
version: 1
tenants:
  - tenant: other
  - tenant: northwind
    clients: [{client_id: northwind-client, client_secret: s3cret}]
    api_keys: [northwind-key]
    settings: {pacing: {mode: immediate}, max_submissions: 2}
    clock: {set: `+at.Format(time.RFC3339)+`, frozen: true}
    packages: [{id: carrier-us-c0042, fields: [company_name]}]
    outcomes: [{match: {filename: "*.decline.txt"}, status: Failed}]
    faults: [{route: POST /auth/token, status: 503}]
    hooks: [{url: "http://127.0.0.1:9/", events: [universal_submit], active: false}]
    documents:
      - {file: letter.txt}
      - {filename: a.decline.txt, text: "Insured: Larkspur Logistics Inc"}
`)
	for range 2 { // two tenants
		s := Start(t)
		s.Token()
		txIDs := s.Seed(seed, "northwind")
		s.Await("universal_submit:completed", txIDs[0], time.Minute)
		s.Await("universal_submit:failed", txIDs[1], time.Minute)
		checkEqual(t, "name of the first document", s.Transaction(txIDs[0]).Filename, "letter.txt")
		checkEqual(t, "limit of submissions", *s.Settings().MaxSubmissions, int64(2))
		checkEqual(t, "clock", s.Now(), at)
		if len(s.Outcomes()) != 1 || len(s.Faults()) != 1 || len(s.Subscriptions()) != 1 {
			t.Errorf("outcomes %+v, faults %+v, subscriptions %+v, want one each", s.Outcomes(), s.Faults(), s.Subscriptions())
		}
		checkEqual(t, "number of clients", len(s.Clients()), 1)
	}

	for want, seed := range map[string]string{
		`there is no tenant "northwind"; the tenants are: bakery`:       "version: 1\ntenants: [{tenant: bakery}]",
		"seed.yaml:2: not valid YAML":                                   "version: 1\ntenants: [",
		"version: want 1":                                               "version: 2\ntenants: []",
		`unknown field "files"`:                                         "version: 1\ntenants: [{tenant: northwind, documents: [{files: a}]}]",
		"none.txt: no such file":                                        "version: 1\ntenants: [{tenant: northwind, documents: [{file: none.txt}]}]",
		"seed.yaml:4:47: tenants[0].outcomes[0].status: want Completed": "version: 1\ntenants:\n  - tenant: northwind\n    outcomes: [{match: {filename: a}, status: Lost}]",
		"seed.yaml:4:18: tenants[0].clock.sat: unknown field":           "version: 1\ntenants:\n  - tenant: northwind\n    clock: {sat: 2000}",
		"seed.yaml:4:14: tenants[0].faults[0]: ":                        "version: 1\ntenants:\n  - tenant: northwind\n    faults: [{}]",
	} {
		path := write("seed.yaml", seed)
		if got := failureOf(t, func(t testing.TB) { Start(t).Seed(path, "northwind") }); !strings.Contains(got, want) {
			t.Errorf("got %q, want it to contain %q", got, want)
		}
	}
}
