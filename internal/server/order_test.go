package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// fault is one thing wrong with a call, and the answer that it deserves.
type fault struct {
	name   string
	make   func(*call)
	status int
	body   string
}

// The faults that any call can have, in the order in which they are looked for.
func (w *servertest.Server) faults() []fault {
	companyOnly := w.Login(auth.Demos[2]).Token
	return []fault{
		{"route", func(c *call) { c.line = "POST /nothing" }, 403, `{"message":"Missing Authentication Token"}`},
		{"no Authorization", func(c *call) { c.Token = "" }, 401, unauthorized},
		{"bad token", func(c *call) { c.Token += "x" }, 401, unauthorized},
		{"permission", func(c *call) { c.Token = companyOnly }, 403, notPermitted},
		{"API key", func(c *call) { c.Key = "globex-api-key" }, 403, forbidden},
	}
}

// orderly makes the call with each pair of faults and wants the answer to the
// earlier one.
func (w *servertest.Server) orderly(t *testing.T, good call, faults []fault) {
	t.Helper()
	for i, first := range faults {
		for _, second := range append([]fault{{name: "nothing", make: func(*call) {}}}, faults[i+1:]...) {
			c := good
			second.make(&c)
			first.make(&c)
			t.Run(first.name+" before "+second.name, func(t *testing.T) {
				w.refused(t, c, first.status, first.body)
			})
		}
	}
}

func TestOrderOfUploadURL(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	good := servertest.Call{Line: "POST /universal/v2/universal-submit/file-upload-url", Body: `{"filename":"a.txt"}`, Token: acme.Token, Key: acme.Key}
	w.orderly(t, good, append(w.faults(),
		fault{"body", func(c *call) { c.body = "{" }, 400, `{"message":"Invalid request body"}`},
		fault{"filename", func(c *call) { c.body = `{"filename":""}` }, 400, `{"message":"filename is required"}`},
	))
	w.Do(good).Want(t, http.StatusOK)
}

func TestOrderOfTrigger(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, _ := acme.Announce("a.txt")
	const path = "POST /universal/v2/universal-submit/file/"
	w.orderly(t, servertest.Call{Line: path + txID, Token: acme.Token, Key: acme.Key}, append(w.faults(),
		fault{"object", func(c *call) { c.line = path + absent }, 404, `{"message":"Transaction not found"}`},
		fault{"state", func(*call) {}, 409, `{"message":"File has not been uploaded"}`},
	))
}

func TestOrderOfInquiry(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, _ := acme.Announce("a.txt")
	replace := func(old, new string) func(*call) {
		return func(c *call) { c.line = strings.Replace(c.line, old, new, 1) }
	}
	good := servertest.Call{Line: "GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction", Token: acme.Token, Key: acme.Key}
	w.orderly(t, good, append(w.faults(),
		fault{"idType", replace("idType=transaction", "idType=report"), 400, `{"message":"Invalid idType"}`},
		fault{"package", replace("acme-us", "globex-us"), 404, `{"message":"Data package not found"}`},
		fault{"transaction", replace(txID, absent), 404, `{"message":"Transaction not found"}`},
		fault{"state", func(*call) {}, 409, `{"message":"Transaction is not complete","status":"Pending"}`},
	))
}

func TestOrderOfCompanySubmit(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	faults := w.faults()
	// Even the company-only client may do this.
	w.Exec("update clients set permissions = '{}' where id = 'acme-company-client'")
	w.Pass(time.Second)
	w.orderly(t, servertest.Call{Line: "POST /company/v1/company_submit", Body: `{"company_name":"A","address":"B"}`, Token: acme.Token, Key: acme.Key}, append(faults,
		fault{"body", func(c *call) { c.body = `[]` }, 400, `{"message":"Invalid request body"}`},
		fault{"company_name", func(c *call) { c.body = `{}` }, 400, `{"message":"company_name is required"}`},
		fault{"address", func(c *call) { c.body = `{"company_name":"A"}` }, 400, `{"message":"address is required"}`},
	))
}
