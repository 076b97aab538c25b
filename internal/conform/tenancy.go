package conform

import (
	"net/http"

	"understudy.example/internal/fidelity"
)

// tenancy checks that a client of another tenant gets the same responses for
// the objects of our tenant as for objects that do not exist.
func (r *run) tenancy() {
	if r.target.ForeignClientID == "" || r.options.OnlyStated {
		return
	}
	grant := newRequest(r.target.AuthURL, grantLine)
	grant.clientID, grant.clientSecret = r.target.ForeignClientID, r.target.ForeignClientSecret
	token := r.expect("token", "", grant, http.StatusOK, "").stringValue("access_token")
	if token == "" || r.txID == "" {
		r.skip("objects of another tenant", "no access token, or no submission completed")
		return
	}
	for _, call := range []struct{ name, line, body string }{
		{"trigger", "POST /universal/v2/universal-submit/file/" + r.txID, transactionNotFound},
		{"status", "GET /universal/v2/universal-submit/status/" + r.txID, transactionNotFound},
		{"data, another tenant's package", "GET /data/v2/" + r.target.CompanyPackage + "/" + r.txID + "?idType=transaction", packageNotFound},
		{"report, another tenant's package", "GET /data/v1/" + r.target.CompanyPackage + "/" + r.companyReportID, packageNotFound},
	} {
		r.expect(call.name, fidelity.Chosen, r.apiRequest(call.line).withToken(token).withAPIKey(r.target.ForeignAPIKey), http.StatusNotFound, call.body)
	}
	r.expect("token with another tenant's API key", "", r.apiRequest("GET /universal/v2/universal-submit/status/"+r.txID).withToken(token), http.StatusForbidden, forbidden)
	r.foreignSubscription(token)
}

// foreignSubscription creates a subscription and calls it with the token of the
// other tenant.
func (r *run) foreignSubscription(token string) {
	created := r.send(r.hooksRequest("POST /hooks").withJSON(`{"url":"` + unreachableURL + `"}`))
	id := created.stringValue("id")
	if id == "" {
		r.skip("subscription of another tenant", "no subscription was created")
		return
	}
	defer r.expectDelete(id)
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		req := r.hooksRequest(method + " /hooks/" + id).withToken(token)
		if method == "PUT" || method == "PATCH" {
			req = req.withJSON(`{}`)
		}
		r.expect(method+" another tenant's subscription", fidelity.Chosen, req, http.StatusNotFound, hookNotFound)
	}
}
