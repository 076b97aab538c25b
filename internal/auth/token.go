package auth

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
)

// maxForm is the maximum size of the body of a token request, in bytes.
const maxForm = 64 << 10

// Token serves `POST /auth/token` (service.md, endpoint 1): the client-credentials
// and refresh-token grants of RFC 6749.
func Token(gate *Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		if r.Method != http.MethodPost {
			return methodNotAllowed(r.Method)
		}
		query, form, err := parameters(r)
		if err != nil {
			return err
		}
		id, secret, err := credentials(r.Header.Values("Authorization"), query, form)
		if err != nil {
			return err
		}
		client, err := gate.authenticate(r, id, secret)
		if err != nil {
			return err
		}
		grantTypes := append(query["grant_type"], form["grant_type"]...)
		if len(grantTypes) != 1 || grantTypes[0] == "" {
			return invalidRequest("grant_type must be given once", "add grant_type=client_credentials to the query or the form")
		}

		now := client.Time(gate.now())
		token := refreshToken{family: uuid.New()}
		switch grantTypes[0] {
		case "client_credentials":
		case "refresh_token":
			token, now, err = gate.refresh(r.Context(), client, append(query["refresh_token"], form["refresh_token"]...), now)
			if err != nil {
				return err
			}
		default:
			return unsupportedGrantType(grantTypes[0])
		}
		response, err := gate.grant(client, token, now)
		if err != nil {
			return err
		}
		call.From(r.Context()).TokenUntil = expiry(now)
		return api.Write(w, http.StatusOK, response)
	}
}

// parameters returns the parameters of the query and of the form in the body.
func parameters(r *http.Request) (query, form url.Values, err error) {
	query, err = url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, nil, invalidRequest("The query is malformed", "percent-encode its values")
	}
	body := http.MaxBytesReader(nil, r.Body, maxForm)
	mediaType, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch mediaType {
	case "application/x-www-form-urlencoded":
		text, readErr := io.ReadAll(body)
		if err = readErr; err == nil {
			form, err = url.ParseQuery(string(text))
		}
	case "multipart/form-data":
		form, err = multipartValues(body, params["boundary"])
	}
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, nil, formTooLarge()
	}
	if err != nil {
		return nil, nil, invalidRequest("The form is malformed", "send it urlencoded or as multipart/form-data with a boundary")
	}
	return query, form, nil
}

// multipartValues returns the values of a multipart form, as far as it could be read.
func multipartValues(body io.Reader, boundary string) (url.Values, error) {
	form, parts := url.Values{}, multipart.NewReader(body, boundary)
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return form, nil
		}
		if err != nil {
			return form, err
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return form, err
		}
		form.Add(part.FormName(), string(value))
	}
}

// credentials returns the client id and secret from the Authorization header or
// from the form. Both are empty if there are none or they are malformed.
func credentials(authorization []string, query, form url.Values) (id, secret string, err error) {
	if query.Has("client_secret") {
		return "", "", invalidRequest("client_secret must not be in the query", "send it by Basic authentication or in the form")
	}
	// A parameter without a value is treated as omitted (RFC 6749, section 3.2).
	inForm := form.Get("client_id") != "" || form.Get("client_secret") != ""
	switch {
	case len(authorization) > 0 && inForm:
		return "", "", invalidRequest("Credentials must be given in one way only", "by Basic authentication or in the form")
	case len(authorization) == 1:
		id, secret, _ = basic(authorization[0])
		return id, secret, nil
	case len(form["client_id"]) > 1 || len(form["client_secret"]) > 1:
		return "", "", invalidRequest("client_id and client_secret must be given once", "remove the other values from the form")
	default:
		return form.Get("client_id"), form.Get("client_secret"), nil
	}
}

// basic parses an Authorization header of the Basic scheme (RFC 7617).
func basic(header string) (id, secret string, ok bool) {
	scheme, encoded, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "basic") {
		return "", "", false
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}

// authenticate returns the client with the id and secret, after calling the
// interceptor.
func (g *Gate) authenticate(r *http.Request, id, secret string) (Client, error) {
	if !storable(id) {
		return Client{}, invalidClient("the client id is not text that can be stored")
	}
	client, err := g.clients.byID(r.Context(), id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Client{}, err
	}
	if err == nil {
		identify(r, client) // before the check: the tenant's journal also shows calls with a wrong secret
	}
	// The secret of an unknown client is compared too, so that the response takes
	// as long as for a known one.
	matches := hmac.Equal(client.SecretHash, g.keys.hash(clientSecret, secret))
	switch {
	case id == "":
		return Client{}, invalidClient("there are no credentials, or they are malformed")
	case err != nil:
		return Client{}, invalidClient("the client is unknown")
	case !matches:
		return Client{}, invalidClient("the client secret is wrong")
	case client.RevokedAt != nil:
		return Client{}, invalidClient("the client was revoked")
	}
	return client, g.intercept(r, client.tenant())
}

// storable reports whether PostgreSQL can store the text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// refresh exchanges the refresh token for its successor, and returns the time of the
// first exchange.
func (g *Gate) refresh(ctx context.Context, client Client, given []string, now time.Time) (refreshToken, time.Time, error) {
	if len(given) != 1 || given[0] == "" {
		return refreshToken{}, now, invalidRequest("refresh_token must be given once", "in the form or in the query")
	}
	old, ok := g.keys.parseRefresh(client.ID, given[0])
	if !ok {
		return refreshToken{}, now, invalidGrant()
	}
	next, at, ok, err := rotate(ctx, g.db, client.ID, old, now)
	if err != nil {
		return refreshToken{}, now, err
	}
	if !ok {
		return refreshToken{}, now, invalidGrant()
	}
	return next, at.UTC(), nil
}

// grant returns the response that contains the refresh token. It depends only on the
// client, the token and the time.
func (g *Gate) grant(client Client, token refreshToken, at time.Time) (tokenResponse, error) {
	id := uuid.NewSHA1(token.family, binary.BigEndian.AppendUint32(nil, token.generation))
	access, err := g.keys.issueAccess(client.ID, id, at)
	if err != nil {
		return tokenResponse{}, err
	}
	return newTokenResponse(client, access, g.keys.issueRefresh(client.ID, token)), nil
}
