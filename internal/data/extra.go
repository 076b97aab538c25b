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

// Errors of AddExtra and DropExtra.
var (
	ErrPackageExists   = errors.New("data package taken")
	ErrPackageNotFound = errors.New("no such data package")
	ErrDefaultPackage  = errors.New("data package of the tenant's making")
)

// packageID is the form of a package's id; its letter tells the kind.
var packageID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,93}-([cl])[0-9]{4}$`)

// PackageKind is the kind that a package's id tells; "" for a malformed one.
func PackageKind(id string) string {
	match := packageID.FindStringSubmatch(id)
	if match == nil {
		return ""
	}
	return map[string]string{"c": CompanyKind, "l": LocationKind}[match[1]]
}

// HasField tells whether packages of the kind can show the field.
func HasField(kind, name string) bool {
	shapes := [][]field.Field{field.LocationFacts, field.LocationOptions}
	if kind == CompanyKind {
		shapes = [][]field.Field{field.Facts, field.Options, field.Report}
	}
	return slices.ContainsFunc(slices.Concat(shapes...), func(f field.Field) bool { return f.Name == name })
}

// CreatePackage gives the tenant a package of its own.
func CreatePackage(ctx context.Context, db storage.DB, tenantID uuid.UUID, p Package) error {
	added, err := db.Exec(ctx, `
		insert into data_packages (tenant_id, id, kind, fields, extra)
		values (@tenant_id, @id, @kind, @fields, true)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": p.ID, "kind": p.Kind, "fields": p.Fields})
	if err != nil {
		return fmt.Errorf("add data package: %w", err)
	}
	if added.RowsAffected() == 0 {
		return ErrPackageExists
	}
	return nil
}

// DeletePackage removes a package that the tenant was not made with.
func DeletePackage(ctx context.Context, db storage.DB, tenantID uuid.UUID, id string) error {
	if PackageKind(id) == "" {
		return ErrPackageNotFound
	}
	dropped, err := db.Exec(ctx, `
		delete from data_packages
		where tenant_id = @tenant_id
		and id = @id
		and extra`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if err != nil {
		return fmt.Errorf("drop data package: %w", err)
	}
	if dropped.RowsAffected() > 0 {
		return nil
	}
	var made bool
	if err := db.QueryRow(ctx, `
		select exists(
			select from data_packages
			where tenant_id = @tenant_id
			and id = @id
		)`, pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id}).Scan(&made); err != nil {
		return fmt.Errorf("find data package: %w", err)
	}
	if made {
		return ErrDefaultPackage
	}
	return ErrPackageNotFound
}

// Packages returns the tenant's packages: those that it was made with first.
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

// CompanyPackage returns the caller's company package with this id. Its error
// is an answer when there is none.
func CompanyPackage(ctx context.Context, db storage.DB, caller auth.Caller, id string) (Package, error) {
	p, err := packageFor(ctx, db, caller.TenantID, id, "")
	if err == nil && p.Kind != CompanyKind {
		return Package{}, packageNotFound()
	}
	return p, err
}
