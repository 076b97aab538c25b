package auth

import (
	"fmt"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
)

// unauthorized is the response to a call without an access token or, if problem
// is not empty, with an invalid one (RFC 6750, section 3).
func unauthorized(form api.ErrorFormat, environment, problem string) *api.Error {
	challenge := fmt.Sprintf("Bearer realm=%q", environment)
	if problem != "" {
		challenge += fmt.Sprintf(", error=%q", problem)
	}
	return &api.Error{
		Status: http.StatusUnauthorized,
		Header: http.Header{"Www-Authenticate": {challenge}},
		Body:   form(http.StatusUnauthorized, "Unauthorized"),
	}
}

// notPermitted is the response to a client without the route's permission.
func notPermitted(family route.Family) *api.Error {
	if family == route.Hooks {
		return &api.Error{Status: http.StatusForbidden, Body: api.HookErrors(http.StatusForbidden, "Forbidden")}
	}
	return api.NewError(http.StatusForbidden, "User is not authorized to access this resource")
}

func wrongAPIKey() *api.Error { return api.NewError(http.StatusForbidden, "Forbidden") }

// invalidClient is the response to missing, malformed, unknown and wrong
// credentials alike, so that it does not reveal which clients exist.
func invalidClient() *api.Error {
	refusal := oauthError(http.StatusUnauthorized, "invalid_client", "Client authentication failed")
	refusal.Header = http.Header{"Www-Authenticate": {"Basic"}}
	return refusal
}

func invalidRequest(description string) *api.Error {
	return oauthError(http.StatusBadRequest, "invalid_request", description)
}

func invalidGrant() *api.Error {
	return oauthError(http.StatusBadRequest, "invalid_grant", "The refresh token is invalid, expired or revoked")
}

func unsupportedGrantType() *api.Error {
	return oauthError(http.StatusBadRequest, "unsupported_grant_type", "grant_type must be client_credentials or refresh_token")
}

// oauthError returns an error in the form of RFC 6749, section 5.2.
func oauthError(status int, code, description string) *api.Error {
	return &api.Error{
		Status: status,
		Body:   api.OAuthErrorBody{Code: code, Description: description},
	}
}
