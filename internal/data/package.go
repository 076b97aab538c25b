package data

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/field"
	"understudy.example/internal/storage"
)

// Kinds of data packages. The kind determines the shape of the data that a package
// shows.
const (
	CompanyKind  = "company"
	LocationKind = "location"
)

// Package is a data package of a tenant: the `dp_id` of an inquiry.
type Package struct {
	ID     string
	Kind   string
	Fields []string // fields of facts, options and scores that it shows; nil = all
}

// shows returns the fields that the package shows, out of the given ones.
func (p Package) shows(fields []field.Field) []field.Field {
	if p.Fields == nil {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f field.Field) bool { return !slices.Contains(p.Fields, f.Name) })
}

// packageID is the form of a package's id. Its letter is the kind.
var packageID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,93}-([cl])[0-9]{4}$`)

// PackageKind returns the kind that the id of a package names; "" if the id is
// malformed.
func PackageKind(id string) string {
	match := packageID.FindStringSubmatch(id)
	if match == nil {
		return ""
	}
	return map[string]string{"c": CompanyKind, "l": LocationKind}[match[1]]
}

// HasField reports whether packages of the kind can show the field.
func HasField(kind, name string) bool {
	shapes := [][]field.Field{field.LocationFacts, field.LocationOptions}
	if kind == CompanyKind {
		shapes = [][]field.Field{field.Facts, field.Options, field.Report}
	}
	return slices.ContainsFunc(slices.Concat(shapes...), func(f field.Field) bool { return f.Name == name })
}

// DefaultPackages returns the packages that a tenant of this name is created with:
// one of each kind, the company's first.
func DefaultPackages(tenant string) []Package {
	return []Package{
		{ID: tenant + "-us-c0001", Kind: CompanyKind},
		{ID: tenant + "-us-l0001", Kind: LocationKind},
	}
}

// AddPackages adds the packages, as default packages, unless the tenant has them
// already.
func AddPackages(ctx context.Context, db storage.DB, tenantID uuid.UUID, packages ...Package) error {
	for _, p := range packages {
		if _, err := db.Exec(ctx, `
			insert into data_packages (tenant_id, id, kind)
			values (@tenant_id, @id, @kind)
			on conflict do nothing`,
			pgx.StrictNamedArgs{"tenant_id": tenantID, "id": p.ID, "kind": p.Kind}); err != nil {
			return fmt.Errorf("add data package: %w", err)
		}
	}
	return nil
}

// Errors of CreatePackage and DeletePackage.
var (
	ErrPackageExists   = errors.New("data package exists")
	ErrPackageNotFound = errors.New("data package not found")
	ErrDefaultPackage  = errors.New("default data package cannot be deleted")
)

// CreatePackage adds a package to the tenant's default packages.
func CreatePackage(ctx context.Context, db storage.DB, tenantID uuid.UUID, p Package) error {
	created, err := db.Exec(ctx, `
		insert into data_packages (tenant_id, id, kind, fields, extra)
		values (@tenant_id, @id, @kind, @fields, true)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": p.ID, "kind": p.Kind, "fields": p.Fields})
	if err != nil {
		return fmt.Errorf("create data package: %w", err)
	}
	if created.RowsAffected() == 0 {
		return ErrPackageExists
	}
	return nil
}

// DeletePackage deletes a package that CreatePackage added.
func DeletePackage(ctx context.Context, db storage.DB, tenantID uuid.UUID, id string) error {
	if PackageKind(id) == "" {
		return ErrPackageNotFound
	}
	deleted, err := db.Exec(ctx, `
		delete from data_packages
		where tenant_id = @tenant_id
		and id = @id
		and extra`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if err != nil {
		return fmt.Errorf("delete data package: %w", err)
	}
	if deleted.RowsAffected() > 0 {
		return nil
	}
	var exists bool
	if err := db.QueryRow(ctx, `
		select exists(
			select from data_packages
			where tenant_id = @tenant_id
			and id = @id
		)`, pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id}).Scan(&exists); err != nil {
		return fmt.Errorf("find data package: %w", err)
	}
	if exists {
		return ErrDefaultPackage
	}
	return ErrPackageNotFound
}

// Packages returns the tenant's packages, the default ones first.
func Packages(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]Package, error) {
	packages, err := storage.All[Package](ctx, db, `
		select id, kind, fields
		from data_packages
		where tenant_id = @tenant_id
		order by extra, id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list data packages: %w", err)
	}
	return packages, nil
}

// PackageIDs returns the ids of each tenant's packages.
func PackageIDs(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID][]string, error) {
	found, err := storage.All[struct {
		TenantID uuid.UUID
		ID       string
	}](ctx, db, `
		select tenant_id, id
		from data_packages
		where tenant_id = any(@ids)
		order by id`,
		pgx.StrictNamedArgs{"ids": tenantIDs})
	if err != nil {
		return nil, fmt.Errorf("list data packages: %w", err)
	}
	ids := map[uuid.UUID][]string{}
	for _, p := range found {
		ids[p.TenantID] = append(ids[p.TenantID], p.ID)
	}
	return ids, nil
}

// CompanyPackage returns the caller's company package with the id. The error is an
// *api.Error if there is none.
func CompanyPackage(ctx context.Context, db storage.DB, caller auth.Caller, id string) (Package, error) {
	p, err := packageFor(ctx, db, caller.TenantID, id, "")
	if err == nil && p.Kind != CompanyKind {
		return Package{}, wrongPackageKind()
	}
	return p, err
}

// packageFor returns the package whose fields an inquiry for data of the kind shows.
// It is the named package if that is of the kind, and otherwise the tenant's first
// package of the kind, as in the service's sample of a location inquiry. The kind ""
// is the kind of the named package. The error is an *api.Error if the tenant does not
// have the named package.
func packageFor(ctx context.Context, db storage.DB, tenantID uuid.UUID, id, kind string) (Package, error) {
	if !storable(id) {
		return Package{}, packageNotFound()
	}
	p, err := storage.One[Package](ctx, db, `
		select shown.id, shown.kind, shown.fields
		from data_packages named
		join data_packages shown on shown.tenant_id = named.tenant_id
		where named.tenant_id = @tenant_id
		and named.id = @id
		and (shown.kind = @kind or shown.id = named.id)
		order by shown.kind = @kind desc, shown.id = named.id desc, shown.extra, shown.id
		limit 1`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id, "kind": kind})
	if errors.Is(err, pgx.ErrNoRows) {
		return Package{}, packageNotFound()
	}
	if err != nil {
		return Package{}, fmt.Errorf("find data package: %w", err)
	}
	return p, nil
}

// storable reports whether a column can hold the text: Postgres accepts neither
// NUL nor invalid UTF-8, and a path can contain both.
func storable(id string) bool { return utf8.ValidString(id) && !strings.ContainsRune(id, 0) }
