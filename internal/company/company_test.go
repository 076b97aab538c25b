package company_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// demoOf is the demo client with this id.
func demoOf(id string) auth.Demo {
	for _, demo := range auth.Demos {
		if demo.ClientID == id {
			return demo
		}
	}
	panic("no demo client " + id)
}

const companySubmit = "POST /company/v1/company_submit"

func TestCompanySubmitRefusals(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	for name, c := range map[string]struct{ body, missing string }{
		"nothing":                 {`{}`, "company_name"},
		"name missing":            {`{"address":"B"}`, "company_name"},
		"name empty":              {`{"company_name":"","address":"B"}`, "company_name"},
		"name blank":              {`{"company_name":" \t\n","address":"B"}`, "company_name"},
		"name blank beyond ASCII": {`{"company_name":"\u3000","address":"B"}`, "company_name"},
		"name null":               {`{"company_name":null,"address":"B"}`, "company_name"},
		"name a number":           {`{"company_name":1,"address":"B"}`, "company_name"},
		"name an object":          {`{"company_name":{},"address":"B"}`, "company_name"},
		"name an array":           {`{"company_name":["A"],"address":"B"}`, "company_name"},
		"name in another case":    {`{"Company_Name":"A","address":"B"}`, "company_name"},
		"both blank":              {`{"company_name":" ","address":" "}`, "company_name"},
		"address missing":         {`{"company_name":"A"}`, "address"},
		"address empty":           {`{"company_name":"A","address":""}`, "address"},
		"address blank":           {`{"company_name":"A","address":"  "}`, "address"},
		"address null":            {`{"company_name":"A","address":null}`, "address"},
		"address a boolean":       {`{"company_name":"A","address":true}`, "address"},
		"address an object":       {`{"company_name":"A","address":{"city":"B"}}`, "address"},
		"address in another case": {`{"company_name":"A","ADDRESS":"B"}`, "address"},
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(t, servertest.Call{Line: companySubmit, Token: acme.Token, Key: acme.Key, Body: c.body},
				http.StatusBadRequest, `{"message":"`+c.missing+` is required"}`)
		})
	}
}

var companyTxID = regexp.MustCompile(`^acme-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func TestCompanySubmit(t *testing.T) {
	w := servertest.New(t)
	acme, company := w.Acme(), w.Login(demoOf("acme-company-client"))
	const body = `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`
	seen := map[string]bool{}
	var data []any
	for _, c := range []servertest.Client{acme, acme, company} {
		got := c.Do(companySubmit, body).Want(t, http.StatusOK)
		keys(t, got.Get(t), "tx_id:s tenant_id:s user_id:s tx_start_time:s tx_end_time:s response_time_secs:n seed_input:o c_report_id:s l_report_id:s")
		for name, pattern := range map[string]*regexp.Regexp{"tx_id": companyTxID, "c_report_id": reportID, "l_report_id": reportID} {
			id := got.Text(t, name)
			if !pattern.MatchString(id) || seen[id] {
				t.Errorf("%s %s", name, id)
			}
			seen[id] = true
		}
		if id := got.Text(t, "c_report_id"); id[:4] != "CUS1" || got.Text(t, "l_report_id")[:4] != "LUS1" {
			t.Errorf("report ids of a company in the US: %s", got.Body)
		}
		if got.Text(t, "tenant_id") != "acme" {
			t.Errorf("tenant_id %s", got.Text(t, "tenant_id"))
		}
		var want any
		if err := json.Unmarshal([]byte(body), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Get(t, "seed_input")); diff != "" {
			t.Errorf("seed_input:\n%s", diff)
		}
		// Either client of the tenant reads it, now and later.
		for _, reader := range []servertest.Client{acme, company} {
			report := reader.Do("GET /data/v1/acme-us-c0001/"+got.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
			checkCompanyV1(t, report)
			if report.Text(t, "c_report_id") != got.Text(t, "c_report_id") || report.Text(t, "l_report_id") != got.Text(t, "l_report_id") {
				t.Errorf("report %s", report.Body)
			}
			values := report.Get(t, "data").(map[string]any)
			delete(values, "company_id")
			data = append(data, []any{values, report.Get(t, "scores"), report.Get(t, "cleansed_input"), report.Get(t, "seed_input")})
		}
		w.Pass(time.Hour)
	}
	for _, other := range data[1:] {
		if diff := cmp.Diff(data[0], other); diff != "" {
			t.Errorf("the same company, other data:\n%s", diff)
		}
	}
}

// TestCompanyTexts: what a client sends comes back as it was.
func TestCompanyTexts(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	for _, name := range []string{"A", " A ", "Müller & Söhne <GmbH>", `"quoted" \ `, "新光", "line\nfeed\u2028", "🙂", "\ufffd", "%s%d", "'; drop table reports; --"} {
		body, err := json.Marshal(map[string]string{"company_name": name, "address": name})
		if err != nil {
			t.Fatal(err)
		}
		got := acme.Do(companySubmit, string(body)).Want(t, http.StatusOK)
		report := acme.Do("GET /data/v1/acme-us-c0001/"+got.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		checkCompanyV1(t, report)
		for _, a := range []servertest.Response{got, report} {
			if a.Text(t, "seed_input", "company_name") != name || a.Text(t, "seed_input", "address") != name {
				t.Errorf("%q came back in %s", name, a.Body)
			}
		}
	}
}
