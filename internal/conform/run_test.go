package conform_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/conform"
	"understudy.example/internal/fidelity"
	"understudy.example/internal/server/servertest"
)

// byPolls are settings with which a submission moves on with each status poll.
const byPolls = `{"pacing":{"mode":"polls","per_state":1}}`

// run compares the server with the contract, as the tenant's client.
func run(t *testing.T, tenant *servertest.Tenant, client *http.Client, onlyStated bool) *conform.Report {
	t.Helper()
	report, err := conform.Run(t.Context(), conform.Target{
		BaseURL: tenant.URL, AuthURL: tenant.URL, HooksURL: tenant.URL + "/",
		ClientID: tenant.Credentials.ClientID, ClientSecret: tenant.Credentials.ClientSecret, APIKey: tenant.Credentials.APIKey,
		CompanyPackage: tenant.CompanyPackage, LocationPackage: tenant.LocationPackage,
		LimitedClientID: "acme-company-client", LimitedClientSecret: "acme-company-secret",
		ForeignClientID: "globex-client", ForeignClientSecret: "globex-secret", ForeignAPIKey: "globex-api-key",
	}, conform.Options{OnlyStated: onlyStated, CompletionTimeout: time.Minute, PollInterval: 5 * time.Millisecond, Progress: t.Output(), Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// differences returns the checks that do not agree.
func differences(report *conform.Report) []string {
	var list []string
	for _, c := range report.Checks {
		if !c.Agrees {
			list = append(list, fmt.Sprintf("%s: %s: %s, not %s", c.Part, c.Name, c.Got, c.Expected))
		}
	}
	return list
}

// TestServerConforms checks that the server agrees with the contract, and that a
// run leaves no subscription behind.
func TestServerConforms(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(byPolls)
	report := run(t, tenant, s.Client, false)
	if diff := cmp.Diff([]string(nil), differences(report)); diff != "" {
		t.Errorf("differences (- want, + got):\n%s", diff)
	}
	labels, names := map[fidelity.Label]int{}, map[string]bool{}
	for _, c := range report.Checks {
		labels[c.Label]++
		if name := c.Part + ": " + c.Name; names[name] {
			t.Errorf("two checks are named %s", name)
		} else {
			names[name] = true
		}
	}
	for _, name := range []string{"tenancy: DELETE another tenant's subscription, body", "webhooks: eleventh active subscription", "versions: v3 direct submission of 10 MB, body"} {
		if !names[name] {
			t.Errorf("no check is named %s", name)
		}
	}
	if labels[fidelity.Stated] < 80 || labels[fidelity.Public] < 10 || labels[fidelity.Chosen] < 80 {
		t.Errorf("checks by label: %v", labels)
	}
	tenant.Do("GET /hooks", "").Want(t, http.StatusOK, "[]")
}

// TestOnlyStatedMakesNoOtherCall checks that a run limited to stated expectations
// neither reports nor tries anything else.
func TestOnlyStatedMakesNoOtherCall(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(byPolls)
	report := run(t, tenant, s.Client, true)
	if diff := cmp.Diff([]string(nil), differences(report)); diff != "" {
		t.Errorf("differences (- want, + got):\n%s", diff)
	}
	for _, c := range report.Checks {
		if c.Label != fidelity.Stated {
			t.Errorf("%s is %s", c.Name, c.Label)
		}
	}
	for _, call := range tenant.Journal("limit=1000") {
		if call.Status != nil && *call.Status == http.StatusConflict {
			t.Errorf("%s %s was tried", call.Method, call.Path)
		}
	}
}

// TestDifferencesAreReported checks that responses which differ from the contract
// are in the report, its table and its JUnit file.
func TestDifferencesAreReported(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(byPolls)
	for _, fault := range []string{
		`{"route":"POST /company/v1/company_submit","status":200,"body":{"tx_id":1,"tenant_id":"x","extra":true},"times":1}`,
		`{"route":"GET /universal/v2/universal-submit/status/none","status":404,"body":{"message":"No such thing"}}`,
		`{"route":"GET /hooks","status":500}`,
		`{"route":"POST /company/v1/quick_submit","status":429,"times":1}`,
	} {
		tenant.Fault(fault)
	}
	report := run(t, tenant, &http.Client{}, false) // the responses of faults are not in the document
	found := strings.Join(differences(report), "\n")
	if strings.Contains(found, "quick submit") {
		t.Errorf("a single 429 was reported:\n%s", found)
	}
	for _, want := range []string{
		"company: company submit, fields: tx_id is 1, want text; user_id is missing",
		"company: company submit, unexpected fields: extra, not ",
		`errors: status of a malformed transaction, body: {"message":"No such thing"}, not {"message":"Transaction not found"}`,
		"webhooks: list: 500 ",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("no %q in\n%s", want, found)
		}
	}

	var table, junit strings.Builder
	if err := report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "DIFFERS  chosen  errors") {
		t.Errorf("table: %v\n%s", err, table.String())
	}
	if err := report.WriteJUnit(&junit, s.Now()); err != nil {
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
		t.Errorf("JUnit: %d tests, %d failures, %d cases with a failure; report: %d checks, %d differences",
			suite.Tests, suite.Failures, failed, len(report.Checks), report.Differences())
	}
}

func TestRunEndsWithoutToken(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	tenant.Credentials = auth.Demo{ClientID: "nobody", ClientSecret: "none"}
	report := run(t, tenant, s.Client, false)
	if len(report.Checks) > 8 || report.Differences() != 1 {
		t.Errorf("%d checks, want at most 8; differences, want 1: %v", len(report.Checks), differences(report))
	}
}
