package data

import (
	"errors"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// ListPackages is `GET /tenants/{t}/packages`.
func ListPackages(db storage.DB, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		packages, err := Packages(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		return api.WriteWithin(w, r, budget, tenant.ID, map[string]any{"packages": newPackageDefinitions(packages)})
	}
}

// CreatePackage is `POST /tenants/{t}/packages`.
func CreatePackage(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		p, err := readPackage(r)
		if err != nil {
			return err
		}
		err = createPackage(r.Context(), db, tenant.ID, p)
		if errors.Is(err, errPackageExists) {
			return packageTaken(p.ID)
		}
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusCreated, PackageDefinition(p))
	}
}

// DeletePackage is `DELETE /tenants/{t}/packages/{id}`.
func DeletePackage(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		err = deletePackage(r.Context(), db, tenant.ID, r.PathValue("id"))
		switch {
		case errors.Is(err, errPackageNotFound):
			return api.NewControlError(http.StatusNotFound, "Data package not found")
		case errors.Is(err, errDefaultPackage):
			return packageNotDeletable()
		case err != nil:
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}
