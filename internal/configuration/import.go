package configuration

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
)

// bounds limit an imported configuration. Its outcomes and faults are two levels deeper
// than in the calls that set one of them. The number of values is limited too, because
// decoding time depends on it more than on the size.
var bounds = api.Bounds{Bytes: 16 << 20, Nesting: api.MaxNesting + 2, Values: 1_000_000}

// smallImport is the size in bytes up to which a configuration is imported at once. Larger
// ones need many times more memory than their text, and take turns.
const smallImport = 64 << 10

// lockWait is how long each statement of an import waits for a lock. It is short, because
// there are few connections for the control API, and an import that waits for its tenant
// keeps one of them from the calls of other tenants.
const lockWait = 2 * time.Second

// Limits of the sections of an imported configuration.
const (
	maxPackages   = 1000
	maxNewClients = 1000
)

// Fields are the keys of an imported configuration.
var Fields = []string{"version", "tenant", "settings", "packages", "outcomes", "faults", "hooks", "clients", "api_keys"}

// Sections are the sections of an imported configuration. A section that is nil is not
// changed.
type Sections struct {
	Settings *auth.Settings
	Packages *data.PackageSet
	Outcomes *outcome.Set
	Faults   *fault.Set
	Hooks    *hooks.Set
	Clients  *auth.ClientSet
	APIKeys  *auth.APIKeySet
}

// Imported is the result of an import.
type Imported struct {
	Clients []auth.ClientCredentials `json:"created_clients"`
	Missing []string                 `json:"missing"` // paths of the secrets and headers that the tenant lacks, because they are not exported
}

// Turns let one large configuration be imported at a time.
type Turns struct {
	turn chan struct{}
	wait time.Duration
}

// NewTurns returns turns for which an import waits at most for the given duration.
func NewTurns(wait time.Duration) *Turns { return &Turns{make(chan struct{}, 1), wait} }

// Take waits until a configuration of the given size in bytes may be imported. The caller
// must call done. The error is api.ErrBodiesBusy, or that of ctx.
func (t *Turns) Take(ctx context.Context, size int) (done func(), err error) {
	if size <= smallImport {
		return func() {}, nil
	}
	timer := time.NewTimer(t.wait)
	defer timer.Stop()
	select {
	case t.turn <- struct{}{}:
		return func() { <-t.turn }, nil
	case <-timer.C:
		return nil, api.ErrBodiesBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Import is `PUT /tenants/{t}/configuration`: it makes each section of the tenant's
// configuration equal to that of the body. It changes nothing if a field is invalid. Only
// its response shows the secrets of the clients that it creates.
func (c Configurations) Import() api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, c.DB)
		if err != nil {
			return err
		}
		body, err := api.ReadFieldsWithin(r, bounds, Fields...)
		if err != nil {
			return err
		}
		size := 0
		for _, raw := range body {
			size += len(raw)
		}
		done, err := c.Turns.Take(r.Context(), size)
		if err != nil {
			return err
		}
		defer done()
		wanted, err := c.Parse(body, tenant)
		if err != nil {
			return err
		}
		var changed Imported
		err = storage.InTx(r.Context(), c.DB, func(tx pgx.Tx) (err error) {
			if err := storage.LimitLockWait(r.Context(), tx, lockWait); err != nil {
				return err
			}
			if _, err := auth.LockTenant(r.Context(), tx, tenant.ID); err != nil {
				return fmt.Errorf("lock tenant: %w", err)
			}
			changed, err = c.Apply(r.Context(), tx, tenant, wanted)
			return err
		})
		c.Refresh(tenant)
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusOK, changed)
	}
}

// Parse parses the sections of a configuration, which has no other keys than Fields. Its
// errors are *api.Error and contain paths.
func (c Configurations) Parse(body api.Object, tenant auth.Tenant) (wanted Sections, err error) {
	if raw, given := body["version"]; given && string(raw) != "1" {
		return wanted, api.BadRequest("version: want %d", version)
	}
	from := tenant.Name
	if raw, given := body["tenant"]; given {
		if from, err = api.ReadText("tenant", raw); err != nil {
			return wanted, err
		}
	}
	if raw, given := body["settings"]; given {
		object, err := api.ReadObject("settings", raw, auth.SettingsFields...)
		if err != nil {
			return wanted, err
		}
		wanted.Settings = &auth.Settings{}
		if err := auth.ReadSettings("settings", object, wanted.Settings); err != nil {
			return wanted, err
		}
	}
	now := tenant.Time(c.Gate.Now())
	err1 := section(body, "packages", maxPackages, &wanted.Packages, data.ParsePackageSet)
	err2 := section(body, "outcomes", outcome.MaxOutcomes, &wanted.Outcomes, outcome.ParseSet)
	err3 := section(body, "faults", fault.MaxFaults, &wanted.Faults, func(at string, list []api.Object) (fault.Set, error) {
		return fault.ParseSet(at, list, now)
	})
	err4 := section(body, "hooks", hooks.MaxHooks, &wanted.Hooks, c.Hooks.ParseSet)
	err5 := section(body, "clients", maxNewClients, &wanted.Clients, func(at string, list []api.Object) (auth.ClientSet, error) {
		return auth.ParseClientSet(at, list, from, tenant.Name)
	})
	var err6 error
	if raw, given := body["api_keys"]; given {
		var keys auth.APIKeySet
		keys, err6 = auth.ParseAPIKeySet("api_keys", raw, auth.MaxAPIKeys)
		wanted.APIKeys = &keys
	}
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			return wanted, err // the response contains only the first error
		}
	}
	return wanted, nil
}

// section parses a section of the body, an array of at most limit objects, if the body
// has it.
func section[T any](body api.Object, name string, limit int, to **T, parse func(at string, list []api.Object) (T, error)) error {
	raw, given := body[name]
	if !given {
		return nil
	}
	list, err := api.ReadObjects(name, raw, limit)
	if err != nil {
		return err
	}
	parsed, err := parse(name, list)
	*to = &parsed
	return err
}

// Apply changes those sections of the tenant that differ. The transaction has locked the
// tenant. Refresh must be called after its end. Errors are *api.Error if the sections are
// the cause.
func (c Configurations) Apply(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, wanted Sections) (done Imported, err error) {
	done = Imported{[]auth.ClientCredentials{}, []string{}}
	if wanted.Hooks != nil { // first, since publishers lock subscriptions before other rows
		missing, err := c.Hooks.Replace(ctx, tx, tenant, *wanted.Hooks)
		if err != nil {
			return done, err
		}
		done.Missing = append(done.Missing, missing...)
	}
	if wanted.Settings != nil && !api.SameJSON(tenant.Settings.Effective(), wanted.Settings.Effective()) {
		if _, err := c.Gate.ChangeSettings(ctx, tx, tenant.ID, func(s *auth.Settings) error { *s = *wanted.Settings; return nil }); err != nil {
			return done, err
		}
	}
	if wanted.Packages != nil {
		if err := wanted.Packages.Replace(ctx, tx, tenant.ID); err != nil {
			return done, err
		}
	}
	if wanted.Outcomes != nil {
		if err := wanted.Outcomes.Replace(ctx, tx, tenant.ID, tenant.Time(c.Gate.Now())); err != nil {
			return done, err
		}
	}
	if wanted.Faults != nil {
		if err := wanted.Faults.Replace(ctx, tx, tenant.ID); err != nil {
			return done, err
		}
	}
	if wanted.Clients != nil {
		created, err := c.Gate.EnsureClients(ctx, tx, tenant, *wanted.Clients)
		if err != nil {
			return done, err
		}
		done.Clients = append(done.Clients, created...)
	}
	if wanted.APIKeys != nil {
		return done, c.Gate.EnsureAPIKeys(ctx, tx, tenant, *wanted.APIKeys)
	}
	return done, nil
}

// Refresh makes this server use the tenant's configuration at once.
func (c Configurations) Refresh(tenant auth.Tenant) {
	c.Gate.EvictTenant(tenant.ID)
	c.Faults.Refresh(tenant.ID)
	if c.Hooks != nil {
		c.Hooks.Changed(tenant.ID)
	}
}
