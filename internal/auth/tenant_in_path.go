package auth

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/call"
	"understudy.example/internal/storage"
	"understudy.example/internal/transfer"
)

// TenantInPath returns the tenant named by the path value t of a control call. Its
// error is a 404 if there is none.
func TenantInPath(r *http.Request, db storage.DB) (Tenant, error) {
	tenant, err := TenantNamed(r.Context(), db, r.PathValue("t"))
	if errors.Is(err, pgx.ErrNoRows) {
		return Tenant{}, TenantNotFound()
	}
	if err != nil {
		return Tenant{}, fmt.Errorf("find tenant: %w", err)
	}
	record := call.From(r.Context())
	record.TenantID, record.TenantName = tenant.ID, tenant.Name
	transfer.RequestOf(r.Context(), tenant.ID)
	return tenant, nil
}
