package auth

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
)

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
		id, secret, err := parseCredentials(r.Header.Values("Authorization"), query, form)
		if err != nil {
			return err
		}
		client, err := gate.authenticate(r, id, secret)
		if err != nil {
			return err
		}
		grantType, err := grantType(query, form)
		if err != nil {
			return err
		}

		now := client.Time(gate.now())
		token := refreshToken{family: newFamily(gate.now())}
		switch grantType {
		case "client_credentials":
		case "refresh_token":
			token, now, err = gate.exchangeRefreshToken(r.Context(), client, append(query["refresh_token"], form["refresh_token"]...), now)
			if err != nil {
				return err
			}
		default:
			return unsupportedGrantType(grantType)
		}
		response, err := gate.grant(client, token, now)
		if err != nil {
			return err
		}
		call.From(r.Context()).TokenUntil = expiry(now)
		return api.Write(w, http.StatusOK, response)
	}
}

// noSecret stands for the hash of the secret of an unknown client.
var noSecret = make([]byte, sha256.Size)

// authenticate returns the client with the id and secret, after calling the
// interceptor. It always reads the client from the database: otherwise the time of the
// response would reveal which clients exist, because a known one would be cached.
func (g *Gate) authenticate(r *http.Request, id, secret string) (Client, error) {
	if id == "" {
		return Client{}, invalidClient("there are no credentials, or they are malformed")
	}
	client, err := g.clients.load(r.Context(), id)
	unknown := errors.Is(err, pgx.ErrNoRows)
	if err != nil && !unknown {
		return Client{}, err
	}
	if unknown {
		client.SecretHash = noSecret // the secret of an unknown client is compared too, for the same reason
	}
	matches := client.hasSecret(g.keys.hash(clientSecret, secret), g.now())
	switch {
	case unknown:
		return Client{}, g.refuseSecret(r, id, "the client is unknown")
	case !matches:
		return Client{}, g.refuseSecret(r, id, "the client secret is wrong")
	case client.RevokedAt != nil:
		return Client{}, g.refuseSecret(r, id, "the client was revoked")
	}
	// The journal attributes a refused call to a tenant, which takes the same time for
	// known and unknown clients.
	identify(r, client)
	call.From(r.Context()).Authenticated = true
	return client, g.intercept(r, client.tenant())
}

// refuseSecret returns the response to a wrong secret for the client id.
func (g *Gate) refuseSecret(r *http.Request, id, reason string) error {
	if g.LimitWrongSecrets {
		if wait := g.wrongSecrets.count(id, r.RemoteAddr, g.now()); wait > 0 {
			return slowDown(wait).WithReason(reason)
		}
	}
	return invalidClient(reason)
}

// exchangeRefreshToken exchanges the token for its successor, and returns the time of the
// first exchange.
func (g *Gate) exchangeRefreshToken(ctx context.Context, client Client, given []string, now time.Time) (refreshToken, time.Time, error) {
	if len(given) != 1 || given[0] == "" {
		return refreshToken{}, now, invalidRequest("refresh_token must be given once", "in the form or in the query")
	}
	old, ok := g.keys.parseRefresh(client.UserID, given[0])
	if !ok {
		return refreshToken{}, now, invalidGrant()
	}
	next, at, ok, err := rotate(ctx, g.tokens, client.ID, old, now, g.now())
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
	access, err := g.keys.issueAccess(client, id, at)
	if err != nil {
		return tokenResponse{}, err
	}
	return newTokenResponse(client, access, g.keys.issueRefresh(client.UserID, token)), nil
}
