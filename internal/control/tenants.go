package control

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/tally"
)

// CreateTenant is `POST /tenants`. Only its response shows the tenant's secrets.
func CreateTenant(db storage.DB, gate *auth.Gate) api.Handler {
	type response struct {
		Name              string    `json:"name"`
		TenantUUID        uuid.UUID `json:"tenant_uuid"`
		ClientID          string    `json:"client_id"`
		ClientSecret      string    `json:"client_secret"`
		APIKey            string    `json:"api_key"`
		CompanyPackageID  string    `json:"company_package_id"`
		LocationPackageID string    `json:"location_package_id"`
		UserID            uuid.UUID `json:"user_id"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		name, permissions, settings, err := readNewTenant(r)
		if err != nil {
			return err
		}
		var tenant auth.Tenant
		var credentials auth.Credentials
		var packages []data.Package
		err = storage.InTx(r.Context(), db, func(tx pgx.Tx) error {
			tenant, credentials, err = gate.AddTenant(r.Context(), tx, name, permissions, settings)
			if err != nil {
				return err
			}
			packages = data.DefaultPackages(tenant.Name)
			return data.AddPackages(r.Context(), tx, tenant.ID, packages...)
		})
		switch {
		case errors.Is(err, auth.ErrTenantName):
			return api.BadRequest("name: want 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen")
		case errors.Is(err, auth.ErrNameTaken):
			return nameTaken(name)
		case err != nil:
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusCreated, response{
			Name:              tenant.Name,
			TenantUUID:        tenant.ID,
			ClientID:          credentials.ClientID,
			ClientSecret:      credentials.ClientSecret,
			APIKey:            credentials.APIKey,
			CompanyPackageID:  packages[0].ID,
			LocationPackageID: packages[1].ID,
			UserID:            credentials.UserID,
		})
	}
}

// readNewTenant reads the name, permissions and settings of a new tenant.
func readNewTenant(r *http.Request) (name string, permissions []string, settings auth.Settings, err error) {
	body, err := api.ReadFields(r, "name", "permissions", "settings")
	if err != nil {
		return "", nil, settings, err
	}
	if raw, given := body["name"]; given {
		if name, err = api.ReadText("name", raw); err != nil {
			return "", nil, settings, err
		}
	}
	if permissions, err = auth.ReadPermissions(body, auth.AllPermissions); err != nil {
		return "", nil, settings, err
	}
	if raw, given := body["settings"]; given {
		object, err := api.ReadObject("settings", raw, auth.SettingsFields...)
		if err != nil {
			return "", nil, settings, err
		}
		if err := auth.ReadSettings("settings", object, &settings); err != nil {
			return "", nil, settings, err
		}
	}
	return name, permissions, settings, nil
}

// tenantBody is a tenant without its secrets.
type tenantBody struct {
	Name       string                 `json:"name"`
	TenantUUID uuid.UUID              `json:"tenant_uuid"`
	CreatedAt  api.Time               `json:"created_at"`
	Clients    []clientBody           `json:"clients"`
	Packages   []string               `json:"packages"`
	Settings   auth.EffectiveSettings `json:"settings"`
	Clock      clockBody              `json:"clock"`
	Counts     countsBody             `json:"counts"`
	Usage      usageBody              `json:"usage"`

	LastActivity api.Time `json:"last_activity"` // last call or state; the tenant's time
}

type countsBody struct {
	Transactions int `json:"transactions"`
	Reports      int `json:"reports"`
	Outcomes     int `json:"outcomes"`
}

// usageBody is what the tenant's quotas limit.
type usageBody struct {
	Submissions int   `json:"submissions"`
	StoredBytes int64 `json:"stored_bytes"`
}

// Tenants is `GET /tenants`: all tenants by name, or with the parameter limit a page of
// them.
func Tenants(db storage.DB, gate *auth.Gate, budget *api.Budget) api.Handler {
	type response struct {
		Tenants any    `json:"tenants"`         // []tenantBody or []briefTenantBody
		After   string `json:"after,omitempty"` // cursor of the next page
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		var page auth.TenantPage
		var brief bool
		err := api.ReadQuery(r.URL.Query(), map[string]func(string) bool{
			"limit": api.ParseLimit(&page.Limit),
			"after": func(value string) bool { page.After = value; return true },
			"q":     func(value string) bool { page.Part = value; return true },
			"brief": api.ParseFlag(&brief),
		})
		if err != nil {
			return err
		}
		if page.Limit == 0 {
			page.Limit = math.MaxInt32
		}
		tenants, err := page.List(r.Context(), db)
		if err != nil {
			return err
		}
		var body response
		if len(tenants) > page.Limit {
			tenants = tenants[:page.Limit]
			body.After = tenants[page.Limit-1].Name
		}
		if brief {
			body.Tenants, err = newBriefTenantBodies(r.Context(), db, tenants)
		} else {
			body.Tenants, err = newTenantBodies(r.Context(), db, gate, tenants)
		}
		if err != nil {
			return err
		}
		return api.WriteWithin(w, r, budget, uuid.Nil, body)
	}
}

// briefTenantBody is a tenant without the numbers that take long to count.
type briefTenantBody struct {
	Name         string   `json:"name"`
	CreatedAt    api.Time `json:"created_at"`
	LastActivity api.Time `json:"last_activity"`
}

func newBriefTenantBodies(ctx context.Context, db storage.DB, tenants []auth.Tenant) ([]briefTenantBody, error) {
	ids := make([]uuid.UUID, len(tenants))
	for i, tenant := range tenants {
		ids[i] = tenant.ID
	}
	last, err := lastActivity(ctx, db, ids)
	bodies := make([]briefTenantBody, len(tenants))
	for i, tenant := range tenants {
		bodies[i] = briefTenantBody{tenant.Name, api.Time(tenant.CreatedAt), last[tenant.ID]}
	}
	return bodies, err
}

// Tenant is `GET /tenants/{t}`.
func Tenant(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		return writeTenant(w, r, db, gate)
	}
}

// writeTenant responds with the tenant in the path.
func writeTenant(w http.ResponseWriter, r *http.Request, db storage.DB, gate *auth.Gate) error {
	tenant, err := auth.TenantInPath(r, db)
	if err != nil {
		return err
	}
	bodies, err := newTenantBodies(r.Context(), db, gate, []auth.Tenant{tenant})
	if err != nil {
		return err
	}
	return api.Write(w, http.StatusOK, bodies[0])
}

// newTenantBodies returns the tenants with their clients, packages and counts.
func newTenantBodies(ctx context.Context, db storage.DB, gate *auth.Gate, tenants []auth.Tenant) ([]tenantBody, error) {
	ids := make([]uuid.UUID, len(tenants))
	for i, tenant := range tenants {
		ids[i] = tenant.ID
	}
	clients, err1 := auth.ClientsOf(ctx, db, ids)
	packages, err2 := data.PackageIDs(ctx, db, ids)
	usages, err3 := tally.Usages(ctx, db, ids)
	reports, err4 := data.ReportCounts(ctx, db, ids)
	outcomes, err5 := outcome.Counts(ctx, db, ids)
	last, err6 := lastActivity(ctx, db, ids)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	ofTenant := map[uuid.UUID][]auth.TenantClient{}
	for _, client := range clients {
		ofTenant[client.TenantID] = append(ofTenant[client.TenantID], client)
	}
	bodies := make([]tenantBody, len(tenants))
	for i, tenant := range tenants {
		bodies[i] = tenantBody{
			Name:       tenant.Name,
			TenantUUID: tenant.ID,
			CreatedAt:  api.Time(tenant.CreatedAt),
			Clients:    newClientBodies(ofTenant[tenant.ID]),
			Packages:   append([]string{}, packages[tenant.ID]...),
			Settings:   tenant.Settings.Effective(),
			Clock:      newClockBody(tenant, gate.Now()),
			Counts:     countsBody{usages[tenant.ID].Submissions, reports[tenant.ID], outcomes[tenant.ID]},
			Usage:      usageBody(usages[tenant.ID]),

			LastActivity: last[tenant.ID],
		}
	}
	return bodies, nil
}
