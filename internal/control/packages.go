package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/storage"
)

// packageBody is a data package. Without Fields it shows all fields.
type packageBody struct {
	ID     string   `json:"id"`
	Kind   string   `json:"kind"`
	Fields []string `json:"fields,omitempty"`
}

// Packages is `GET /tenants/{t}/packages`.
func Packages(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		packages, err := data.Packages(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		bodies := make([]packageBody, len(packages))
		for i, p := range packages {
			bodies[i] = packageBody(p)
		}
		return api.Write(w, http.StatusOK, map[string]any{"packages": bodies})
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
		err = data.CreatePackage(r.Context(), db, tenant.ID, p)
		if errors.Is(err, data.ErrPackageExists) {
			return packageTaken(p.ID)
		}
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusCreated, packageBody(p))
	}
}

// DeletePackage is `DELETE /tenants/{t}/packages/{id}`.
func DeletePackage(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		err = data.DeletePackage(r.Context(), db, tenant.ID, r.PathValue("id"))
		switch {
		case errors.Is(err, data.ErrPackageNotFound):
			return api.NewControlError(http.StatusNotFound, "Data package not found")
		case errors.Is(err, data.ErrDefaultPackage):
			return packageNotDeletable()
		case err != nil:
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// readPackage reads a data package from the request's body.
func readPackage(r *http.Request) (p data.Package, err error) {
	body, err := api.ReadFields(r, "id", "kind", "fields")
	if err != nil {
		return p, err
	}
	p.ID, _ = body.Text("id")
	kind := data.PackageKind(p.ID)
	if kind == "" {
		return p, api.BadRequest("id: want lower-case letters, digits and -, then -c (company) or -l (location) and four digits")
	}
	if p.Kind, err = api.ReadOneOf("kind", body["kind"], data.CompanyKind, data.LocationKind); err != nil {
		return p, err
	}
	if p.Kind != kind {
		return p, api.BadRequest("kind: the id is that of a %s package", kind)
	}
	raw, given := body["fields"]
	if !given {
		return p, nil
	}
	if json.Unmarshal(raw, &p.Fields) != nil || len(p.Fields) == 0 {
		return p, api.BadRequest("fields: want an array of field names, at least one")
	}
	for i, name := range p.Fields {
		if !data.HasField(p.Kind, name) {
			return p, api.BadRequest("fields: a %s package has no field %q", p.Kind, name)
		}
		if slices.Contains(p.Fields[:i], name) {
			return p, api.BadRequest("fields: %q is listed twice", name)
		}
	}
	return p, nil
}
