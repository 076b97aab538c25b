package conform

import (
	"fmt"
	"net/http"
	"net/url"

	"understudy.example/internal/fidelity"
)

const grantLine = "POST /auth/token?grant_type=client_credentials"

// unknownCredential stands for every wrong client ID, secret, API key and
// refresh token. No deployment knows it, so a run cannot lock out a real client.
const unknownCredential = "understudy-conform-nobody"

// tokens requests access tokens in each way that the service supports, and
// keeps one for the other parts.
func (r *run) tokens() {
	basic := newRequest(r.target.AuthURL, grantLine)
	basic.clientID, basic.clientSecret = r.target.ClientID, r.target.ClientSecret
	first := r.expect("Basic credentials", "", basic, http.StatusOK, "")
	r.token = first.stringValue("access_token")
	if r.token == "" {
		return
	}
	r.checkShape("token", fidelity.Stated, first.value(), "access_token:text token_type:text expires_in:number refresh_token:text scope:text uid:uuid info:object extra:object")
	r.checkShape("info", fidelity.Stated, first.value("info"), "name:text email:text_or_null first_name:text last_name:text")
	r.checkShape("raw_info", fidelity.Stated, first.value("extra", "raw_info"), `user_id:uuid tenant_id:uuid tenant_name:text
		tenant_subdomain:text tenant_theme:text tenant_type:text_or_null primary_user_group_id:uuid user_group_ids:array name:text
		email:text_or_null first_name:text last_name:text phone:text_or_null permissions:array auth_uid:text_or_null created_at:time
		tenant_created_at:time completed_steps:array accepted_agreements:array plan_sku:text_or_null sub_status:text_or_null`)
	r.recordEqual("token_type", fidelity.Stated, "bearer", first.stringValue("token_type"))
	lifetime, _ := first.value("expires_in").(float64)
	r.record("expires_in", fidelity.Stated, "43200", fmt.Sprint(first.value("expires_in")), lifetime == 43200)
	r.recordEqual("scope", fidelity.Stated, "", first.stringValue("scope"))
	r.recordEqual("Cache-Control", fidelity.Chosen, "no-store", first.header.Get("Cache-Control"))

	credentials := url.Values{"grant_type": {"client_credentials"}, "client_id": {r.target.ClientID}, "client_secret": {r.target.ClientSecret}}
	form := newRequest(r.target.AuthURL, "POST /auth/token")
	r.expect("form fields, urlencoded", fidelity.Public, form.withForm(credentials), http.StatusOK, "")
	r.expect("form fields, multipart", fidelity.Public, form.withMultipart(
		formPart{name: "grant_type", content: "client_credentials"}, formPart{name: "client_id", content: r.target.ClientID},
		formPart{name: "client_secret", content: r.target.ClientSecret}, formPart{name: "api_key", content: r.target.APIKey},
	), http.StatusOK, "")

	own := newRequest(r.target.AuthURL, grantLine)
	own.clientID, own.clientSecret = r.target.ClientID, r.target.ClientSecret
	r.expect("Basic credentials, with the same grant_type and client_id in a form", fidelity.Chosen, own.withForm(url.Values{
		"grant_type": {"client_credentials"}, "client_id": {r.target.ClientID},
	}), http.StatusOK, "")

	// The refresh comes last because some servers revoke the first token then.
	refresh := newRequest(r.target.AuthURL, "POST /auth/token")
	refresh.clientID, refresh.clientSecret = r.target.ClientID, r.target.ClientSecret
	refreshed := r.expect("refresh", fidelity.Chosen, refresh.withForm(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {first.stringValue("refresh_token")},
	}), http.StatusOK, "")
	if token := refreshed.stringValue("access_token"); token != "" {
		r.token = token
		next := refreshed.stringValue("refresh_token")
		rotated := next != "" && next != first.stringValue("refresh_token")
		r.recordEqual("refresh, refresh token is rotated", fidelity.Chosen, "true", fmt.Sprint(rotated))
	}
	if r.target.LimitedClientID != "" {
		limited := newRequest(r.target.AuthURL, grantLine)
		limited.clientID, limited.clientSecret = r.target.LimitedClientID, r.target.LimitedClientSecret
		r.limitedToken = r.expect("limited client", "", limited, http.StatusOK, "").stringValue("access_token")
	}
	r.tokenErrors()
}

// tokenErrors makes token requests that must be rejected, each with its own
// value of the field "error".
func (r *run) tokenErrors() {
	wrong := newRequest(r.target.AuthURL, grantLine)
	wrong.clientID, wrong.clientSecret = unknownCredential, unknownCredential
	r.expectTokenError("unknown client", wrong, http.StatusUnauthorized, "invalid_client")
	r.expectTokenError("missing credentials", newRequest(r.target.AuthURL, grantLine), http.StatusUnauthorized, "invalid_client")

	good := newRequest(r.target.AuthURL, "POST /auth/token")
	good.clientID, good.clientSecret = r.target.ClientID, r.target.ClientSecret
	r.expectTokenError("missing grant_type", good, http.StatusBadRequest, "invalid_request")
	r.expectTokenError("unsupported grant_type", good.withForm(url.Values{"grant_type": {"password"}}), http.StatusBadRequest, "unsupported_grant_type")
	r.expectTokenError("two grant types", good.withForm(url.Values{"grant_type": {"client_credentials", "refresh_token"}}), http.StatusBadRequest, "invalid_request")
	r.expectTokenError("invalid refresh token", good.withForm(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {unknownCredential}}), http.StatusBadRequest, "invalid_grant")
	r.expectTokenError("credentials in header and form", good.withForm(url.Values{
		"grant_type": {"client_credentials"}, "client_id": {unknownCredential}, "client_secret": {unknownCredential},
	}), http.StatusBadRequest, "invalid_request")
	other := newRequest(r.target.AuthURL, "POST /auth/token")
	other.clientID, other.clientSecret = unknownCredential, unknownCredential
	r.expectTokenError("client_id of another client in the form", other.withForm(url.Values{
		"grant_type": {"client_credentials"}, "client_id": {unknownCredential + "-2"},
	}), http.StatusBadRequest, "invalid_request")
	inJSON := newRequest(r.target.AuthURL, "POST /auth/token")
	inJSON.contentType, inJSON.body = "application/json", `{"grant_type":"client_credentials","client_id":"`+unknownCredential+`","client_secret":"`+unknownCredential+`"}`
	r.expectTokenError("credentials in JSON", inJSON, http.StatusBadRequest, "invalid_request")
	r.expectTokenError("secret in the query", newRequest(r.target.AuthURL, grantLine+"&client_id="+unknownCredential+"&client_secret="+unknownCredential), http.StatusBadRequest, "invalid_request")

	got := r.expect("GET", fidelity.Chosen, newRequest(r.target.AuthURL, "GET /auth/token"), http.StatusMethodNotAllowed, "")
	if got.status == http.StatusMethodNotAllowed {
		r.recordEqual("GET, Allow", fidelity.Chosen, "POST", got.header.Get("Allow"))
	}
}

func (r *run) expectTokenError(name string, req request, status int, code string) {
	if got := r.expect(name, "", req, status, ""); got.status == status {
		r.recordEqual(name+", error", fidelity.Chosen, code, got.stringValue("error"))
	}
}

// withForm returns the request with a urlencoded form.
func (req request) withForm(values url.Values) request {
	req.contentType, req.body = "application/x-www-form-urlencoded", values.Encode()
	return req
}
