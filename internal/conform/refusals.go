package conform

import (
	"fmt"
	"net/http"
	"strings"

	"understudy.example/internal/fidelity"
)

const (
	unauthorized  = `{"message":"Unauthorized"}`
	forbidden     = `{"message":"Forbidden"}`
	notPermitted  = `{"message":"User is not authorized to access this resource"}`
	unknownRoute  = `{"message":"Missing Authentication Token"}`
	badBody       = `{"message":"Invalid request body"}`
	noTransaction = `{"message":"Transaction not found"}`
	noPackage     = `{"message":"Data package not found"}`
)

// guarded are the calls that need a token and an API key, and those that the
// limited client may not make.
var guarded = []struct {
	name, line, body string
	limited          bool // the limited client may make it
}{
	{"upload address", "POST /universal/v2/universal-submit/file-upload-url", `{"filename":"a.txt"}`, false},
	{"trigger", "POST /universal/v2/universal-submit/file/" + absent, "", false},
	{"status", "GET /universal/v2/universal-submit/status/" + absent, "", false},
	{"data v2", "GET /data/v2/{company}/" + absent + "?idType=transaction", "", false},
	{"data v1", "GET /data/v1/{company}/CUS0", "", true},
	{"company submit", "POST /company/v1/company_submit", `{}`, true},
}

// refusals are the mistakes of clients.
func (r *run) refusals() {
	if r.token == "" {
		r.skip("refusals", "there is no token")
		return
	}
	for _, g := range guarded {
		r.atTheGate(g.name, r.fill(g.line, g.body), g.limited)
	}
	r.atTheHooksGate()
	for _, wrong := range []struct {
		name, line, body string
		status           int
		says             string
	}{
		{"no file name", "POST /universal/v2/universal-submit/file-upload-url", `{}`, 400, `{"message":"filename is required"}`},
		{"blank file name", "POST /universal/v2/universal-submit/file-upload-url", `{"filename":" "}`, 400, `{"message":"filename is required"}`},
		{"file name that is a number", "POST /universal/v2/universal-submit/file-upload-url", `{"filename":1}`, 400, `{"message":"filename is required"}`},
		{"file name of 256 bytes", "POST /universal/v2/universal-submit/file-upload-url", fmt.Sprintf(`{"filename":%q}`, strings.Repeat("a", 256)), 400, `{"message":"filename is required"}`},
		{"upload address, malformed JSON", "POST /universal/v2/universal-submit/file-upload-url", `{`, 400, badBody},
		{"trigger of an unknown transaction", "POST /universal/v2/universal-submit/file/" + absent, "", 404, noTransaction},
		{"trigger of a malformed transaction", "POST /universal/v2/universal-submit/file/none", "", 404, noTransaction},
		{"status of an unknown transaction", "GET /universal/v2/universal-submit/status/" + absent, "", 404, noTransaction},
		{"status of a malformed transaction", "GET /universal/v2/universal-submit/status/none", "", 404, noTransaction},
		{"data without idType", "GET /data/v2/{company}/" + absent, "", 400, `{"message":"Invalid idType"}`},
		{"data of another idType", "GET /data/v2/{company}/" + absent + "?idType=report", "", 400, `{"message":"Invalid idType"}`},
		{"data of an unknown package", "GET /data/v2/none-us-c0000/" + absent + "?idType=transaction", "", 404, noPackage},
		{"data of an unknown transaction", "GET /data/v2/{company}/" + absent + "?idType=transaction", "", 404, noTransaction},
		{"report of an unknown package", "GET /data/v1/none-us-c0000/CUS0", "", 404, noPackage},
		{"unknown report", "GET /data/v1/{company}/CUS0", "", 404, `{"message":"Report not found"}`},
		{"company without a name", "POST /company/v1/company_submit", `{"address":"5 Dock Road"}`, 400, `{"message":"company_name is required"}`},
		{"company without an address", "POST /company/v1/company_submit", `{"company_name":"A"}`, 400, `{"message":"address is required"}`},
		{"company, malformed JSON", "POST /company/v1/company_submit", `{`, 400, badBody},
		{"unknown path", "GET /universal/v2/nothing", "", 403, unknownRoute},
		{"wrong method", "DELETE /universal/v2/universal-submit/status/" + absent, "", 403, unknownRoute},
	} {
		r.expect(wrong.name, "", r.fill(wrong.line, wrong.body), wrong.status, wrong.says)
	}
	r.expect("unknown path of webhooks", fidelity.Chosen, r.hook("GET /hooks/"+absent+"/nothing"), http.StatusNotFound, `{"status":404,"error":"Not Found"}`)
}

// fill is a call of the table with the target's packages in its path.
func (r *run) fill(line, body string) question {
	q := r.call(strings.NewReplacer("{company}", r.target.CompanyPackage, "{location}", r.target.LocationPackage).Replace(line))
	if body != "" {
		q = q.with(body)
	}
	return q
}

// atTheGate makes a call without what opens the gate, one after the other.
func (r *run) atTheGate(name string, good question, limited bool) {
	none := r.expect(name+", no token", "", good.as(""), http.StatusUnauthorized, unauthorized)
	bad := r.expect(name+", bad token", "", good.as("bad"), http.StatusUnauthorized, unauthorized)
	if none.status == http.StatusUnauthorized && bad.status == http.StatusUnauthorized {
		r.challenge(name+", no token", none, `Bearer realm="[^"]+"`)
		r.challenge(name+", bad token", bad, `Bearer realm="[^"]+", error="invalid_token"`)
	}
	r.expect(name+", no API key", "", good.by(""), http.StatusForbidden, forbidden)
	r.expect(name+", unknown API key", "", good.by(nobody), http.StatusForbidden, forbidden)
	if r.limited != "" && !limited {
		r.expect(name+", not permitted", "", good.as(r.limited), http.StatusForbidden, notPermitted)
	}
}

// atTheHooksGate does the same to webhook calls, which need no API key.
func (r *run) atTheHooksGate() {
	for _, line := range []string{"POST /hooks", "GET /hooks", "PUT /hooks/" + absent, "PATCH /hooks/" + absent, "DELETE /hooks/" + absent} {
		q := r.hook(line)
		if q.method != http.MethodGet && q.method != http.MethodDelete {
			q = q.with(`{}`)
		}
		const unauthorized = `{"status":401,"error":"Unauthorized"}`
		r.expect(line+", no token", "", q.as(""), http.StatusUnauthorized, unauthorized)
		r.expect(line+", bad token", "", q.as("bad"), http.StatusUnauthorized, unauthorized)
		if r.limited != "" {
			r.expect(line+", not permitted", "", q.as(r.limited), http.StatusForbidden, `{"status":403,"error":"Forbidden"}`)
		}
	}
}

func (r *run) challenge(name string, got reply, pattern string) {
	header := got.header.Get("WWW-Authenticate")
	r.row(name+", WWW-Authenticate", fidelity.Chosen, pattern, header, isText(header, pattern))
}
