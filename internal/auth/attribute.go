package auth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
	"understudy.example/internal/storage"
)

// Attribute attributes a call to a client or a tenant, for the journal. It is for calls
// that no handler has authenticated: calls to unknown routes, or with wrong credentials.
// It uses the access token, even an expired one, then the API key, then the client id in
// the Authorization header or in the given body.
func (g *Gate) Attribute(ctx context.Context, r *http.Request, body []byte) error {
	for _, header := range r.Header.Values("Authorization") {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "bearer") {
			continue
		}
		if claims, err := g.keys.parseAccess(strings.TrimSpace(token)); err == nil {
			client, err := g.clientOf(ctx, claims)
			if found, err := attributeTo(r, client, err); found || err != nil {
				call.From(r.Context()).Authenticated = found && client.RevokedAt == nil && g.keys.checkAccess(claims, client.Time(g.now())) == nil
				return err
			}
		}
	}
	keys := r.Header.Values("X-Api-Key")
	for _, key := range keys[:min(len(keys), maxAttributed)] {
		tenant, exists, err := g.owners.Find(ctx, string(g.keys.hash(apiKey, key)))
		if exists {
			record := call.From(r.Context())
			record.TenantID, record.TenantName, record.TenantTime = tenant.ID, tenant.Name, tenant.Time
		}
		if exists || err != nil {
			return err
		}
	}
	ids := clientIDs(r, body)
	for _, id := range ids[:min(len(ids), maxAttributed)] {
		client, err := g.clients.byID(ctx, id)
		if found, err := attributeTo(r, client, err); found || err != nil {
			return err
		}
	}
	return nil
}

// maxAttributed is how many API keys, and how many client ids, of a call are looked up. A
// call can name thousands.
const maxAttributed = 3

// attributeTo records the client, and reports whether there is one: err is the error
// with which it was loaded.
func attributeTo(r *http.Request, client Client, err error) (found bool, _ error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		identify(r, client)
	}
	return err == nil, err
}

// clientIDs returns the client ids that the request names, in any form.
func clientIDs(r *http.Request, body []byte) []string {
	var ids []string
	for _, header := range r.Header.Values("Authorization") {
		if id, _, ok := api.ParseBasic(header); ok {
			ids = append(ids, id)
		}
	}
	query, _ := api.ParseForm(r.URL.RawQuery)
	ids = append(ids, query["client_id"]...)
	if len(body) == 0 {
		return ids
	}
	var object struct {
		ClientID string `json:"client_id"`
	}
	if json.Unmarshal(body, &object) == nil && object.ClientID != "" {
		return append(ids, api.ToStorable(object.ClientID))
	}
	mediaType, params, _ := api.ParseMediaType(r.Header.Get("Content-Type"))
	if mediaType == "multipart/form-data" {
		form, _ := api.ReadMultipart(strings.NewReader(string(body)), params["boundary"])
		return append(ids, form["client_id"]...)
	}
	form, _ := api.ParseForm(string(body))
	return append(ids, form["client_id"]...)
}

// newKeyLookup returns a lookup of the tenants that API keys belong to, by the hashes of the
// keys. Anybody can send unknown keys, so concurrent calls share a query.
func newKeyLookup(db storage.DB) *storage.Lookup[string, Tenant] {
	return storage.NewLookup(func(ctx context.Context, keys []string) (map[string]Tenant, error) {
		hashes := make([][]byte, len(keys))
		for i, key := range keys {
			hashes[i] = []byte(key)
		}
		rows, err := storage.All[struct {
			Tenant
			Hash []byte
		}](ctx, db, `
			select key.hash, tenant.*
			from api_keys key
			cross join lateral (
				select `+tenantColumns+`
				from tenants
				where id = key.tenant_id
			) tenant
			where key.hash = any(@hashes)`,
			pgx.StrictNamedArgs{"hashes": hashes})
		found := make(map[string]Tenant, len(rows))
		for _, row := range rows {
			found[string(row.Hash)] = row.Tenant
		}
		return found, err
	})
}
