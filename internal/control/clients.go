package control

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// clientBody is a client without its secret.
type clientBody struct {
	ID          string    `json:"client_id"`
	UserID      uuid.UUID `json:"user_id"`
	Permissions []string  `json:"permissions"`
	CreatedAt   api.Time  `json:"created_at"`
}

func newClientBody(c auth.TenantClient) clientBody {
	return clientBody{c.ID, c.UserID, c.Permissions, api.Time(c.CreatedAt)}
}

func newClientBodies(clients []auth.TenantClient) []clientBody {
	bodies := make([]clientBody, len(clients))
	for i, c := range clients {
		bodies[i] = newClientBody(c)
	}
	return bodies
}

// Clients is `GET /tenants/{t}/clients`.
func Clients(db storage.DB, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		clients, err := auth.ClientsOf(r.Context(), db, []uuid.UUID{tenant.ID})
		if err != nil {
			return err
		}
		return api.WriteWithin(w, r, budget, tenant.ID, map[string]any{"clients": newClientBodies(clients)})
	}
}

// CreateClient is `POST /tenants/{t}/clients`. Only its response shows the secret.
func CreateClient(db storage.DB, gate *auth.Gate) api.Handler {
	type response struct {
		clientBody
		Secret string `json:"client_secret"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		given, err := readNewClient(r)
		if err != nil {
			return err
		}
		var created auth.TenantClient
		var secret string
		err = storage.InTx(r.Context(), db, func(tx pgx.Tx) (err error) {
			created, secret, err = gate.AddClient(r.Context(), tx, tenant, given)
			return err
		})
		if errors.Is(err, auth.ErrClientIDTaken) {
			return auth.ClientTaken(given.ID)
		}
		if err != nil {
			return err
		}
		gate.EvictTenant(tenant.ID)
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusCreated, response{newClientBody(created), secret})
	}
}

// ChangeClient is `PATCH /tenants/{t}/clients/{client_id}`.
func ChangeClient(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		change, err := readClientChange(r)
		if err != nil {
			return err
		}
		id, err := clientInPath(r)
		if err != nil {
			return err
		}
		changed, err := gate.ChangeClient(r.Context(), db, tenant.ID, id, change)
		if err != nil {
			return clientError(err)
		}
		gate.EvictTenant(tenant.ID)
		return api.Write(w, http.StatusOK, newClientBody(changed))
	}
}

// RevokeClient is `DELETE /tenants/{t}/clients/{client_id}`.
func RevokeClient(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		id, err := clientInPath(r)
		if err != nil {
			return err
		}
		if err := gate.RevokeClient(r.Context(), db, tenant.ID, id); err != nil {
			return clientError(err)
		}
		gate.EvictTenant(tenant.ID)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// RotateSecret is `POST /tenants/{t}/clients/{client_id}/rotate`. Only its response
// shows the new secret.
func RotateSecret(db storage.DB, gate *auth.Gate) api.Handler {
	type response struct {
		ID        string   `json:"client_id"`
		Secret    string   `json:"client_secret"`
		OldSecret api.Time `json:"old_secret_expires_at"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, "overlap")
		if err != nil {
			return err
		}
		var overlap time.Duration
		if raw, given := body["overlap"]; given {
			if overlap, err = api.ReadDuration("overlap", raw); err != nil {
				return err
			}
		}
		id, err := clientInPath(r)
		if err != nil {
			return err
		}
		secret, oldUntil, err := gate.RotateSecret(r.Context(), db, tenant.ID, id, overlap)
		if err != nil {
			return clientError(err)
		}
		gate.EvictTenant(tenant.ID)
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusOK, response{id, secret, api.Time(oldUntil)})
	}
}

// clientInPath returns the path's client id. Its error is a 404 if no client can have
// the id.
func clientInPath(r *http.Request) (string, error) {
	id := r.PathValue("client_id")
	if !auth.ValidClientID(id) {
		return "", clientNotFound()
	}
	return id, nil
}

// clientError returns a 404 if the error means that the tenant has no such client, and
// otherwise the error.
func clientError(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return clientNotFound()
	}
	return err
}

// readNewClient reads a client from the request's body.
func readNewClient(r *http.Request) (c auth.NewClient, err error) {
	body, err := api.ReadFields(r, "client_id", "client_secret", "permissions")
	if err != nil {
		return c, err
	}
	if raw, given := body["client_id"]; given {
		if c.ID, err = auth.ReadClientID("client_id", raw); err != nil {
			return c, err
		}
	}
	if raw, given := body["client_secret"]; given {
		if c.Secret, err = auth.ReadSecret("client_secret", raw); err != nil {
			return c, err
		}
	}
	c.Permissions, err = auth.ReadPermissions(body, auth.AllPermissions)
	return c, err
}

// readClientChange reads a change of a client from the request's body.
func readClientChange(r *http.Request) (change auth.ClientChange, err error) {
	body, err := api.ReadFields(r, "client_secret", "permissions")
	if err != nil {
		return change, err
	}
	if raw, given := body["client_secret"]; given {
		text, err := auth.ReadSecret("client_secret", raw)
		if err != nil {
			return change, err
		}
		change.Secret = &text
	}
	change.Permissions, err = auth.ReadPermissions(body, nil)
	return change, err
}
