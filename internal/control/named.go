package control

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// tenantOf returns the tenant that the path names.
func tenantOf(r *http.Request, db storage.DB) (auth.Tenant, error) {
	tenant, err := auth.TenantNamed(r.Context(), db, r.PathValue("t"))
	if errors.Is(err, pgx.ErrNoRows) {
		return auth.Tenant{}, api.NewError(http.StatusNotFound, "Tenant not found")
	}
	if err != nil {
		return auth.Tenant{}, fmt.Errorf("find tenant: %w", err)
	}
	return tenant, nil
}
