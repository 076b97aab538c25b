package data

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

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
	ID      string
	Kind    string
	Content *string  // the line of business that it shows, a name of field.Contents; nil = the fields of version 2
	Fields  []string // fields of facts, options and scores that it shows; nil = all
}

// content returns the fields that the package has in version 5.
func (p Package) content() field.Content {
	if p.Content != nil {
		if c, ok := field.FindContent(*p.Content); ok {
			return c
		}
	}
	return field.Version2(p.Kind == LocationKind)
}

// shows returns the fields that the package shows, out of the given ones.
func (p Package) shows(fields []field.Field) []field.Field {
	if p.Content == nil && p.Fields == nil {
		return fields
	}
	names := p.Fields
	if p.Content != nil {
		names = nil
		for _, f := range p.content().Fields() {
			names = append(names, f.Name)
		}
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f field.Field) bool { return !slices.Contains(names, f.Name) })
}

// packageID is the form of the service's package ids; its letter names the kind.
var packageID = regexp.MustCompile(`-([cl])[0-9]{4}$`)

// PackageKind returns the kind that the id of a package names; "" if it names none.
func PackageKind(id string) string {
	match := packageID.FindStringSubmatch(id)
	if match == nil {
		return ""
	}
	return kindOf(match[1] == "l")
}

func kindOf(locations bool) string {
	if locations {
		return LocationKind
	}
	return CompanyKind
}

// contentKind returns the kind of the packages with the content; "" if there is none
// of this name.
func contentKind(name string) string {
	c, ok := field.FindContent(name)
	if !ok {
		return ""
	}
	return kindOf(c.Locations)
}

// hasField reports whether packages of the kind can show the field.
func hasField(kind, name string) bool {
	shapes := [][]field.Field{field.LocationFacts, field.LocationOptions}
	if kind == CompanyKind {
		shapes = [][]field.Field{field.Facts, field.Options, field.Report}
	}
	return slices.ContainsFunc(slices.Concat(shapes...), func(f field.Field) bool { return f.Name == name })
}

// DefaultPackages returns the packages that a tenant of this name is created with:
// the company's and the location's of version 2, then those of version 5.
func DefaultPackages(tenant string) []Package {
	packages := make([]Package, len(field.Contents))
	for i, c := range field.Contents {
		packages[i] = Package{ID: tenant + "-" + c.Suffix, Kind: kindOf(c.Locations)}
		if c.Name != "" {
			packages[i].Content = &c.Name
		}
	}
	return packages
}

// AddPackages adds the packages, as default packages, unless the tenant has them
// already.
func AddPackages(ctx context.Context, db storage.DB, tenantID uuid.UUID, packages ...Package) error {
	for _, p := range packages {
		if _, err := db.Exec(ctx, `
			insert into data_packages (tenant_id, id, kind, content)
			values (@tenant_id, @id, @kind, @content)
			on conflict do nothing`,
			pgx.StrictNamedArgs{"tenant_id": tenantID, "id": p.ID, "kind": p.Kind, "content": p.Content}); err != nil {
			return fmt.Errorf("add data package: %w", err)
		}
	}
	return nil
}

// Errors of createPackage and deletePackage.
var (
	errPackageExists   = errors.New("data package exists")
	errPackageNotFound = errors.New("data package not found")
	errDefaultPackage  = errors.New("default data package cannot be deleted")
)

// createPackage adds a package to the tenant's default packages.
func createPackage(ctx context.Context, db storage.DB, tenantID uuid.UUID, p Package) error {
	created, err := db.Exec(ctx, `
		insert into data_packages (tenant_id, id, kind, content, fields, extra)
		values (@tenant_id, @id, @kind, @content, @fields, true)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": p.ID, "kind": p.Kind, "content": p.Content, "fields": p.Fields})
	if err != nil {
		return fmt.Errorf("create data package: %w", err)
	}
	if created.RowsAffected() == 0 {
		return errPackageExists
	}
	return nil
}

// deletePackage deletes a package that createPackage added.
func deletePackage(ctx context.Context, db storage.DB, tenantID uuid.UUID, id string) error {
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
		return errDefaultPackage
	}
	return errPackageNotFound
}

// Packages returns the tenant's packages in the order of their creation, the default
// ones first.
func Packages(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]Package, error) {
	packages, err := storage.All[Package](ctx, db, `
		select id, kind, content, fields
		from data_packages
		where tenant_id = @tenant_id
		order by extra, number`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list data packages: %w", err)
	}
	return packages, nil
}

// addedPackages returns the tenant's packages except its default ones, in the order of
// their creation.
func addedPackages(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]Package, error) {
	packages, err := storage.All[Package](ctx, db, `
		select id, kind, content, fields
		from data_packages
		where tenant_id = @tenant_id
		and extra
		order by number`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list added data packages: %w", err)
	}
	return packages, nil
}

// PackageIDs returns the ids of each tenant's packages, in the order of Packages.
func PackageIDs(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID][]string, error) {
	found, err := storage.All[struct {
		TenantID uuid.UUID
		ID       string
	}](ctx, db, `
		select tenant_id, id
		from data_packages
		where tenant_id = any(@ids)
		order by extra, number`,
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
	return packageFor(ctx, db, caller.TenantID, id, CompanyKind)
}

// packageFor returns the package with which an inquiry for data of the kind that names
// the package id gets its response: the named package. An inquiry for locations that
// names a company package gets the tenant's oldest location package of version 2, as in
// the service's sample. The response to an inquiry that names a location package has the
// id of the oldest one, too. The error is an *api.Error if the tenant has no such
// package, or if it is not of the kind. The kind "" is that of the named package.
func packageFor(ctx context.Context, db storage.DB, tenantID uuid.UUID, id, kind string) (Package, error) {
	p, err := storage.One[Package](ctx, db, `
		select package.*
		from (select @tenant_id::uuid as tenant_id, @package_id::text as package_id, @kind::text as kind) wanted
		cross join lateral (`+selectPackage+`) package`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "package_id": id, "kind": kind})
	return p, checkPackage(p, kind, err)
}

// selectPackage selects the package of packageFor. The statement has its arguments in a row
// of wanted.
const selectPackage = `
		select coalesce(oldest.id, shown.id) as id, shown.kind, shown.content, shown.fields
		from data_packages named
		join data_packages shown on shown.tenant_id = named.tenant_id
		left join lateral (
			select id
			from data_packages
			where wanted.kind = 'location'
			and tenant_id = named.tenant_id
			and kind = 'location'
			and content is null
			order by number
			limit 1
		) oldest on true
		where named.tenant_id = wanted.tenant_id
		and named.id = wanted.package_id
		and (
			shown.id = named.id
			or wanted.kind = 'location' and named.kind = 'company' and shown.kind = 'location' and shown.content is null
		)
		order by shown.kind = wanted.kind desc, shown.number
		limit 1`

// checkPackage returns the error of packageFor. err is that of selectPackage.
func checkPackage(p Package, kind string, err error) error {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return packageNotFound()
	case err != nil:
		return fmt.Errorf("find data package: %w", err)
	case kind == CompanyKind && p.Kind != kind:
		return wrongPackageKind()
	case kind != "" && p.Kind != kind:
		return packageNotFound()
	}
	return nil
}
