// Package auth authenticates and authorizes callers. It owns tenants, clients,
// API keys and tokens, and serves the token endpoint. It knows no other endpoint.
package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
	"understudy.example/internal/transfer"
)

// Gate admits the callers of one environment to its routes.
type Gate struct {
	db        storage.DB
	tokens    storage.DB                      // for refresh tokens
	owners    *storage.Lookup[string, Tenant] // of API keys, by their hashes
	keys      *Keys
	now       func() time.Time // real time
	clients   *clientCache
	limits    *limiter
	intercept Interceptor
	verified  verifiedTokens

	LimitWrongSecrets bool // whether many wrong secrets for a client id are refused with 429
	wrongSecrets      wrongSecrets
}

// Interceptor is called once for each call that the gate admits, before the body
// is read. An error ends the call.
type Interceptor func(r *http.Request, tenant Tenant) error

// NewGate returns the gate of the keys' environment. tokens is the pool for refresh
// tokens, so that calls that wait for them do not delay the checks of other calls. now
// returns the real time. A nil interceptor lets every call pass.
func NewGate(db, tokens storage.DB, keys *Keys, now func() time.Time, intercept Interceptor) *Gate {
	if intercept == nil {
		intercept = func(*http.Request, Tenant) error { return nil }
	}
	return &Gate{
		db: db, tokens: tokens, owners: newKeyLookup(db), keys: keys, now: now, intercept: intercept,
		clients: newClientCache(db, now),
		limits:  &limiter{full: map[bucket]time.Time{}},
	}
}

// Caller is the client that makes a call, and its tenant.
type Caller struct {
	TenantID   uuid.UUID
	TenantName string // shown as tenant_id
	UserID     uuid.UUID
	Settings   Settings
	Now        time.Time // the tenant's time when the call was checked

	clock Clock
	real  func() time.Time
}

// Time returns the tenant's time now.
func (c Caller) Time() time.Time { return c.clock.Time(c.real()) }

// Tenant returns the caller's tenant.
func (c Caller) Tenant() Tenant {
	return Tenant{ID: c.TenantID, Name: c.TenantName, Clock: c.clock, Settings: c.Settings}
}

// inMicroseconds returns the time in UTC, in the resolution of rows and responses.
func inMicroseconds(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Admit checks that the request may call the route and returns its caller. The checks,
// in this order: bearer token, permission, API key (not required by the webhook
// endpoints), rate limit. Then Admit calls the interceptor. An *api.Error has the form
// of the route's family.
func (g *Gate) Admit(r *http.Request, rt route.Route) (Caller, error) {
	form := api.ErrorFormatOf(rt.Family)
	client, err := g.bearer(r, form)
	if err != nil {
		return Caller{}, err
	}
	if !slices.Contains(client.Permissions, rt.Permission) {
		return Caller{}, notPermitted(rt)
	}
	limited := bucket{tenantID: client.TenantID, clientID: client.ID}
	if rt.Family != route.Hooks {
		if err := g.checkAPIKey(r, client); err != nil {
			return Caller{}, err
		}
		limited = bucket{tenantID: client.TenantID, key: r.Header.Get("X-Api-Key")}
	}
	if err := g.checkRateLimit(client, limited, form); err != nil {
		return Caller{}, err
	}
	if err := g.intercept(r, client.tenant()); err != nil {
		return Caller{}, err
	}
	return g.newCaller(client), nil
}

// AdmitUpload calls the interceptor for an upload, which is authenticated by its
// URL.
func (g *Gate) AdmitUpload(r *http.Request, tenant Tenant) error {
	transfer.RequestOf(r.Context(), tenant.ID)
	return g.intercept(r, tenant)
}

func (g *Gate) newCaller(client Client) Caller {
	return Caller{
		TenantID:   client.TenantID,
		TenantName: client.TenantName,
		UserID:     client.UserID,
		Settings:   client.Settings,
		Now:        client.Time(g.now()),
		clock:      client.Clock,
		real:       g.now,
	}
}

// CallerFor returns a caller for a call that is made for the tenant without a token. Its
// user is that of the tenant's first client, if it has one.
func (g *Gate) CallerFor(ctx context.Context, db storage.DB, tenant Tenant) (Caller, error) {
	clients, err := ClientsOf(ctx, db, []uuid.UUID{tenant.ID})
	if err != nil {
		return Caller{}, err
	}
	client := Client{TenantID: tenant.ID, TenantName: tenant.Name, Clock: tenant.Clock, Settings: tenant.Settings}
	if len(clients) > 0 {
		first := slices.MinFunc(clients, func(a, b TenantClient) int { return a.CreatedAt.Compare(b.CreatedAt) })
		client.UserID = first.UserID
	}
	return g.newCaller(client), nil
}

// bearer returns the client of the request's access token. An *api.Error has the given
// form.
func (g *Gate) bearer(r *http.Request, form api.ErrorFormat) (Client, error) {
	invalid := func(hint string) error { return invalidToken(form, g.keys.Environment, hint) }
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return Client{}, unauthorized(form, g.keys.Environment)
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 {
		return Client{}, invalid("there are several Authorization headers: send one")
	}
	if !strings.EqualFold(scheme, "bearer") {
		return Client{}, invalid("the scheme of the Authorization header is not Bearer: send Authorization: Bearer <access token>")
	}
	if token = strings.TrimSpace(token); token == "" {
		return Client{}, invalid("the Authorization header has no token after Bearer")
	}
	claims, err := g.verified.parse(g.keys, token)
	if err != nil {
		return Client{}, invalid("the token is not an access token of this environment, or was altered: request one from POST /auth/token")
	}
	client, err := g.clientOf(r.Context(), &claims.accessClaims)
	if errors.Is(err, pgx.ErrNoRows) {
		return Client{}, invalid(clientGone)
	}
	if err != nil {
		return Client{}, err
	}
	problem := g.verified.check(g.keys, token, claims, client.Time(g.now()))
	identify(r, client)
	expired := errors.Is(problem, jwt.ErrTokenExpired)
	call.From(r.Context()).TokenExpired = expired
	switch {
	case client.RevokedAt != nil:
		return Client{}, invalid("the client of the access token was revoked")
	case expired:
		return Client{}, invalid("the access token has expired: refresh it, or request another from POST /auth/token")
	case problem != nil:
		return Client{}, invalid("the access token is not valid by the tenant's clock: request another from POST /auth/token")
	}
	call.From(r.Context()).Authenticated = true
	return client, nil
}

// clientOf returns the client that the access token was issued to. Its error is
// pgx.ErrNoRows if there is none, or if another one has the client id now.
func (g *Gate) clientOf(ctx context.Context, claims *accessClaims) (Client, error) {
	client, err := g.clients.byID(ctx, claims.Subject)
	if err == nil && !claims.areOf(client) {
		return Client{}, pgx.ErrNoRows
	}
	return client, err
}

// identify sets the client in the record of the call, and the tenant in its connection.
func identify(r *http.Request, client Client) {
	record := call.From(r.Context())
	record.TenantID, record.TenantName, record.TenantTime, record.ClientID = client.TenantID, client.TenantName, client.Time, client.ID
	transfer.RequestOf(r.Context(), client.TenantID)
}

// checkAPIKey returns a 403 response unless exactly one API key is sent and it belongs
// to the client's tenant.
func (g *Gate) checkAPIKey(r *http.Request, client Client) error {
	given := r.Header.Values("X-Api-Key")
	switch {
	case len(given) == 0 || given[0] == "":
		return wrongAPIKey("the header x-api-key is missing: send the tenant's API key in it")
	case len(given) > 1:
		return wrongAPIKey("there are several x-api-key headers: send one")
	}
	hash, known := g.verified.hashOf(g.keys, given[0])
	if client.APIKeys.has(hash) {
		if !known {
			g.verified.remember(given[0], hash)
		}
		return nil
	}
	owner, exists, err := g.owners.Find(r.Context(), string(hash))
	switch {
	case err != nil:
		return err
	case !exists:
		return foreignAPIKey("the API key is unknown")
	}
	return foreignAPIKey(fmt.Sprintf("the API key belongs to tenant %s, the access token to tenant %s", owner.Name, client.TenantName))
}

// Now returns the real time.
func (g *Gate) Now() time.Time { return g.now() }
