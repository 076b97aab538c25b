package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/field"
	"understudy.example/internal/storage"
)

// Kinds of data package: what shape of data it shows.
const (
	CompanyKind  = "company"
	LocationKind = "location"
)

// Package is a data package of a tenant: the `dp_id` of an inquiry.
type Package struct {
	ID     string
	Kind   string
	Fields []string // what it shows of facts, options and scores; nil = all
}

// shows returns those of the fields that the package shows.
func (p Package) shows(fields []field.Field) []field.Field {
	if p.Fields == nil {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f field.Field) bool { return !slices.Contains(p.Fields, f.Name) })
}

// AddPackages gives the tenant the packages that it does not have yet.
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

// DefaultPackages are the packages that a tenant of this name is made with: one of
// each kind, the company's first.
func DefaultPackages(tenant string) []Package {
	return []Package{
		{ID: tenant + "-us-c0001", Kind: CompanyKind},
		{ID: tenant + "-us-l0001", Kind: LocationKind},
	}
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
	packages := map[uuid.UUID][]string{}
	for _, p := range found {
		packages[p.TenantID] = append(packages[p.TenantID], p.ID)
	}
	return packages, nil
}

// packageFor returns the tenant's package to answer an inquiry of the given
// kind with: the one asked for when it is of that kind, else the tenant's
// first of that kind, as the service's sample of a location inquiry shows.
// The package asked for must be the tenant's in any case. The kind "" is that
// of the package asked for.
func packageFor(ctx context.Context, db storage.DB, tenantID uuid.UUID, id, kind string) (Package, error) {
	if !storable(id) {
		return Package{}, packageNotFound()
	}
	p, err := storage.One[Package](ctx, db, `
		select shown.id, shown.kind, shown.fields
		from data_packages asked
		join data_packages shown on shown.tenant_id = asked.tenant_id
		where asked.tenant_id = @tenant_id
		and asked.id = @id
		and (shown.kind = @kind or shown.id = asked.id)
		order by shown.kind = @kind desc, shown.id = asked.id desc, shown.extra, shown.id
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

// storable tells whether a column can hold the text: Postgres takes neither NUL
// nor what is not UTF-8, and a path can have both.
func storable(id string) bool { return utf8.ValidString(id) && !strings.ContainsRune(id, 0) }
