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

// Settings is `GET /tenants/{t}/settings`.
func Settings(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, tenant.Settings.Effective())
	}
}

// ChangeSettings is `PATCH /tenants/{t}/settings`: it replaces each given setting as a
// whole; null restores the default. It takes effect at once on this server, and within
// a second on others; changed tells this server.
func ChangeSettings(db storage.DB, gate *auth.Gate, changed func(tenantID uuid.UUID)) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, auth.SettingsFields...)
		if err != nil {
			return err
		}
		tenant, err = gate.ChangeSettings(r.Context(), db, tenant.ID, func(s *auth.Settings) error {
			return auth.ReadSettings("", body, s)
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return auth.TenantNotFound()
		}
		if err != nil {
			return err
		}
		changed(tenant.ID)
		return api.Write(w, http.StatusOK, tenant.Settings.Effective())
	}
}
