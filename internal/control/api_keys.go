package control

import (
	"errors"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// apiKeyBody is an API key without the key itself.
type apiKeyBody struct {
	ID        uuid.UUID `json:"id"`
	CreatedAt api.Time  `json:"created_at"`
}

// APIKeys is `GET /tenants/{t}/api-keys`.
func APIKeys(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		keys, err := auth.APIKeys(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		bodies := make([]apiKeyBody, len(keys))
		for i, key := range keys {
			bodies[i] = apiKeyBody{key.ID, api.Time(key.CreatedAt)}
		}
		return api.Write(w, http.StatusOK, map[string]any{"api_keys": bodies})
	}
}

// CreateAPIKey is `POST /tenants/{t}/api-keys`. Only its response shows the key.
func CreateAPIKey(db storage.DB, gate *auth.Gate) api.Handler {
	type response struct {
		apiKeyBody
		Key string `json:"key"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, "key")
		if err != nil {
			return err
		}
		var given string
		if raw, ok := body["key"]; ok {
			if given, err = auth.ReadSecret("key", raw); err != nil {
				return err
			}
		}
		created, key, err := gate.AddAPIKey(r.Context(), db, tenant, given)
		if errors.Is(err, auth.ErrKeyTaken) {
			return apiKeyTaken()
		}
		if err != nil {
			return err
		}
		gate.EvictTenant(tenant.ID)
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusCreated, response{apiKeyBody{created.ID, api.Time(created.CreatedAt)}, key})
	}
}

// DeleteAPIKey is `DELETE /tenants/{t}/api-keys/{id}`.
func DeleteAPIKey(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		id, ok := api.ParseID(r.PathValue("id"))
		if !ok {
			return apiKeyNotFound()
		}
		err = auth.DeleteAPIKey(r.Context(), db, tenant.ID, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return apiKeyNotFound()
		}
		if err != nil {
			return err
		}
		gate.EvictTenant(tenant.ID)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}
