package main

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/conform"
	"understudy.example/internal/fidelity"
)

// conform has a tenant of its own compare the server with the contract. Its
// submissions move on with each question for their status.
func (w *controlWorld) conform(t *testing.T, of *tenant, onlyStated bool) *conform.Report {
	t.Helper()
	report, err := conform.Run(t.Context(), conform.Target{
		BaseURL: w.url, AuthURL: w.url, HooksURL: w.url + "/",
		ClientID: of.client.ClientID, ClientSecret: of.client.ClientSecret, APIKey: of.client.APIKey,
		CompanyPackage: of.company, LocationPackage: of.location,
		LimitedClientID: "acme-company-client", LimitedClientSecret: "acme-company-secret",
		ForeignClientID: "globex-client", ForeignClientSecret: "globex-secret", ForeignAPIKey: "globex-api-key",
	}, conform.Options{OnlyStated: onlyStated, CompletionTimeout: time.Minute, PollInterval: 5 * time.Millisecond, Progress: t.Output(), Client: w.world.client})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

const byPolls = `{"pacing":{"mode":"polls","per_state":1}}`

// differing are the checks that do not agree.
func differing(report *conform.Report) []string {
	var list []string
	for _, c := range report.Checks {
		if !c.Agrees {
			list = append(list, fmt.Sprintf("%s: %s: %s, not %s", c.Part, c.Name, c.Got, c.Expected))
		}
	}
	return list
}

// TestConform: the server agrees with the contract, and nothing of the run
// stays that would deliver.
func TestConform(t *testing.T) {
	w := newControlWorld(t)
	of := w.tenant(byPolls)
	report := w.conform(t, of, false)
	if diff := cmp.Diff([]string(nil), differing(report)); diff != "" {
		t.Errorf("differences:\n%s", diff)
	}
	seen, named := map[fidelity.Label]int{}, map[string]bool{}
	for _, c := range report.Checks {
		seen[c.Label]++
		if name := c.Part + ": " + c.Name; named[name] {
			t.Errorf("two checks are named %s", name)
		} else {
			named[name] = true
		}
	}
	for _, name := range []string{"tenancy: DELETE another tenant's subscription, body", "webhooks: eleventh active subscription", "versions: v3 direct submission of 10 MB, body"} {
		if !named[name] {
			t.Errorf("no check is named %s", name)
		}
	}
	if seen[fidelity.Stated] < 80 || seen[fidelity.Public] < 10 || seen[fidelity.Chosen] < 80 {
		t.Errorf("checks by label: %v", seen)
	}
	of.caller.do("GET /hooks", "").want(t, http.StatusOK, "[]")
}

// TestConformOnlyStated: what is not stated is neither shown nor tried.
func TestConformOnlyStated(t *testing.T) {
	w := newControlWorld(t)
	of := w.tenant(byPolls)
	report := w.conform(t, of, true)
	if diff := cmp.Diff([]string(nil), differing(report)); diff != "" {
		t.Errorf("differences:\n%s", diff)
	}
	for _, c := range report.Checks {
		if c.Label != fidelity.Stated {
			t.Errorf("%s is %s", c.Name, c.Label)
		}
	}
	for _, call := range of.ask("GET /requests?limit=1000", "").want(t, http.StatusOK).get(t, "requests").([]any) {
		if entry := call.(map[string]any); entry["status"] == 409.0 {
			t.Errorf("%v was tried", entry["path"])
		}
	}
}

// TestConformDiffers: an answer that is not the contract's is reported, in the
// table and in the test report.
func TestConformDiffers(t *testing.T) {
	w := newControlWorld(t)
	// The altered answers are not those of the document.
	w.world.client = &http.Client{}
	of := w.tenant(byPolls)
	for _, fault := range []string{
		`{"route":"POST /company/v1/company_submit","status":200,"body":{"tx_id":1,"tenant_id":"x","extra":true},"times":1}`,
		`{"route":"GET /universal/v2/universal-submit/status/none","status":404,"body":{"message":"No such thing"}}`,
		`{"route":"GET /hooks","status":500}`,
		`{"route":"POST /company/v1/quick_submit","status":429,"times":1}`,
	} {
		of.ask("POST /faults", fault).want(t, http.StatusCreated)
	}
	report := w.conform(t, of, false)
	found := strings.Join(differing(report), "\n")
	if strings.Contains(found, "quick submit") {
		t.Errorf("one 429 is no difference:\n%s", found)
	}
	for _, want := range []string{
		"company: company submit, fields: tx_id is 1, want text; user_id is missing",
		"company: company submit, unexpected fields: extra, not ",
		`errors: status of a malformed transaction, body: {"message":"No such thing"}, not {"message":"Transaction not found"}`,
		"webhooks: list: 500 ",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is missing in\n%s", want, found)
		}
	}

	var table, junit strings.Builder
	if err := report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "DIFFERS  chosen  errors") {
		t.Errorf("table: %v\n%s", err, table.String())
	}
	if err := report.WriteJUnit(&junit, w.Now()); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Failure *struct{} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(junit.String()), &suite); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, c := range suite.Cases {
		if c.Failure != nil {
			failed++
		}
	}
	if suite.Tests != len(report.Checks) || suite.Failures != report.Differences() || failed != suite.Failures || failed < 4 {
		t.Errorf("%d tests, %d failures, %d failed", suite.Tests, suite.Failures, failed)
	}
}

// TestConformWithout: without a token nothing else is tried.
func TestConformWithout(t *testing.T) {
	w := newControlWorld(t)
	report := w.conform(t, &tenant{client: auth.Demo{ClientID: "nobody", ClientSecret: "none"}}, false)
	if len(report.Checks) > 8 || report.Differences() != 1 {
		t.Errorf("checks: %v", differing(report))
	}
}

// TestConformCommand: the command fails when something differs, and writes the
// report that it was asked for.
func TestConformCommand(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "junit.xml")
	command := conformance{BaseURL: w.url, ClientID: "nobody", ClientSecret: "none", Wait: time.Second, JUnit: file}
	if err := command.Run(t.Context()); err == nil || err.Error() != "conform: 1 of 6 checks differ" {
		t.Errorf("it ends with %v", err)
	}
	for _, address := range []string{"127.0.0.1:8080", "localhost", "ftp://localhost", "http://"} {
		command := conformance{BaseURL: w.url, HooksURL: address}
		if err := command.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--hooks-url") {
			t.Errorf("%s ends with %v", address, err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `failures="1"`) {
		t.Errorf("report %s: %v", text, err)
	}
}
