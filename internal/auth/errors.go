package auth

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
)

// unauthorized is the response to a call without an access token.
func unauthorized(form api.ErrorFormat, environment string) *api.Error {
	return api.NewErrorBody(http.StatusUnauthorized, form(http.StatusUnauthorized, "Unauthorized"),
		"the Authorization header is missing: send Authorization: Bearer <access token>").
		WithHeader("Www-Authenticate", `Bearer realm="`+environment+`"`)
}

// clientGone is the hint of the response to the token of a client that was deleted.
const clientGone = "the client of the access token no longer exists"

// invalidToken is the response to a call with an invalid access token (RFC 6750,
// section 3).
func invalidToken(form api.ErrorFormat, environment, hint string) *api.Error {
	return api.NewErrorBody(http.StatusUnauthorized, form(http.StatusUnauthorized, "Unauthorized"), hint).
		WithHeader("Www-Authenticate", `Bearer realm="`+environment+`", error="invalid_token"`)
}

// notPermitted is the response to a client without the route's permission.
func notPermitted(rt route.Route) *api.Error {
	hint := "the client lacks the permission " + rt.Permission + ": use a client that has it"
	if rt.Family == route.Hooks {
		return api.NewErrorBody(http.StatusForbidden, api.HookErrors(http.StatusForbidden, "Forbidden"), hint)
	}
	return api.NewError(http.StatusForbidden, "User is not authorized to access this resource", hint)
}

// wrongAPIKey is the response to a call without an API key of the client's tenant.
func wrongAPIKey(hint string) *api.Error {
	return api.NewError(http.StatusForbidden, "Forbidden", hint)
}

// foreignAPIKey is the response both to an unknown API key and to an API key of another
// tenant. Only the reason distinguishes them.
func foreignAPIKey(reason string) *api.Error {
	return wrongAPIKey("the x-api-key does not belong to the tenant of the access token: send an API key of that tenant").WithReason(reason)
}

func tooManyRequests(form api.ErrorFormat, rate float64, wait time.Duration) *api.Error {
	seconds := strconv.Itoa(int(max(1, math.Ceil(wait.Seconds()))))
	return api.NewErrorBody(http.StatusTooManyRequests, form(http.StatusTooManyRequests, "Too Many Requests"),
		fmt.Sprintf("the rate limit is %g calls per second: wait %s s", rate, seconds)).
		WithHeader("Retry-After", seconds)
}

// invalidClient is the response to missing, malformed, unknown and wrong
// credentials alike, so that it does not reveal which clients exist. Only the
// reason tells them apart.
func invalidClient(reason string) *api.Error {
	return oauthError(http.StatusUnauthorized, "invalid_client", "Client authentication failed",
		"send a known client id and its secret: by Basic authentication, or as the form fields client_id and client_secret").
		WithReason(reason).
		WithHeader("Www-Authenticate", "Basic")
}

func methodNotAllowed(method string) *api.Error {
	return oauthError(http.StatusMethodNotAllowed, "invalid_request", "The token endpoint takes POST",
		"the method is "+api.Quote(method)+": use POST").
		WithHeader("Allow", http.MethodPost)
}

func formTooLarge() *api.Error {
	return oauthError(http.StatusRequestEntityTooLarge, "invalid_request", "Request Too Long", "the form is larger than 64 KiB: send only the parameters of the token request")
}

// notAForm is the response to a body of another media type than the two of forms,
// such as JSON.
func notAForm(mediaType string) *api.Error {
	return oauthError(http.StatusBadRequest, "invalid_request",
		"The body must be a form, application/x-www-form-urlencoded or multipart/form-data, not JSON or another type",
		"the Content-Type of the body is "+api.Quote(mediaType)+": send a form, application/x-www-form-urlencoded or multipart/form-data")
}

// slowDown is the response to more than maxWrongSecrets wrong secrets for a client
// id, whether the client exists or not.
func slowDown(wait time.Duration) *api.Error {
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	return oauthError(http.StatusTooManyRequests, "slow_down", "",
		fmt.Sprintf("more than %d wrong secrets for this client id in a minute: wait %s s, or send the right secret", maxWrongSecrets, seconds)).
		WithHeader("Retry-After", seconds)
}

// invalidRequest returns the 400 whose description also serves as the start of the
// hint; more says how to fix the request.
func invalidRequest(description, more string) *api.Error {
	return oauthError(http.StatusBadRequest, "invalid_request", description, description+": "+more)
}

func invalidGrant() *api.Error {
	return oauthError(http.StatusBadRequest, "invalid_grant", "The refresh token is invalid, expired or revoked",
		"the refresh token is unknown, belongs to another client, was used before, or is older than 90 days: request a token with grant_type=client_credentials")
}

func unsupportedGrantType(given string) *api.Error {
	return oauthError(http.StatusBadRequest, "unsupported_grant_type", "grant_type must be client_credentials or refresh_token",
		"grant_type is "+api.Quote(given)+": use client_credentials or refresh_token")
}

// oauthError returns an error in the form of RFC 6749, section 5.2.
func oauthError(status int, code, description, hint string) *api.Error {
	return api.NewErrorBody(status, api.OAuthErrorBody{Code: code, Description: description}, hint)
}

// TenantNotFound is the response of the control API to an unknown tenant.
func TenantNotFound() *api.Error { return api.NewControlError(http.StatusNotFound, "Tenant not found") }

// ClientTaken is the response of the control API if a client with the id already exists.
func ClientTaken(id string) *api.Error {
	return api.NewControlError(http.StatusConflict, fmt.Sprintf("client_id: client %q already exists", id))
}

// limitReached is the response of the control API to a call that would exceed a limit.
func limitReached(limit int, of string) *api.Error {
	return api.NewControlError(http.StatusConflict, fmt.Sprintf("limit of %d %s reached", limit, of))
}
