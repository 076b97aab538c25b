package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// MakeTenant is `POST /tenants`. Its answer is the only one that ever shows the
// secrets.
func MakeTenant(db storage.DB, gate *auth.Gate) api.Handler {
	type answer struct {
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
		name, permissions, settings, err := readTenant(r)
		if err != nil {
			return err
		}
		var tenant auth.Tenant
		var made auth.Credentials
		var packages []data.Package
		err = pgx.BeginFunc(r.Context(), db, func(tx pgx.Tx) error {
			tenant, made, err = gate.AddTenant(r.Context(), tx, name, permissions, settings)
			if err != nil {
				return err
			}
			packages = data.PackagesFor(tenant.Name)
			return data.AddPackages(r.Context(), tx, tenant.ID, packages...)
		})
		switch {
		case errors.Is(err, auth.ErrTenantName):
			return badRequest("name: want 1 to 63 lower-case letters, digits and -, the first of them no -")
		case errors.Is(err, auth.ErrNameTaken):
			return nameTaken(name)
		case err != nil:
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusCreated, answer{
			Name:              tenant.Name,
			TenantUUID:        tenant.ID,
			ClientID:          made.ClientID,
			ClientSecret:      made.ClientSecret,
			APIKey:            made.APIKey,
			CompanyPackageID:  packages[0].ID,
			LocationPackageID: packages[1].ID,
			UserID:            made.UserID,
		})
	}
}

// readTenant reads what a new tenant is to have.
func readTenant(r *http.Request) (name string, permissions []string, settings auth.Settings, err error) {
	body, err := readBody(r, "name", "permissions", "settings")
	if err != nil {
		return "", nil, settings, err
	}
	if raw, given := body["name"]; given {
		if name, err = readText("name", raw); err != nil {
			return "", nil, settings, err
		}
	}
	permissions = auth.AllPermissions
	if raw, given := body["permissions"]; given {
		permissions = nil
		if json.Unmarshal(raw, &permissions) != nil || permissions == nil {
			return "", nil, settings, badRequest("permissions: want an array of strings")
		}
		for _, permission := range permissions {
			if !slices.Contains(auth.AllPermissions, permission) {
				return "", nil, settings, badRequest("permissions: there is no %q", permission)
			}
		}
	}
	if raw, given := body["settings"]; given {
		object, err := readObject("settings", raw, settingsKeys...)
		if err != nil {
			return "", nil, settings, err
		}
		if err := readSettings("settings", object, &settings); err != nil {
			return "", nil, settings, err
		}
	}
	return name, permissions, settings, nil
}

// tenantAnswer is a tenant as it may be shown: without secrets.
type tenantAnswer struct {
	Name       string              `json:"name"`
	TenantUUID uuid.UUID           `json:"tenant_uuid"`
	CreatedAt  api.Time            `json:"created_at"`
	Clients    []auth.TenantClient `json:"clients"`
	Packages   []string            `json:"packages"`
	Settings   settingsAnswer      `json:"settings"`
	Clock      clockAnswer         `json:"clock"`
	Counts     countsAnswer        `json:"counts"`
}

type countsAnswer struct {
	Transactions int `json:"transactions"`
	Reports      int `json:"reports"`
	Outcomes     int `json:"outcomes"`
}

// Tenants is `GET /tenants`.
func Tenants(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenants, err := auth.AllTenants(r.Context(), db)
		if err != nil {
			return err
		}
		answers, err := describe(r.Context(), db, gate, tenants)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, map[string]any{"tenants": answers})
	}
}

// Tenant is `GET /tenants/{t}`.
func Tenant(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		return answerTenant(w, r, db, gate)
	}
}

// answerTenant answers with the tenant that the path names, as it is now.
func answerTenant(w http.ResponseWriter, r *http.Request, db storage.DB, gate *auth.Gate) error {
	tenant, err := tenantOf(r, db)
	if err != nil {
		return err
	}
	answers, err := describe(r.Context(), db, gate, []auth.Tenant{tenant})
	if err != nil {
		return err
	}
	return api.Write(w, http.StatusOK, answers[0])
}

// describe tells of each tenant what every room knows of it.
func describe(ctx context.Context, db storage.DB, gate *auth.Gate, tenants []auth.Tenant) ([]tenantAnswer, error) {
	ids := make([]uuid.UUID, len(tenants))
	for i, tenant := range tenants {
		ids[i] = tenant.ID
	}
	clients, err1 := auth.ClientsOf(ctx, db, ids)
	packages, err2 := data.PackagesOf(ctx, db, ids)
	transactions, err3 := universal.TransactionCounts(ctx, db, ids)
	reports, err4 := data.ReportCounts(ctx, db, ids)
	outcomes, err5 := outcome.Counts(ctx, db, ids)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	ofTenant := map[uuid.UUID][]auth.TenantClient{}
	for _, client := range clients {
		ofTenant[client.TenantID] = append(ofTenant[client.TenantID], client)
	}
	answers := make([]tenantAnswer, len(tenants))
	for i, tenant := range tenants {
		answers[i] = tenantAnswer{
			Name:       tenant.Name,
			TenantUUID: tenant.ID,
			CreatedAt:  api.Time(tenant.CreatedAt),
			Clients:    append([]auth.TenantClient{}, ofTenant[tenant.ID]...),
			Packages:   append([]string{}, packages[tenant.ID]...),
			Settings:   newSettingsAnswer(tenant.Settings),
			Clock:      newClockAnswer(tenant, gate.Now()),
			Counts:     countsAnswer{transactions[tenant.ID], reports[tenant.ID], outcomes[tenant.ID]},
		}
	}
	return answers, nil
}

// DeleteTenant is `DELETE /tenants/{t}`: all rows and files that are its go
// with it.
func DeleteTenant(db storage.DB, gate *auth.Gate, objects storage.Objects) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := empty(r, db, gate, objects, auth.DeleteTenant)
		if err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// ResetTenant is `POST /tenants/{t}/reset`: the tenant is as it was when it was
// made, and its credentials and tokens are as good as they were.
func ResetTenant(db storage.DB, gate *auth.Gate, objects storage.Objects, rooms []Room) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := readBody(r); err != nil {
			return err
		}
		err := empty(r, db, gate, objects, func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			for _, room := range rooms {
				if room.Reset == nil {
					continue
				}
				if err := room.Reset(ctx, tx, id); err != nil {
					return err
				}
			}
			if err := data.Reset(ctx, tx, id); err != nil {
				return err
			}
			if err := outcome.Drop(ctx, tx, id); err != nil {
				return err
			}
			return auth.ResetTenant(ctx, tx, id)
		})
		if err != nil {
			return err
		}
		return answerTenant(w, r, db, gate)
	}
}

// empty drops the tenant's submissions and does the rest in the same
// transaction, then removes the files. The tenant's row is held first, as the
// clock holds it; submissions come next, as in all that changes a submission
// and more: so nobody waits for each other in a ring.
func empty(r *http.Request, db storage.DB, gate *auth.Gate, objects storage.Objects, rest func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error) error {
	ctx := r.Context()
	tenant, err := tenantOf(r, db)
	if err != nil {
		return err
	}
	var files []string
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) (err error) {
		if _, err = auth.HoldTenant(ctx, tx, tenant.ID); err != nil {
			return err
		}
		if files, err = universal.Drop(ctx, tx, tenant.ID); err != nil {
			return err
		}
		return rest(ctx, tx, tenant.ID)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return tenantNotFound()
	}
	if err != nil {
		return err
	}
	gate.Forget(tenant.ID)
	discard(context.WithoutCancel(ctx), objects, files)
	return nil
}

// discard removes files that nothing points at, some at a time. One that stays
// costs space and harms nothing.
func discard(ctx context.Context, objects storage.Objects, keys []string) {
	var removing sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, key := range keys {
		slots <- struct{}{}
		removing.Go(func() {
			defer func() { <-slots }()
			if err := objects.Delete(ctx, key); err != nil {
				slog.WarnContext(ctx, "file left in the object store", "key", key, "err", err)
			}
		})
	}
	removing.Wait()
}
