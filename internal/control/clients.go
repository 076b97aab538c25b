package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
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
			return clientTaken(given.ID)
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
	if !clientID.pattern.MatchString(id) {
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
		if c.ID, err = readCredential("client_id", raw, clientID); err != nil {
			return c, err
		}
	}
	if raw, given := body["client_secret"]; given {
		if c.Secret, err = readCredential("client_secret", raw, secret); err != nil {
			return c, err
		}
	}
	c.Permissions, err = readPermissions(body, auth.AllPermissions)
	return c, err
}

// readClientChange reads a change of a client from the request's body.
func readClientChange(r *http.Request) (change auth.ClientChange, err error) {
	body, err := api.ReadFields(r, "client_secret", "permissions")
	if err != nil {
		return change, err
	}
	if raw, given := body["client_secret"]; given {
		text, err := readCredential("client_secret", raw, secret)
		if err != nil {
			return change, err
		}
		change.Secret = &text
	}
	change.Permissions, err = readPermissions(body, nil)
	return change, err
}

// credentialForm is the form of a credential: a pattern, and its description for
// errors.
type credentialForm struct {
	pattern *regexp.Regexp
	want    string
}

var (
	// Basic authentication ends the client id at the first colon. It is also part of
	// paths.
	clientID = credentialForm{
		regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~@-]{0,99}$`),
		"1 to 100 letters, digits and . _ ~ @ -, beginning with a letter or digit",
	}
	secret = credentialForm{regexp.MustCompile(`^[!-~]{1,200}$`), "1 to 200 characters of printable ASCII without spaces"}
)

// readCredential reads a credential that the caller chose.
func readCredential(name string, raw json.RawMessage, form credentialForm) (string, error) {
	text, err := api.ReadText(name, raw)
	if err != nil || !form.pattern.MatchString(text) {
		return "", api.BadRequest("%s: want %s", name, form.want)
	}
	return text, nil
}

// readPermissions reads the permissions in the body. Without any it returns the
// defaults.
func readPermissions(body api.Object, defaults []string) (permissions []string, err error) {
	raw, given := body["permissions"]
	if !given {
		return defaults, nil
	}
	if json.Unmarshal(raw, &permissions) != nil || permissions == nil {
		return nil, api.BadRequest("permissions: want an array of strings")
	}
	for _, permission := range permissions {
		if !slices.Contains(auth.AllPermissions, permission) {
			return nil, api.BadRequest("permissions: unknown permission %q", permission)
		}
	}
	return permissions, nil
}
