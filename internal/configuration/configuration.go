// Package configuration exports and imports the configuration of a tenant: settings, data
// packages, outcomes, faults, subscriptions and clients, as one JSON document without
// secrets. The package that owns the rows of a section exports and imports it. This
// package does not know what a section contains.
package configuration

import (
	"context"
	"errors"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
)

// version is the version of the document.
const version = 1

// document is a tenant's whole configuration, without secrets.
type document struct {
	Version  int                      `json:"version"`
	Tenant   string                   `json:"tenant"`
	Settings auth.EffectiveSettings   `json:"settings"`
	Packages []data.PackageDefinition `json:"packages"` // without the default ones
	Outcomes []outcome.Definition     `json:"outcomes"` // newest first
	Faults   []fault.Definition       `json:"faults"`
	Hooks    []hooks.Definition       `json:"hooks"`
	Clients  []auth.ClientDefinition  `json:"clients"`
}

// Configurations exports and imports the configurations of tenants.
type Configurations struct {
	DB     storage.DB
	Gate   *auth.Gate
	Budget *api.Budget // for exports
	Turns  *Turns      // for imports
	Hooks  *hooks.Editor
	Faults *fault.Injector
}

// Export is `GET /tenants/{t}/configuration`.
func (c Configurations) Export() api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, c.DB)
		if err != nil {
			return err
		}
		room, err := outcome.Reserve(r.Context(), c.DB, c.Budget, tenant.ID)
		if err != nil {
			return err
		}
		defer room.Release()
		body, err := c.read(r.Context(), tenant)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, body)
	}
}

func (c Configurations) read(ctx context.Context, tenant auth.Tenant) (document, error) {
	packages, err1 := data.PackageDefinitions(ctx, c.DB, tenant.ID)
	outcomes, err2 := outcome.Definitions(ctx, c.DB, tenant.ID)
	faults, err3 := fault.Definitions(ctx, c.DB, tenant.ID, tenant.Time(c.Gate.Now()))
	subscriptions, err4 := c.Hooks.Definitions(ctx, tenant)
	clients, err5 := auth.ClientDefinitions(ctx, c.DB, tenant.ID)
	return document{version, tenant.Name, tenant.Settings.Effective(), packages, outcomes, faults, subscriptions, clients},
		errors.Join(err1, err2, err3, err4, err5)
}
