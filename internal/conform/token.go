package conform

import (
	"fmt"
	"net/http"
	"net/url"

	"understudy.example/internal/fidelity"
)

const grantLine = "POST /auth/token?grant_type=client_credentials"

// nobody is a client that no deployment has: only it is ever wrong.
const nobody = "understudy-conform-nobody"

// tokens fetches tokens in each way.
func (r *run) tokens() {
	basic := ask(r.target.AuthURL, grantLine)
	basic.id, basic.secret = r.target.ClientID, r.target.ClientSecret
	first := r.expect("Basic credentials", "", basic, http.StatusOK, "")
	r.token = first.string("access_token")
	if r.token == "" {
		return
	}
	r.shape("token", fidelity.Stated, first.at(), "access_token:text token_type:text expires_in:number refresh_token:text scope:text uid:uuid info:object extra:object")
	r.shape("info", fidelity.Stated, first.at("info"), "name:text email:nullable first_name:text last_name:text")
	r.shape("raw_info", fidelity.Stated, first.at("extra", "raw_info"), `user_id:uuid tenant_id:uuid tenant_name:text
		tenant_subdomain:text tenant_theme:text tenant_type:nullable primary_user_group_id:uuid user_group_ids:array name:text
		email:nullable first_name:text last_name:text phone:nullable permissions:array auth_uid:nullable created_at:time
		tenant_created_at:time completed_steps:array accepted_agreements:array plan_sku:nullable sub_status:nullable`)
	r.same("token_type", fidelity.Stated, "bearer", first.string("token_type"))
	lifetime, _ := first.at("expires_in").(float64)
	r.row("expires_in", fidelity.Stated, "43200", fmt.Sprint(first.at("expires_in")), lifetime == 43200)
	r.same("scope", fidelity.Stated, "", first.string("scope"))
	r.same("Cache-Control", fidelity.Chosen, "no-store", first.header.Get("Cache-Control"))

	credentials := url.Values{"grant_type": {"client_credentials"}, "client_id": {r.target.ClientID}, "client_secret": {r.target.ClientSecret}}
	form := ask(r.target.AuthURL, "POST /auth/token")
	r.expect("form fields, urlencoded", fidelity.Public, form.form(credentials), http.StatusOK, "")
	r.expect("form fields, in parts", fidelity.Public, form.carrying(
		part{name: "grant_type", content: "client_credentials"}, part{name: "client_id", content: r.target.ClientID},
		part{name: "client_secret", content: r.target.ClientSecret}, part{name: "api_key", content: r.target.APIKey},
	), http.StatusOK, "")

	// The last, because it ends the first token's family on some servers.
	renewing := ask(r.target.AuthURL, "POST /auth/token")
	renewing.id, renewing.secret = r.target.ClientID, r.target.ClientSecret
	renewed := r.expect("refresh", fidelity.Chosen, renewing.form(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {first.string("refresh_token")},
	}), http.StatusOK, "")
	if token := renewed.string("access_token"); token != "" {
		r.token = token
		next := renewed.string("refresh_token")
		rotated := next != "" && next != first.string("refresh_token")
		r.same("refresh, the refresh token is another one", fidelity.Chosen, "true", fmt.Sprint(rotated))
	}
	if r.target.LimitedID != "" {
		limited := ask(r.target.AuthURL, grantLine)
		limited.id, limited.secret = r.target.LimitedID, r.target.LimitedSecret
		r.limited = r.expect("limited client", "", limited, http.StatusOK, "").string("access_token")
	}
	r.badTokenCalls()
}

// badTokenCalls are calls of the token endpoint that are refused, told by
// their `error`.
func (r *run) badTokenCalls() {
	wrong := ask(r.target.AuthURL, grantLine)
	wrong.id, wrong.secret = nobody, nobody
	r.refusedToken("unknown client", wrong, http.StatusUnauthorized, "invalid_client")
	r.refusedToken("no credentials", ask(r.target.AuthURL, grantLine), http.StatusUnauthorized, "invalid_client")

	good := ask(r.target.AuthURL, "POST /auth/token")
	good.id, good.secret = r.target.ClientID, r.target.ClientSecret
	r.refusedToken("no grant_type", good, http.StatusBadRequest, "invalid_request")
	r.refusedToken("another grant", good.form(url.Values{"grant_type": {"password"}}), http.StatusBadRequest, "unsupported_grant_type")
	r.refusedToken("grant_type twice", good.form(url.Values{"grant_type": {"client_credentials", "client_credentials"}}), http.StatusBadRequest, "invalid_request")
	r.refusedToken("bad refresh token", good.form(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {nobody}}), http.StatusBadRequest, "invalid_grant")
	r.refusedToken("credentials in two ways", good.form(url.Values{
		"grant_type": {"client_credentials"}, "client_id": {nobody}, "client_secret": {nobody},
	}), http.StatusBadRequest, "invalid_request")
	r.refusedToken("secret in the query", ask(r.target.AuthURL, grantLine+"&client_id="+nobody+"&client_secret="+nobody), http.StatusBadRequest, "invalid_request")

	got := r.expect("GET", fidelity.Chosen, ask(r.target.AuthURL, "GET /auth/token"), http.StatusMethodNotAllowed, "")
	if got.status == http.StatusMethodNotAllowed {
		r.same("GET, Allow", fidelity.Chosen, "POST", got.header.Get("Allow"))
	}
}

func (r *run) refusedToken(name string, q question, status int, code string) {
	if got := r.expect(name, "", q, status, ""); got.status == status {
		r.same(name+", error", fidelity.Chosen, code, got.string("error"))
	}
}

// form returns the call with a urlencoded form.
func (q question) form(values url.Values) question {
	q.kind, q.body = "application/x-www-form-urlencoded", values.Encode()
	return q
}
