package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

func TestOrderOfUploadURLChecks(t *testing.T) {
	servertest.Proves(t,
		"Chosen, order of checks: route, Authorization, token, permission, API key",
		"Chosen, order of checks: then body, fields, object, state")
	s := servertest.New(t)
	acme := s.Acme()
	good := servertest.Call{Line: servertest.GetUploadURL, Body: `{"filename":"a.txt"}`, Token: acme.Token, Key: acme.Key}
	s.CheckOrder(t, good, append(s.GateMistakes(),
		servertest.Mistake{Name: "body", Make: func(c *servertest.Call) { c.Body = "{" }, Status: 400, Body: `{"message":"Invalid request body"}`},
		servertest.Mistake{Name: "filename", Make: func(c *servertest.Call) { c.Body = `{"filename":""}` }, Status: 400, Body: `{"message":"filename is required"}`},
	))
	s.Do(good).Want(t, http.StatusOK)
}

func TestOrderOfTriggerChecks(t *testing.T) {
	servertest.Proves(t,
		"Chosen, order of checks: route, Authorization, token, permission, API key",
		"Chosen, order of checks: then body, fields, object, state")
	s := servertest.New(t)
	acme := s.Acme()
	txID, _ := acme.Announce("a.txt")
	const path = "POST /universal/v2/universal-submit/file/"
	good := servertest.Call{Line: path + txID, Token: acme.Token, Key: acme.Key}
	s.CheckOrder(t, good, append(s.GateMistakes(),
		servertest.Mistake{Name: "object", Make: func(c *servertest.Call) { c.Line = path + servertest.Absent }, Status: 404, Body: servertest.TransactionNotFound},
		servertest.Mistake{Name: "state", Make: func(*servertest.Call) {}, Status: 409, Body: `{"message":"File has not been uploaded"}`},
	))
}

func TestOrderOfInquiryChecks(t *testing.T) {
	servertest.Proves(t,
		"Chosen, order of checks: route, Authorization, token, permission, API key",
		"Chosen, order of checks: then body, fields, object, state")
	s := servertest.New(t)
	acme := s.Acme()
	txID, _ := acme.Announce("a.txt")
	replace := func(old, new string) func(*servertest.Call) {
		return func(c *servertest.Call) { c.Line = strings.Replace(c.Line, old, new, 1) }
	}
	good := servertest.Call{Line: "GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction", Token: acme.Token, Key: acme.Key}
	s.CheckOrder(t, good, append(s.GateMistakes(),
		servertest.Mistake{Name: "idType", Make: replace("idType=transaction", "idType=report"), Status: 400, Body: `{"message":"Invalid idType"}`},
		servertest.Mistake{Name: "package", Make: replace("acme-us", "globex-us"), Status: 404, Body: `{"message":"Data package not found"}`},
		servertest.Mistake{Name: "transaction", Make: replace(txID, servertest.Absent), Status: 404, Body: servertest.TransactionNotFound},
		servertest.Mistake{Name: "state", Make: func(*servertest.Call) {}, Status: 409, Body: `{"message":"Transaction is not complete","status":"Pending"}`},
	))
}

func TestOrderOfCompanySubmitChecks(t *testing.T) {
	servertest.Proves(t, "Chosen, order of checks: then body, fields, object, state")
	s := servertest.New(t)
	acme := s.Acme()
	mistakes := s.GateMistakes()
	// The limited client has the permission for this route: take it away.
	s.Exec("update clients set permissions = '{}' where id = 'acme-company-client'")
	s.Pass(time.Second)
	good := servertest.Call{Line: servertest.SubmitCompany, Body: `{"company_name":"A","address":"B"}`, Token: acme.Token, Key: acme.Key}
	s.CheckOrder(t, good, append(mistakes,
		servertest.Mistake{Name: "body", Make: func(c *servertest.Call) { c.Body = `[]` }, Status: 400, Body: `{"message":"Invalid request body"}`},
		servertest.Mistake{Name: "company_name", Make: func(c *servertest.Call) { c.Body = `{}` }, Status: 400, Body: `{"message":"company_name is required"}`},
		servertest.Mistake{Name: "address", Make: func(c *servertest.Call) { c.Body = `{"company_name":"A"}` }, Status: 400, Body: `{"message":"address is required"}`},
	))
}
