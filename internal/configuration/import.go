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

// sections are the sections of an imported configuration. A section that is nil is not
// changed.
type sections struct {
	settings *auth.Settings
	packages *data.PackageSet
	outcomes *outcome.Set
	faults   *fault.Set
	hooks    *hooks.Set
	clients  *auth.ClientSet
}

// imported is the response to an import.
type imported struct {
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
		body, err := api.ReadFieldsWithin(r, bounds, "version", "tenant", "settings", "packages", "outcomes", "faults", "hooks", "clients")
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
		wanted, err := c.parse(body, tenant)
		if err != nil {
			return err
		}
		var changed imported
		err = storage.InTx(r.Context(), c.DB, func(tx pgx.Tx) (err error) {
			changed = imported{[]auth.ClientCredentials{}, []string{}}
			if err := storage.LimitLockWait(r.Context(), tx, lockWait); err != nil {
				return err
			}
			if _, err := auth.LockTenant(r.Context(), tx, tenant.ID); err != nil {
				return fmt.Errorf("lock tenant: %w", err)
			}
			return c.apply(r.Context(), tx, tenant, wanted, &changed)
		})
		c.Gate.EvictTenant(tenant.ID)
		c.Faults.Refresh(tenant.ID)
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusOK, changed)
	}
}

// parse parses the sections of the body.
func (c Configurations) parse(body api.Object, tenant auth.Tenant) (wanted sections, err error) {
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
		wanted.settings = &auth.Settings{}
		if err := auth.ReadSettings("settings", object, wanted.settings); err != nil {
			return wanted, err
		}
	}
	now := tenant.Time(c.Gate.Now())
	err1 := section(body, "packages", maxPackages, &wanted.packages, data.ParsePackageSet)
	err2 := section(body, "outcomes", outcome.MaxOutcomes, &wanted.outcomes, outcome.ParseSet)
	err3 := section(body, "faults", fault.MaxFaults, &wanted.faults, func(at string, list []api.Object) (fault.Set, error) {
		return fault.ParseSet(at, list, now)
	})
	err4 := section(body, "hooks", hooks.MaxHooks, &wanted.hooks, c.Hooks.ParseSet)
	err5 := section(body, "clients", maxNewClients, &wanted.clients, func(at string, list []api.Object) (auth.ClientSet, error) {
		return auth.ParseClientSet(at, list, from, tenant.Name)
	})
	for _, err := range []error{err1, err2, err3, err4, err5} {
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

// apply changes the sections that differ.
func (c Configurations) apply(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, wanted sections, done *imported) error {
	if wanted.hooks != nil { // first, since publishers lock subscriptions before other rows
		missing, err := c.Hooks.Replace(ctx, tx, tenant, *wanted.hooks)
		if err != nil {
			return err
		}
		done.Missing = append(done.Missing, missing...)
	}
	if wanted.settings != nil && !api.SameJSON(tenant.Settings.Effective(), wanted.settings.Effective()) {
		if _, err := c.Gate.ChangeSettings(ctx, tx, tenant.ID, func(s *auth.Settings) error { *s = *wanted.settings; return nil }); err != nil {
			return err
		}
	}
	if wanted.packages != nil {
		if err := wanted.packages.Replace(ctx, tx, tenant.ID); err != nil {
			return err
		}
	}
	if wanted.outcomes != nil {
		if err := wanted.outcomes.Replace(ctx, tx, tenant.ID, tenant.Time(c.Gate.Now())); err != nil {
			return err
		}
	}
	if wanted.faults != nil {
		if err := wanted.faults.Replace(ctx, tx, tenant.ID); err != nil {
			return err
		}
	}
	if wanted.clients != nil {
		created, err := c.Gate.EnsureClients(ctx, tx, tenant, *wanted.clients)
		if err != nil {
			return err
		}
		done.Clients = append(done.Clients, created...)
	}
	return nil
}
