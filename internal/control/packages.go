package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/field"
	"understudy.example/internal/storage"
)

// packageBody is a data package. Without Content it shows the fields of version 2, and
// without Fields all of them.
type packageBody struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Content *string  `json:"content,omitempty"`
	Fields  []string `json:"fields,omitempty"`
}

// Packages is `GET /tenants/{t}/packages`.
func Packages(db storage.DB, budget *api.Budget) api.Handler {
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
		return api.WriteWithin(w, r, budget, tenant.ID, map[string]any{"packages": bodies})
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

// packageID is the form of a package's id.
var packageID = regexp.MustCompile(`^[^\pC\pZ/?#%\x{FFFD}]{1,200}$`)

// readPackage reads a data package from the request's body.
func readPackage(r *http.Request) (p data.Package, err error) {
	body, err := api.ReadFields(r, packageFields...)
	if err != nil {
		return p, err
	}
	return parsePackage(body)
}

var packageFields = []string{"id", "kind", "content", "fields"}

// parsePackage parses a data package, whose keys are known.
func parsePackage(body api.Object) (p data.Package, err error) {
	p.ID, _ = body.Text("id")
	if !packageID.MatchString(p.ID) || p.ID == "." || p.ID == ".." {
		return p, api.BadRequest("id: want 1 to 200 characters without spaces, /, ?, # and %%")
	}
	if err := readKind(body, &p); err != nil {
		return p, err
	}
	raw, given := body["fields"]
	if !given {
		return p, nil
	}
	if p.Content != nil {
		return p, api.BadRequest("fields: a package with a content shows all its fields: send either content or fields")
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

// readKind reads the kind and the content of a package. The content determines the
// kind; without one, the end of the id does if it names a kind.
func readKind(body api.Object, p *data.Package) (err error) {
	source := "the id is that"
	kind := data.PackageKind(p.ID)
	if raw, given := body["content"]; given {
		content, err := api.ReadOneOf("content", raw, field.ContentNames()...)
		if err != nil {
			return err
		}
		p.Content, kind, source = &content, data.ContentKind(content), "the content is that"
	}
	p.Kind = kind
	if raw, given := body["kind"]; given || kind == "" {
		if p.Kind, err = api.ReadOneOf("kind", raw, data.CompanyKind, data.LocationKind); err != nil {
			return err
		}
	}
	if kind != "" && p.Kind != kind {
		return api.BadRequest("kind: %s of a %s package", source, kind)
	}
	return nil
}
