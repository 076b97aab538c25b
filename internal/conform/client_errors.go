package conform

import (
	"fmt"
	"net/http"
	"strings"

	"understudy.example/internal/fidelity"
)

const (
	unauthorized        = `{"message":"Unauthorized"}`
	forbidden           = `{"message":"Forbidden"}`
	notPermitted        = `{"message":"User is not authorized to access this resource"}`
	unknownRoute        = `{"message":"Missing Authentication Token"}`
	invalidBody         = `{"message":"Invalid request body"}`
	transactionNotFound = `{"message":"Transaction not found"}`
	packageNotFound     = `{"message":"Data package not found"}`
)

// protectedCalls are calls that need an access token and an API key.
var protectedCalls = []struct {
	name, line, body string
	limitedMay       bool // whether the limited client has permission
}{
	{"upload URL", "POST /universal/v2/universal-submit/file-upload-url", `{"filename":"a.txt"}`, false},
	{"trigger", "POST /universal/v2/universal-submit/file/" + unknownID, "", false},
	{"status", "GET /universal/v2/universal-submit/status/" + unknownID, "", false},
	{"data v2", "GET /data/v2/{company}/" + unknownID + "?idType=transaction", "", false},
	{"data v1", "GET /data/v1/{company}/CUS0", "", true},
	{"company submit", "POST /company/v1/company_submit", `{}`, true},
}

// clientErrors makes the mistakes that clients make.
func (r *run) clientErrors() {
	if r.token == "" {
		r.skip("errors", "no access token")
		return
	}
	for _, call := range protectedCalls {
		r.checkAuthentication(call.name, r.requestFor(call.line, call.body), call.limitedMay)
	}
	r.checkHooksAuthentication()
	for _, call := range []struct {
		name, line, body string
		status           int
		want             string // the response body
	}{
		{"missing filename", "POST /universal/v2/universal-submit/file-upload-url", `{}`, 400, `{"message":"filename is required"}`},
		{"blank filename", "POST /universal/v2/universal-submit/file-upload-url", `{"filename":" "}`, 400, `{"message":"filename is required"}`},
		{"filename is a number", "POST /universal/v2/universal-submit/file-upload-url", `{"filename":1}`, 400, `{"message":"filename must be a string"}`},
		{"filename of 256 bytes", "POST /universal/v2/universal-submit/file-upload-url", fmt.Sprintf(`{"filename":%q}`, strings.Repeat("a", 256)), 400, `{"message":"filename must be at most 255 bytes"}`},
		{"upload URL, malformed JSON", "POST /universal/v2/universal-submit/file-upload-url", `{`, 400, invalidBody},
		{"trigger of an unknown transaction", "POST /universal/v2/universal-submit/file/" + unknownID, "", 404, transactionNotFound},
		{"trigger of a malformed transaction", "POST /universal/v2/universal-submit/file/none", "", 404, transactionNotFound},
		{"status of an unknown transaction", "GET /universal/v2/universal-submit/status/" + unknownID, "", 404, transactionNotFound},
		{"status of a malformed transaction", "GET /universal/v2/universal-submit/status/none", "", 404, transactionNotFound},
		{"data without idType", "GET /data/v2/{company}/" + unknownID, "", 400, `{"message":"Invalid idType"}`},
		{"data with an invalid idType", "GET /data/v2/{company}/" + unknownID + "?idType=report", "", 400, `{"message":"Invalid idType"}`},
		{"data of an unknown package", "GET /data/v2/none-us-c0000/" + unknownID + "?idType=transaction", "", 404, packageNotFound},
		{"data of an unknown transaction", "GET /data/v2/{company}/" + unknownID + "?idType=transaction", "", 404, transactionNotFound},
		{"report of an unknown package", "GET /data/v1/none-us-c0000/CUS0", "", 404, packageNotFound},
		{"unknown report", "GET /data/v1/{company}/CUS0", "", 404, `{"message":"Report not found"}`},
		{"company without a name", "POST /company/v1/company_submit", `{"address":"5 Dock Road"}`, 400, `{"message":"company_name is required"}`},
		{"company without an address", "POST /company/v1/company_submit", `{"company_name":"A"}`, 400, `{"message":"address is required"}`},
		{"company, malformed JSON", "POST /company/v1/company_submit", `{`, 400, invalidBody},
		{"unknown path", "GET /universal/v2/nothing", "", 403, unknownRoute},
		{"wrong method", "DELETE /universal/v2/universal-submit/status/" + unknownID, "", 403, unknownRoute},
	} {
		r.expect(call.name, "", r.requestFor(call.line, call.body), call.status, call.want)
	}
	encoded := r.requestFor("POST /company/v1/company_submit", `{"company_name":"A","address":"B"}`)
	encoded.contentEncoding = "gzip"
	r.expect("JSON with a Content-Encoding", "", encoded, http.StatusUnsupportedMediaType, `{"message":"Unsupported Media Type"}`)
	r.expect("unknown webhook path", fidelity.Chosen, r.hooksRequest("GET /hooks/"+unknownID+"/nothing"), http.StatusNotFound, `{"status":404,"error":"Not Found"}`)
}

// requestFor returns the API request with the target's data packages in place
// of {company} and {location}. An empty body means none.
func (r *run) requestFor(line, body string) request {
	req := r.apiRequest(strings.NewReplacer("{company}", r.target.CompanyPackage, "{location}", r.target.LocationPackage).Replace(line))
	if body != "" {
		req = req.withJSON(body)
	}
	return req
}

// checkAuthentication sends the request without a token, with an invalid one,
// without an API key, with an unknown one and, unless limitedMay is set, with
// the token of the limited client.
func (r *run) checkAuthentication(name string, good request, limitedMay bool) {
	missing := r.expect(name+", missing token", "", good.withToken(""), http.StatusUnauthorized, unauthorized)
	invalid := r.expect(name+", invalid token", "", good.withToken("bad"), http.StatusUnauthorized, unauthorized)
	if missing.status == http.StatusUnauthorized && invalid.status == http.StatusUnauthorized {
		r.checkChallenge(name+", missing token", missing, `Bearer realm="[^"]+"`)
		r.checkChallenge(name+", invalid token", invalid, `Bearer realm="[^"]+", error="invalid_token"`)
	}
	r.expect(name+", missing API key", "", good.withAPIKey(""), http.StatusForbidden, forbidden)
	r.expect(name+", unknown API key", "", good.withAPIKey(unknownCredential), http.StatusForbidden, forbidden)
	if r.limitedToken != "" && !limitedMay {
		r.expect(name+", missing permission", "", good.withToken(r.limitedToken), http.StatusForbidden, notPermitted)
	}
}

// checkHooksAuthentication does the same with webhook calls, which need no API
// key.
func (r *run) checkHooksAuthentication() {
	for _, line := range []string{"POST /hooks", "GET /hooks", "PUT /hooks/" + unknownID, "PATCH /hooks/" + unknownID, "DELETE /hooks/" + unknownID} {
		req := r.hooksRequest(line)
		if req.method != http.MethodGet && req.method != http.MethodDelete {
			req = req.withJSON(`{}`)
		}
		const unauthorized = `{"status":401,"error":"Unauthorized"}`
		r.expect(line+", missing token", "", req.withToken(""), http.StatusUnauthorized, unauthorized)
		r.expect(line+", invalid token", "", req.withToken("bad"), http.StatusUnauthorized, unauthorized)
		if r.limitedToken != "" {
			r.expect(line+", missing permission", "", req.withToken(r.limitedToken), http.StatusForbidden, `{"status":403,"error":"Forbidden"}`)
		}
	}
}

// checkChallenge checks the WWW-Authenticate header of a 401 response.
func (r *run) checkChallenge(name string, got response, pattern string) {
	header := got.header.Get("WWW-Authenticate")
	r.record(name+", WWW-Authenticate", fidelity.Chosen, pattern, header, matches(header, pattern))
}
