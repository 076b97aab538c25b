package data_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/server/servertest"
)

// Bodies of refused inquiries.
const (
	noPackage  = `{"message":"Data package not found"}`
	noReport   = `{"message":"Report not found"}`
	incomplete = `{"message":"Transaction is not complete","status":` // and the status
)

// companyBody is the body of a company submit.
const companyBody = `{"company_name":"A","address":"B"}`

func TestInquiryRefusals(t *testing.T) {
	servertest.Proves(t,
		"Endpoint 6, company data of a transaction: dp_id and tx_id",
		"Chosen, data inquiry: idType of version 2 is transaction or sov, and is given once",
		"Chosen, data inquiry: a location package is not found by idType transaction and in version 1",
		"Chosen, data inquiry: an unknown package and another tenant's are not found",
		"Chosen, data inquiry: an unknown transaction or report and another tenant's are not found",
		"Chosen, data inquiry: a transaction that has not ended, or has failed, has no data")
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	done, foreign := acme.Submit("a.txt", servertest.Letter), globex.Submit("a.txt", servertest.Letter)
	failed := acme.Submit("a.bin", []byte("\x01"))
	pending, _ := acme.Announce("a.txt")
	triggered := acme.SubmitFile("a.txt", servertest.Letter)
	report, foreignReport := acme.Status(done), globex.Status(foreign)
	foreignCompany := globex.Do(servertest.SubmitCompany, companyBody).Want(t, http.StatusOK)

	const badType = `{"message":"Invalid idType"}`
	for _, c := range []struct {
		line, body string
		status     int
	}{
		{"/data/v2/acme-us-c0001/" + done, badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=Transaction", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=SOV", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=report", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=transaction%20", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idtype=transaction", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?IdType=transaction", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=transaction&idType=sov", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=sov&idType=sov", badType, 400},

		{"/data/v2/acme-us-c0002/" + done + "?idType=transaction", noPackage, 404},
		{"/data/v2/globex-us-c0001/" + done + "?idType=transaction", noPackage, 404},
		{"/data/v2/globex-us-l0001/" + done + "?idType=sov", noPackage, 404},
		{"/data/v2/ACME-us-c0001/" + done + "?idType=sov", noPackage, 404},
		{"/data/v2/%00/" + done + "?idType=sov", noPackage, 404},
		{"/data/v2/%FF/" + done + "?idType=sov", noPackage, 404},
		// Company data of versions 1 and 2 cannot be read with a location package.
		{"/data/v2/acme-us-l0001/" + done + "?idType=transaction", noPackage, 404},
		{"/data/v2/acme-us-property-l0001/" + done + "?idType=transaction", noPackage, 404},
		{"/data/v1/acme-us-l0001/" + report.Text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/acme-us-property-l0001/" + report.Text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/acme-us-c0002/" + report.Text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/globex-us-c0001/" + report.Text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/%00/" + report.Text(t, "c_report_id"), noPackage, 404},

		{"/data/v2/acme-us-c0001/" + foreign + "?idType=transaction", servertest.TransactionNotFound, 404},
		{"/data/v2/acme-us-c0001/" + report.Text(t, "c_report_id") + "?idType=transaction", servertest.TransactionNotFound, 404},
		{"/data/v2/acme-us-c0001/" + foreignCompany.Text(t, "tx_id") + "?idType=transaction", servertest.TransactionNotFound, 404},

		{"/data/v2/acme-us-c0001/" + pending + "?idType=transaction", incomplete + `"Pending"}`, 409},
		{"/data/v2/acme-us-c0001/" + pending + "?idType=sov", incomplete + `"Pending"}`, 409},
		{"/data/v2/acme-us-c0001/" + triggered + "?idType=transaction", incomplete + `"Submission_in_progress"}`, 409},
		{"/data/v2/acme-us-c0001/" + failed + "?idType=transaction", incomplete + `"Failed"}`, 409},
		{"/data/v2/acme-us-l0001/" + failed + "?idType=sov", incomplete + `"Failed"}`, 409},

		{"/data/v1/acme-us-c0001/CUS1187A2AAE214E4540", noReport, 404},
		{"/data/v1/acme-us-c0001/" + report.Text(t, "l_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + strings.ToLower(report.Text(t, "c_report_id")), noReport, 404},
		{"/data/v1/acme-us-c0001/" + foreignReport.Text(t, "c_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + foreignCompany.Text(t, "c_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + done, noReport, 404},
		{"/data/v1/acme-us-c0001/x", noReport, 404},
		{"/data/v1/acme-us-c0001/%00", noReport, 404},
		{"/data/v1/acme-us-c0001/%FF", noReport, 404},
	} {
		t.Run(c.line, func(t *testing.T) {
			s.Refused(t, servertest.Call{Line: "GET " + c.line, Token: acme.Token, Key: acme.Key}, c.status, c.body)
		})
	}
}

// TestLaterInquiryRefusals checks the refusals of versions 3 to 5.
func TestLaterInquiryRefusals(t *testing.T) {
	servertest.Proves(t,
		"Chosen, data inquiry: an unknown package and another tenant's are not found",
		"Chosen, data inquiry: an unknown transaction or report and another tenant's are not found",
		"Chosen, data inquiry: a transaction that has not ended, or has failed, has no data")
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	done, foreign := acme.Submit("a.txt", servertest.Letter), globex.Submit("a.txt", servertest.Letter)
	failed := acme.Submit("a.bin", []byte("\x01"))
	pending, _ := acme.Announce("a.txt")
	report, foreignReport := acme.Status(done), globex.Status(foreign)
	foreignCompany := globex.Do(servertest.SubmitCompany, companyBody).Want(t, http.StatusOK)

	for _, version := range []string{"v3", "v4", "v5"} {
		for _, c := range []struct {
			path, body string
			status     int
		}{
			{"acme-us-c0002/" + done, noPackage, 404},
			{"globex-us-c0001/" + done, noPackage, 404},
			{"globex-us-l0001/" + foreignReport.Text(t, "c_report_id"), noPackage, 404},
			{"%00/" + done, noPackage, 404},
			{"acme-us-c0001/" + servertest.Absent, servertest.TransactionNotFound, 404},
			{"acme-us-c0001/" + foreign, servertest.TransactionNotFound, 404},
			{"acme-us-l0001/" + foreign, servertest.TransactionNotFound, 404},
			{"acme-us-c0001/" + foreignCompany.Text(t, "tx_id"), servertest.TransactionNotFound, 404},
			{"acme-us-c0001/%00", servertest.TransactionNotFound, 404},
			{"acme-us-c0001/%FF", servertest.TransactionNotFound, 404},
			{"acme-us-c0001/" + strings.ToLower(report.Text(t, "c_report_id")), servertest.TransactionNotFound, 404},
			{"acme-us-c0001/CUS1187A2AAE214E4540", noReport, 404},
			{"acme-us-c0001/LZZ0", noReport, 404},
			{"acme-us-c0001/" + foreignReport.Text(t, "c_report_id"), noReport, 404},
			{"acme-us-l0001/" + foreignReport.Text(t, "l_report_id"), noReport, 404},
			{"acme-us-l0001/" + foreignCompany.Text(t, "c_report_id"), noReport, 404},
			{"acme-us-c0001/" + pending, incomplete + `"Pending"}`, 409},
			{"acme-us-l0001/" + pending, incomplete + `"Pending"}`, 409},
			{"acme-us-l0001/" + failed, incomplete + `"Failed"}`, 409},
		} {
			t.Run(version+"/"+c.path, func(t *testing.T) {
				s.Refused(t, servertest.Call{Line: "GET /data/" + version + "/" + c.path, Token: acme.Token, Key: acme.Key}, c.status, c.body)
			})
		}
	}
}

// TestInquiryOfUnknownTransactions checks that an id that no transaction has, and
// any other spelling of the id of one, is refused in one way.
func TestInquiryOfUnknownTransactions(t *testing.T) {
	servertest.Proves(t, "Chosen, data inquiry: an unknown transaction or report and another tenant's are not found")
	s := servertest.New(t)
	acme := s.Acme()
	own := acme.Submit("a.txt", servertest.Letter)
	ids := []string{
		servertest.Absent, uuid.Nil.String(),
		"x", "1", "null", "%20", "a%2Fb", "..%2F..", "%00", "%ff", "%FF", strings.Repeat("a", 4000), "acme-" + servertest.Absent,
		"{" + own + "}", "urn:uuid:" + own, strings.ReplaceAll(own, "-", ""), own + "%20", own + "x", own[:35],
	}
	for _, line := range []string{
		"GET /data/v2/acme-us-c0001/ID?idType=transaction",
		"GET /data/v2/acme-us-l0001/ID?idType=sov",
		"GET /data/v3/acme-us-c0001/ID",
		"GET /data/v5/acme-us-l0001/ID",
	} {
		for _, id := range ids {
			call := servertest.Call{Line: strings.Replace(line, "ID", id, 1), Token: acme.Token, Key: acme.Key}
			s.Refused(t, call, http.StatusNotFound, servertest.TransactionNotFound)
		}
	}
}
