package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
)

// APIKeySet is a set of API keys that a tenant should have.
type APIKeySet struct{ keys []wantedKey }

// wantedKey is an API key that a tenant should have.
type wantedKey struct{ at, key string }

// ParseAPIKeySet parses an array of at most limit API keys. Its errors are *api.Error and
// contain paths, which begin with at, the path of the array.
func ParseAPIKeySet(at string, text json.RawMessage, limit int) (APIKeySet, error) {
	var raw []json.RawMessage
	if json.Unmarshal(text, &raw) != nil || raw == nil || len(raw) > limit {
		return APIKeySet{}, api.BadRequest("%s: want an array of at most %d API keys", at, limit)
	}
	keys := make([]wantedKey, len(raw))
	for i := range raw {
		path := api.ElementPath(at, i)
		key, err := ReadSecret(path, raw[i])
		if err != nil {
			return APIKeySet{}, err
		}
		if slices.ContainsFunc(keys[:i], func(other wantedKey) bool { return other.key == key }) {
			return APIKeySet{}, api.BadRequest("%s: the key is listed twice", path)
		}
		keys[i] = wantedKey{path, key}
	}
	return APIKeySet{keys}, nil
}

// Keep removes from the set the keys for which keep returns false.
func (s *APIKeySet) Keep(keep func(key string) bool) {
	s.keys = slices.DeleteFunc(s.keys, func(k wantedKey) bool { return !keep(k.key) })
}

// EnsureAPIKeys creates the keys of the set that the tenant lacks. It does not change
// other keys. The caller must evict the tenant after the commit. The error is an *api.Error
// if a key belongs to another tenant, or if keys were created and the tenant has more than MaxAPIKeys.
func (g *Gate) EnsureAPIKeys(ctx context.Context, tx pgx.Tx, tenant Tenant, set APIKeySet) error {
	added := int64(0)
	for _, wanted := range set.keys {
		hash := g.keys.hash(apiKey, wanted.key)
		inserted, err := tx.Exec(ctx, `
			insert into api_keys (hash, tenant_id, created_at)
			values (@hash, @tenant_id, @now)
			on conflict (hash) do nothing`,
			pgx.StrictNamedArgs{"hash": hash, "tenant_id": tenant.ID, "now": g.now()})
		if err != nil {
			return fmt.Errorf("ensure API keys: %w", err)
		}
		added += inserted.RowsAffected()
		var owner uuid.UUID
		if err := tx.QueryRow(ctx, "select tenant_id from api_keys where hash = $1", hash).Scan(&owner); err != nil {
			return fmt.Errorf("ensure API keys: %w", err)
		}
		if owner != tenant.ID {
			return api.NewControlError(http.StatusConflict, wanted.at+": the API key already exists")
		}
	}
	if added == 0 { // a tenant can have more keys from the time before the limit
		return nil
	}
	return checkAPIKeyCount(ctx, tx, tenant.ID)
}
