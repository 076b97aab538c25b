// Package auth says who calls: it issues access tokens to clients, checks them
// and the API keys, and knows what each client may do. It knows no endpoint
// but the token's.
package auth

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Gate checks callers of one environment.
type Gate struct {
	db      storage.DB
	keys    *Keys
	now     func() time.Time // real time
	clients *clients
	limits  *limiter
	act     func(r *http.Request, tenant Tenant) error // see OnCall; may be nil
}

// NewGate returns the gate of the keys' environment. now is the real time.
func NewGate(db storage.DB, keys *Keys, now func() time.Time) *Gate {
	return &Gate{
		db: db, keys: keys, now: now,
		clients: &clients{db: db, now: now, recent: map[string]remembered{}},
		limits:  &limiter{full: map[bucket]time.Time{}},
	}
}

// Caller is who makes a call.
type Caller struct {
	TenantID   uuid.UUID
	TenantName string // shown as tenant_id
	UserID     uuid.UUID
	Settings   Settings
	Now        time.Time // the tenant's time when the call was checked

	offset time.Duration
	clock  func() time.Time
}

// Time is the tenant's time now.
func (c Caller) Time() time.Time { return shown(c.clock().Add(c.offset)) }

// Real is the real time when the call was checked.
func (c Caller) Real() time.Time { return c.Now.Add(-c.offset) }

// Tenant is the caller's tenant.
func (c Caller) Tenant() Tenant {
	return Tenant{ID: c.TenantID, Name: c.TenantName, ClockOffset: c.offset, Settings: c.Settings}
}

// shown is a time as rows and answers can hold it.
func shown(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Caller checks the request's bearer token, the client's permission, the API
// key and the rate of calls, in this order, and returns who calls. Its error is
// an answer of the {"message"} form.
func (g *Gate) Caller(r *http.Request, permission string) (Caller, error) {
	client, err := g.bearer(r, api.MessageErrors)
	if err != nil {
		return Caller{}, err
	}
	if !slices.Contains(client.Permissions, permission) {
		return Caller{}, notPermitted()
	}
	if !g.holdsAPIKey(client, r.Header.Values("X-Api-Key")) {
		return Caller{}, wrongAPIKey()
	}
	if err := g.limit(client, r.Header.Get("X-Api-Key"), api.MessageErrors); err != nil {
		return Caller{}, err
	}
	return g.caller(client), nil
}

// HooksCaller is Caller for the webhook endpoints: they ask for no API key, and
// their errors have the form of api.HookErrors.
func (g *Gate) HooksCaller(r *http.Request, permission string) (Caller, error) {
	client, err := g.bearer(r, api.HookErrors)
	if err != nil {
		return Caller{}, err
	}
	if !slices.Contains(client.Permissions, permission) {
		return Caller{}, hooksNotPermitted()
	}
	if err := g.limit(client, "", api.HookErrors); err != nil {
		return Caller{}, err
	}
	return g.caller(client), nil
}

func (g *Gate) caller(client Client) Caller {
	return Caller{
		TenantID:   client.TenantID,
		TenantName: client.TenantName,
		UserID:     client.UserID,
		Settings:   client.Settings,
		Now:        shown(g.now().Add(client.ClockOffset)),
		offset:     client.ClockOffset,
		clock:      g.now,
	}
}

// bearer returns the client whose access token the request carries. Its error
// is an answer of the given form.
func (g *Gate) bearer(r *http.Request, form api.ErrorFormat) (Client, error) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return Client{}, unauthorized(form, g.keys.Environment, "")
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	if len(given) > 1 || !strings.EqualFold(scheme, "bearer") {
		return Client{}, unauthorized(form, g.keys.Environment, "invalid_token")
	}
	claims, err := g.keys.parseAccess(strings.TrimSpace(token))
	if err != nil {
		return Client{}, unauthorized(form, g.keys.Environment, "invalid_token")
	}
	client, err := g.clients.byID(r.Context(), claims.Subject)
	if errors.Is(err, pgx.ErrNoRows) {
		return Client{}, unauthorized(form, g.keys.Environment, "invalid_token")
	}
	if err != nil {
		return Client{}, err
	}
	problem := g.keys.checkAccess(claims, g.now().Add(client.ClockOffset))
	api.CallOf(r.Context()).Expired = errors.Is(problem, jwt.ErrTokenExpired)
	if err := g.Seen(r, client.tenant(), client.ID); err != nil {
		return Client{}, err
	}
	if client.RevokedAt != nil || problem != nil {
		return Client{}, unauthorized(form, g.keys.Environment, "invalid_token")
	}
	return client, nil
}

// holdsAPIKey tells whether the one given key is one of the client's tenant.
func (g *Gate) holdsAPIKey(client Client, given []string) bool {
	if len(given) != 1 || given[0] == "" {
		return false
	}
	hash := g.keys.hash(apiKey, given[0])
	held := 0
	for _, key := range client.APIKeys {
		held |= subtle.ConstantTimeCompare(hash, key)
	}
	return held == 1
}

// Now is the real time.
func (g *Gate) Now() time.Time { return g.now() }
