package data

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// PackageDefinition is a data package as the control API shows it. Without Content it
// shows the fields of version 2, and without Fields all of them.
type PackageDefinition struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Content *string  `json:"content,omitempty"`
	Fields  []string `json:"fields,omitempty"`
}

func newPackageDefinitions(packages []Package) []PackageDefinition {
	definitions := make([]PackageDefinition, len(packages))
	for i, p := range packages {
		definitions[i] = PackageDefinition(p)
	}
	return definitions
}

// PackageDefinitions returns the tenant's packages except its default ones, in the order
// of their creation.
func PackageDefinitions(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]PackageDefinition, error) {
	packages, err := addedPackages(ctx, db, tenantID)
	return newPackageDefinitions(packages), err
}

// PackageSet is all packages of a tenant except its default ones.
type PackageSet struct {
	at       string // path of the array
	packages []Package
}

// ParsePackageSet parses packages in the form of PackageDefinition. Its errors are
// *api.Error and contain paths, which begin with at, the path of the array.
func ParsePackageSet(at string, objects []api.Object) (PackageSet, error) {
	packages := make([]Package, len(objects))
	for i, object := range objects {
		path := api.ElementPath(at, i)
		err := api.CheckKeys(path, object, DefinitionFields...)
		if err != nil {
			return PackageSet{}, err
		}
		if packages[i], err = parsePackage(object); err != nil {
			return PackageSet{}, api.ErrorAt(path, err)
		}
		if slices.ContainsFunc(packages[:i], func(p Package) bool { return p.ID == packages[i].ID }) {
			return PackageSet{}, api.BadRequest("%s.id: %q is listed twice", path, packages[i].ID)
		}
	}
	return PackageSet{at, packages}, nil
}

// Replace replaces the tenant's packages by the set, except its default ones. If they are
// the same, it changes nothing.
func (s PackageSet) Replace(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	current, err := addedPackages(ctx, tx, tenantID)
	if err != nil || api.SameJSON(newPackageDefinitions(current), newPackageDefinitions(s.packages)) {
		return err
	}
	for _, p := range current {
		if err := deletePackage(ctx, tx, tenantID, p.ID); err != nil {
			return err
		}
	}
	for i, p := range s.packages {
		err := createPackage(ctx, tx, tenantID, p)
		if errors.Is(err, errPackageExists) {
			return api.ErrorAt(api.ElementPath(s.at, i), packageTaken(p.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
