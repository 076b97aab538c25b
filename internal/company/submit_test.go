package company_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// brewery is the body of a company submit.
const brewery = `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`

var (
	companyTxID = regexp.MustCompile(`^acme-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	reportID    = regexp.MustCompile(`^[CL][A-Z]{2}1[0-9A-F]{16}$`)
)

// companyClient is a client of the tenant acme that may only submit companies and
// read their reports.
func companyClient(s *servertest.Server) servertest.Client { return s.Login(seed.Demos()[2]) }

func TestSubmitRefusals(t *testing.T) {
	servertest.Proves(t, "Company submit request and response: both fields are expected",
		"Chosen, company submit: company_name or address missing, blank, no string or too long: 400")
	s := servertest.New(t)
	acme := s.Acme()
	for name, c := range map[string]struct{ body, message string }{
		"nothing":                 {`{}`, "company_name is required"},
		"name missing":            {`{"address":"B"}`, "company_name is required"},
		"name empty":              {`{"company_name":"","address":"B"}`, "company_name is required"},
		"name blank":              {`{"company_name":" \t\n","address":"B"}`, "company_name is required"},
		"name blank beyond ASCII": {`{"company_name":"\u3000","address":"B"}`, "company_name is required"},
		"name null":               {`{"company_name":null,"address":"B"}`, "company_name is required"},
		"name a number":           {`{"company_name":1,"address":"B"}`, "company_name must be a string"},
		"name an object":          {`{"company_name":{},"address":"B"}`, "company_name must be a string"},
		"name an array":           {`{"company_name":["A"],"address":"B"}`, "company_name must be a string"},
		"name in another case":    {`{"Company_Name":"A","address":"B"}`, "company_name is required"},
		"both blank":              {`{"company_name":" ","address":" "}`, "company_name is required"},
		"name too long":           {`{"company_name":"` + strings.Repeat("ö", 2048) + `a","address":"B"}`, "company_name must be at most 4096 bytes"},
		"address too long":        {`{"company_name":"A","address":"` + strings.Repeat("b", 4097) + `"}`, "address must be at most 4096 bytes"},
		"address missing":         {`{"company_name":"A"}`, "address is required"},
		"address empty":           {`{"company_name":"A","address":""}`, "address is required"},
		"address blank":           {`{"company_name":"A","address":"  "}`, "address is required"},
		"address null":            {`{"company_name":"A","address":null}`, "address is required"},
		"address a boolean":       {`{"company_name":"A","address":true}`, "address must be a string"},
		"address an object":       {`{"company_name":"A","address":{"city":"B"}}`, "address must be a string"},
		"address in another case": {`{"company_name":"A","ADDRESS":"B"}`, "address is required"},
	} {
		t.Run(name, func(t *testing.T) {
			s.Refused(t, servertest.Call{Line: servertest.SubmitCompany, Token: acme.Token, Key: acme.Key, Body: c.body},
				http.StatusBadRequest, `{"message":"`+c.message+`"}`)
		})
	}
}

// TestSubmit checks that every submit has new ids, that both clients of the tenant
// can read its report, and that the same company has the same data, now and later.
func TestSubmit(t *testing.T) {
	servertest.Proves(t,
		"What the service does: 3 a name and an address return two report ids",
		"Endpoint 8, company submit: method, path, body, response",
		"Chosen, universal submit: report ids have country, time and random digits",
		"Chosen, company submit: tx_id is the tenant's name and a UUID",
		"Chosen, company submit: synchronous",
		"Chosen, company submit: the same company has the same data, with new ids")
	s := servertest.New(t)
	acme, companyOnly := s.Acme(), companyClient(s)
	seen := map[string]bool{}
	var data []any
	for _, c := range []servertest.Client{acme, acme, companyOnly} {
		submitted := c.Do(servertest.SubmitCompany, brewery).Want(t, http.StatusOK)
		servertest.CheckKeys(t, submitted.Get(t), "tx_id:s tenant_id:s user_id:s tx_start_time:s tx_end_time:s response_time_secs:n seed_input:o c_report_id:s l_report_id:s")
		for name, pattern := range map[string]*regexp.Regexp{"tx_id": companyTxID, "c_report_id": reportID, "l_report_id": reportID} {
			id := submitted.Text(t, name)
			if !pattern.MatchString(id) || seen[id] {
				t.Errorf("%s %s, want a new one of the form %s", name, id, pattern)
			}
			seen[id] = true
		}
		digits := fmt.Sprintf("US1%011X", s.Now().UnixMilli())
		if !strings.HasPrefix(submitted.Text(t, "c_report_id"), "C"+digits) || !strings.HasPrefix(submitted.Text(t, "l_report_id"), "L"+digits) {
			t.Errorf("report ids of a company in the US: %s", submitted.Body)
		}
		if tenant := submitted.Text(t, "tenant_id"); tenant != "acme" {
			t.Errorf("tenant_id %s, want acme", tenant)
		}
		var seed any
		if err := json.Unmarshal([]byte(brewery), &seed); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(seed, submitted.Get(t, "seed_input")); diff != "" {
			t.Errorf("seed_input (- want, + got):\n%s", diff)
		}
		for _, reader := range []servertest.Client{acme, companyOnly} {
			report := reader.Do("GET /data/v1/acme-us-c0001/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
			servertest.CheckCompanyV1(t, report)
			if report.Text(t, "c_report_id") != submitted.Text(t, "c_report_id") || report.Text(t, "l_report_id") != submitted.Text(t, "l_report_id") {
				t.Errorf("report %s, want the ids of %s", report.Body, submitted.Body)
			}
			values := report.Get(t, "data").(map[string]any)
			delete(values, "company_id")
			data = append(data, []any{values, report.Get(t, "scores"), report.Get(t, "cleansed_input"), report.Get(t, "seed_input")})
		}
		s.Pass(time.Hour)
	}
	for _, other := range data[1:] {
		if diff := cmp.Diff(data[0], other); diff != "" {
			t.Errorf("data of the same company (- first, + later):\n%s", diff)
		}
	}
}

// TestSeedInputIsUnchanged checks that responses show the name and address exactly
// as they were sent.
func TestSeedInputIsUnchanged(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	for _, name := range []string{"A", " A ", "Müller & Söhne <GmbH>", `"quoted" \ `, "新光", "line\nfeed\u2028", "🙂", "\ufffd", "%s%d", "'; drop table reports; --", strings.Repeat("ö", 2048)} {
		body, err := json.Marshal(map[string]string{"company_name": name, "address": name})
		if err != nil {
			t.Fatal(err)
		}
		submitted := acme.Do(servertest.SubmitCompany, string(body)).Want(t, http.StatusOK)
		report := acme.Do("GET /data/v1/acme-us-c0001/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		servertest.CheckCompanyV1(t, report)
		for _, response := range []servertest.Response{submitted, report} {
			if response.Text(t, "seed_input", "company_name") != name || response.Text(t, "seed_input", "address") != name {
				t.Errorf("seed_input of %s, want %q", response.Body, name)
			}
		}
	}
}

// TestAwaitCompanySubmit waits for a company submit in the feed of its tenant.
func TestAwaitCompanySubmit(t *testing.T) {
	s := servertest.New(t)
	submitted := s.Acme().Do(servertest.SubmitCompany, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
	txID := submitted.Text(t, "tx_id")
	got := s.Tenant("acme").Control("GET /await?event=company_submit:completed&within=0s&tx_id="+txID, "").Want(t, http.StatusOK)
	if kind := got.Text(t, "kind"); kind != "state" || got.Text(t, "tx_id") != txID {
		t.Errorf("entry %s", got.Body)
	}
	s.Tenant("globex").Control("GET /await?event=company_submit:completed&within=0s", "").Want(t, http.StatusRequestTimeout)
}
