package auth

import (
	"fmt"
	"net/http"

	"understudy.example/internal/api"
)

// unauthorized is the answer to a call without a token, and, with problem set,
// to one with a token that is not good (RFC 6750 section 3).
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

func notPermitted() *api.Error {
	return api.NewError(http.StatusForbidden, "User is not authorized to access this resource")
}

func hooksNotPermitted() *api.Error {
	return &api.Error{Status: http.StatusForbidden, Body: api.HookErrors(http.StatusForbidden, "Forbidden")}
}

func wrongAPIKey() *api.Error { return api.NewError(http.StatusForbidden, "Forbidden") }

// invalidClient is the one answer to missing, malformed, unknown and wrong
// credentials, so that it tells nothing.
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

// oauthError is an error of RFC 6749 section 5.2.
func oauthError(status int, code, description string) *api.Error {
	return &api.Error{
		Status: status,
		Body:   api.OAuthErrorBody{Code: code, Description: description},
	}
}
