package company_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

const (
	quickSubmit = "POST /company/v1/quick_submit?dpid=acme-us-c0001"
	noPackage   = `{"message":"Data package not found"}`
)

// TestQuickSubmit checks that the response is that of an inquiry for the report
// that the call makes.
func TestQuickSubmit(t *testing.T) {
	servertest.Proves(t, "Chosen, company submit: quick submit adds the data of the inquiry")
	s := servertest.New(t)
	acme := s.Acme()
	submitted := acme.Do(servertest.SubmitCompany, brewery).Want(t, http.StatusOK)
	for _, c := range []servertest.Client{acme, companyClient(s)} {
		quick := c.Do(quickSubmit, brewery).Want(t, http.StatusOK)
		servertest.CheckCompanyV1(t, quick)
		if !companyTxID.MatchString(quick.Text(t, "tx_id")) || quick.Text(t, "c_report_id") == submitted.Text(t, "c_report_id") {
			t.Errorf("ids of %s, want new ones", quick.Body)
		}
		inquiry := acme.Do("GET /data/v1/acme-us-c0001/"+quick.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		for _, name := range []string{"data_package_id", "seed_input", "cleansed_input", "data", "scores", "l_report_id", "tenant_id"} {
			if diff := cmp.Diff(inquiry.Get(t, name), quick.Get(t, name)); diff != "" {
				t.Errorf("%s (- inquiry, + quick submit):\n%s", name, diff)
			}
		}
		if !servertest.KnownFields(t, quick.Get(t, "data"), field.Report)["company_id"] || quick.Text(t, "data", "company_id") != quick.Text(t, "c_report_id") {
			t.Errorf("company_id of %s, want the c_report_id", quick.Body)
		}
	}
}

func TestOrderOfQuickSubmitChecks(t *testing.T) {
	servertest.Proves(t, "Chosen, order of checks: route, Authorization, token, permission, API key")
	s := servertest.New(t)
	acme := s.Acme()
	mistakes := s.GateMistakes()
	// Without this even the company-only client has the permission.
	s.Exec("update clients set permissions = '{}' where id = 'acme-company-client'")
	s.Pass(time.Second)
	body := func(text string) func(*servertest.Call) {
		return func(c *servertest.Call) { c.Body = text }
	}
	s.CheckOrder(t, servertest.Call{Line: quickSubmit, Body: brewery, Token: acme.Token, Key: acme.Key}, append(mistakes,
		servertest.Mistake{Name: "body", Make: body(`[]`), Status: 400, Body: `{"message":"Invalid request body"}`},
		servertest.Mistake{Name: "company_name", Make: body(`{}`), Status: 400, Body: `{"message":"company_name is required"}`},
		servertest.Mistake{Name: "address", Make: body(`{"company_name":"A"}`), Status: 400, Body: `{"message":"address is required"}`},
		servertest.Mistake{Name: "package", Make: func(c *servertest.Call) {
			c.Line = strings.Replace(c.Line, "acme-us-c0001", "acme-us-c0009", 1)
		}, Status: 404, Body: noPackage},
	))
}

func TestQuickSubmitRefusesPackage(t *testing.T) {
	servertest.Proves(t, "Chosen, company submit: quick submit needs a company package of the tenant")
	s := servertest.New(t)
	acme := s.Acme()
	for _, query := range []string{"", "?dpid=", "?dpid=acme-us-l0001", "?dpid=globex-us-c0001", "?dpid=%00", "?dpid=%FF", "?DPID=acme-us-c0001"} {
		s.Refused(t, servertest.Call{Line: "POST /company/v1/quick_submit" + query, Body: brewery, Token: acme.Token, Key: acme.Key},
			http.StatusNotFound, noPackage)
	}
}
