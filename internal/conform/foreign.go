package conform

import (
	"net/http"

	"understudy.example/internal/fidelity"
)

// foreign has a client of another tenant ask for what is not its own: that
// answers as what is unknown does.
func (r *run) foreign() {
	if r.target.ForeignID == "" || r.options.OnlyStated {
		return
	}
	grant := ask(r.target.AuthURL, grantLine)
	grant.id, grant.secret = r.target.ForeignID, r.target.ForeignSecret
	token := r.expect("token", "", grant, http.StatusOK, "").string("access_token")
	if token == "" || r.txID == "" {
		r.skip("objects of another tenant", "there is no token, or no submission came to a good end")
		return
	}
	for _, theirs := range []struct{ name, line, says string }{
		{"trigger", "POST /universal/v2/universal-submit/file/" + r.txID, noTransaction},
		{"status", "GET /universal/v2/universal-submit/status/" + r.txID, noTransaction},
		{"data, package of the other", "GET /data/v2/" + r.target.CompanyPackage + "/" + r.txID + "?idType=transaction", noPackage},
		{"report, package of the other", "GET /data/v1/" + r.target.CompanyPackage + "/" + r.cReport, noPackage},
	} {
		r.expect(theirs.name, fidelity.Chosen, r.call(theirs.line).as(token).by(r.target.ForeignKey), http.StatusNotFound, theirs.says)
	}
	r.expect("a token with the other's API key", "", r.call("GET /universal/v2/universal-submit/status/"+r.txID).as(token), http.StatusForbidden, forbidden)
	r.foreignHook(token)
}

// foreignHook asks for a subscription of the other tenant.
func (r *run) foreignHook(token string) {
	made := r.ask(r.hook("POST /hooks").with(`{"url":"` + unreachable + `"}`))
	id := made.string("id")
	if id == "" {
		r.skip("subscription of another tenant", "there is none")
		return
	}
	defer r.drop(id)
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		q := r.hook(method + " /hooks/" + id).as(token)
		if method == "PUT" || method == "PATCH" {
			q = q.with(`{}`)
		}
		r.expect(method+" of a subscription", fidelity.Chosen, q, http.StatusNotFound, hookNotFound)
	}
}
