package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
)

// configurationVersion is the version of the exported document.
const configurationVersion = 1

// configurationBody is a tenant's whole configuration, without secrets.
type configurationBody struct {
	Version  int                `json:"version"`
	Tenant   string             `json:"tenant"`
	Settings settingsBody       `json:"settings"`
	Packages []packageBody      `json:"packages"` // without the default ones
	Outcomes []outcomeBody      `json:"outcomes"` // newest first
	Faults   []fault.Definition `json:"faults"`
	Hooks    []hooks.Definition `json:"hooks"`
	Clients  []configuredClient `json:"clients"`
}

type configuredClient struct {
	ID          string   `json:"client_id"`
	Permissions []string `json:"permissions"`
}

// Configurations exports and imports the configurations of tenants.
type Configurations struct {
	DB     storage.DB
	Gate   *auth.Gate
	Budget *api.Budget
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
		size, err := outcome.StoredSize(r.Context(), c.DB, tenant.ID)
		if err != nil {
			return err
		}
		room, err := c.Budget.Reserve(r.Context(), tenant.ID, outcomeMemory*size)
		if err != nil {
			return err
		}
		defer room.Release()
		body, err := c.read(r.Context(), c.DB, tenant)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, body)
	}
}

func (c Configurations) read(ctx context.Context, db storage.DB, tenant auth.Tenant) (configurationBody, error) {
	packages, err1 := data.AddedPackages(ctx, db, tenant.ID)
	outcomes, err2 := outcome.List(ctx, db, tenant.ID)
	faults, err3 := fault.Definitions(ctx, db, tenant.ID, tenant.Time(c.Gate.Now()))
	subscriptions, err4 := c.Hooks.Definitions(ctx, tenant)
	clients, err5 := auth.ClientsOf(ctx, db, []uuid.UUID{tenant.ID})
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return configurationBody{}, err
	}
	body := configurationBody{
		Version: configurationVersion, Tenant: tenant.Name, Settings: newSettingsBody(tenant.Settings),
		Packages: []packageBody{}, Outcomes: []outcomeBody{}, Faults: faults, Hooks: subscriptions, Clients: []configuredClient{},
	}
	for _, p := range packages {
		body.Packages = append(body.Packages, packageBody(p))
	}
	for _, o := range outcomes {
		body.Outcomes = append(body.Outcomes, configuredOutcome(o))
	}
	for _, client := range clients {
		body.Clients = append(body.Clients, configuredClient{client.ID, client.Permissions})
	}
	return body, nil
}

// configuredOutcome returns an outcome without the time of its creation.
func configuredOutcome(o outcome.Outcome) outcomeBody {
	body := newOutcomeBody(o)
	body.CreatedAt = api.Time{}
	return body
}

// configuration is an imported configuration. A nil section is left as it is.
type configuration struct {
	settings *auth.Settings
	packages *[]data.Package
	outcomes *[]outcome.Outcome
	faults   *fault.Set
	hooks    *hooks.Set
	clients  *[]configuredClient
}

// maxConfiguration is the maximum size in bytes of an imported configuration.
const maxConfiguration = 16 << 20

// Limits of the sections of an imported configuration.
const (
	maxPackages   = 1000
	maxFaults     = 1000
	maxNewClients = 1000
)

// newCredentials are those of a client that an import created.
type newCredentials struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// Import is `PUT /tenants/{t}/configuration`: it makes each section of the tenant's
// configuration equal to that of the body. It changes nothing if a field is invalid. Only
// its response shows the secrets of the clients that it creates.
func (c Configurations) Import() api.Handler {
	type response struct {
		Clients []newCredentials `json:"created_clients"`
		Missing []string         `json:"missing"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, c.DB)
		if err != nil {
			return err
		}
		room, err := c.Budget.Reserve(r.Context(), tenant.ID, outcomeMemory*max(0, min(r.ContentLength, maxConfiguration)))
		if err != nil {
			return err
		}
		defer room.Release()
		wanted, err := c.parse(r, tenant)
		if err != nil {
			return err
		}
		var done response
		err = storage.InTx(r.Context(), c.DB, func(tx pgx.Tx) error {
			done = response{[]newCredentials{}, []string{}}
			if _, err := auth.LockTenant(r.Context(), tx, tenant.ID); err != nil {
				return fmt.Errorf("lock tenant: %w", err)
			}
			missing, err := c.apply(r.Context(), tx, tenant, wanted)
			if err != nil {
				return err
			}
			done.Missing = append(done.Missing, missing...)
			if wanted.clients == nil {
				return nil
			}
			created, err := c.applyClients(r.Context(), tx, tenant, *wanted.clients)
			done.Clients = append(done.Clients, created...)
			return err
		})
		c.Gate.EvictTenant(tenant.ID)
		c.Faults.Refresh()
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusOK, done)
	}
}

// parse parses the sections of the body.
func (c Configurations) parse(r *http.Request, tenant auth.Tenant) (wanted configuration, err error) {
	body, err := api.ReadFieldsWithin(r, maxConfiguration, "version", "tenant", "settings", "packages", "outcomes", "faults", "hooks", "clients")
	if err != nil {
		return wanted, err
	}
	if raw, given := body["version"]; given && string(raw) != "1" {
		return wanted, api.BadRequest("version: want %d", configurationVersion)
	}
	from := tenant.Name
	if raw, given := body["tenant"]; given {
		if from, err = api.ReadText("tenant", raw); err != nil {
			return wanted, err
		}
	}
	if raw, given := body["settings"]; given {
		object, err := api.ReadObject("settings", raw, settingsKeys...)
		if err != nil {
			return wanted, err
		}
		wanted.settings = &auth.Settings{}
		if err := readSettings("settings", object, wanted.settings); err != nil {
			return wanted, err
		}
	}
	sections := []struct {
		name  string
		limit int
		parse func([]api.Object) error
	}{
		{"packages", maxPackages, func(list []api.Object) error { return wanted.parsePackages(list) }},
		{"outcomes", outcome.Max, func(list []api.Object) error { return wanted.parseOutcomes(list) }},
		{"faults", maxFaults, func(list []api.Object) error {
			set, err := fault.ParseSet("faults", list, tenant.Time(c.Gate.Now()))
			wanted.faults = &set
			return err
		}},
		{"hooks", hooks.MaxHooks, func(list []api.Object) error {
			set, err := c.Hooks.ParseSet("hooks", list)
			wanted.hooks = &set
			return err
		}},
		{"clients", maxNewClients, func(list []api.Object) error { return wanted.parseClients(list, from, tenant.Name) }},
	}
	for _, section := range sections {
		raw, given := body[section.name]
		if !given {
			continue
		}
		list, err := api.ReadObjects(section.name, raw, section.limit)
		if err != nil {
			return wanted, err
		}
		if err := section.parse(list); err != nil {
			return wanted, err
		}
	}
	return wanted, nil
}

func (c *configuration) parsePackages(list []api.Object) error {
	packages := make([]data.Package, len(list))
	for i, object := range list {
		at := api.ElementPath("packages", i)
		err := api.CheckKeys(at, object, packageFields...)
		if err != nil {
			return err
		}
		if packages[i], err = parsePackage(object); err != nil {
			return api.ErrorAt(at, err)
		}
		if slices.ContainsFunc(packages[:i], func(p data.Package) bool { return p.ID == packages[i].ID }) {
			return api.BadRequest("%s.id: %q is listed twice", at, packages[i].ID)
		}
	}
	c.packages = &packages
	return nil
}

func (c *configuration) parseOutcomes(list []api.Object) error {
	outcomes, seen := make([]outcome.Outcome, len(list)), map[string]int{}
	for i, object := range list {
		at := api.ElementPath("outcomes", i)
		err := api.CheckKeys(at, object, outcomeFields...)
		if err != nil {
			return err
		}
		if outcomes[i], err = parseOutcome(object); err != nil {
			return api.ErrorAt(at, err)
		}
		match, err := json.Marshal(newOutcomeBody(outcomes[i]).Match)
		if err != nil {
			return err
		}
		if first, twice := seen[string(match)]; twice {
			return api.BadRequest("%s.match: the same as that of outcomes[%d]", at, first)
		}
		seen[string(match)] = i
	}
	c.outcomes = &outcomes
	return nil
}

// parseClients parses clients. The id of one that begins with the name of the tenant from
// which it was exported begins with that of the tenant to which it is imported instead.
func (c *configuration) parseClients(list []api.Object, from, to string) error {
	clients := make([]configuredClient, len(list))
	for i, object := range list {
		at := api.ElementPath("clients", i)
		err := api.CheckKeys(at, object, "client_id", "permissions")
		if err != nil {
			return err
		}
		if clients[i].ID, err = readCredential(at+".client_id", object["client_id"], clientID); err != nil {
			return err
		}
		if rest, renamed := strings.CutPrefix(clients[i].ID, from+"-"); renamed {
			if clients[i].ID = to + "-" + rest; !clientID.pattern.MatchString(clients[i].ID) {
				return api.BadRequest("%s.client_id: with the name of this tenant, it is too long", at)
			}
		}
		if clients[i].Permissions, err = readPermissions(object, auth.AllPermissions); err != nil {
			return api.ErrorAt(at, err)
		}
		if slices.ContainsFunc(clients[:i], func(other configuredClient) bool { return other.ID == clients[i].ID }) {
			return api.BadRequest("%s.client_id: %q is listed twice", at, clients[i].ID)
		}
	}
	c.clients = &clients
	return nil
}

// apply changes all sections except the clients, if they differ. It returns the paths of the
// secrets and headers that the configuration lacks, because they are not exported.
func (c Configurations) apply(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, wanted configuration) (missing []string, err error) {
	if wanted.hooks != nil { // first, since publishers lock subscriptions before other rows
		if missing, err = c.Hooks.Replace(ctx, tx, tenant, *wanted.hooks); err != nil {
			return nil, err
		}
	}
	if wanted.settings != nil && !equalJSON([]settingsBody{newSettingsBody(tenant.Settings)}, []settingsBody{newSettingsBody(*wanted.settings)}) {
		if _, err := c.Gate.ChangeSettings(ctx, tx, tenant.ID, func(s *auth.Settings) error { *s = *wanted.settings; return nil }); err != nil {
			return nil, err
		}
	}
	if wanted.packages != nil {
		if err := c.applyPackages(ctx, tx, tenant, *wanted.packages); err != nil {
			return nil, err
		}
	}
	if wanted.outcomes != nil {
		if err := c.applyOutcomes(ctx, tx, tenant, *wanted.outcomes); err != nil {
			return nil, err
		}
	}
	if wanted.faults != nil {
		err = wanted.faults.Replace(ctx, tx, tenant.ID)
	}
	return missing, err
}

func (c Configurations) applyPackages(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, wanted []data.Package) error {
	current, err := data.AddedPackages(ctx, tx, tenant.ID)
	if err != nil || equalJSON(current, wanted) {
		return err
	}
	for _, p := range current {
		if err := data.DeletePackage(ctx, tx, tenant.ID, p.ID); err != nil {
			return err
		}
	}
	for i, p := range wanted {
		err := data.CreatePackage(ctx, tx, tenant.ID, p)
		if errors.Is(err, data.ErrPackageExists) {
			return api.ErrorAt(api.ElementPath("packages", i), packageTaken(p.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c Configurations) applyOutcomes(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, wanted []outcome.Outcome) error {
	current, err := outcome.List(ctx, tx, tenant.ID)
	if err != nil {
		return err
	}
	bodies := func(list []outcome.Outcome) []outcomeBody {
		shown := []outcomeBody{}
		for _, o := range list {
			shown = append(shown, configuredOutcome(o))
		}
		return shown
	}
	if equalJSON(bodies(current), bodies(wanted)) {
		return nil
	}
	if err := outcome.Drop(ctx, tx, tenant.ID); err != nil {
		return err
	}
	now := tenant.Time(c.Gate.Now())
	for _, o := range slices.Backward(wanted) { // the newest is the first
		o.CreatedAt = now
		if err := outcome.Put(ctx, tx, tenant.ID, o); err != nil {
			return err
		}
	}
	return nil
}

// equalJSON reports whether the lists have the same JSON.
func equalJSON[T any](a, b []T) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	before, err1 := json.Marshal(a)
	after, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(before, after)
}

// applyClients creates the clients that the tenant lacks, and sets the permissions of the
// others. Clients that are not listed are left as they are.
func (c Configurations) applyClients(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, wanted []configuredClient) ([]newCredentials, error) {
	current, err := auth.ClientsOf(ctx, tx, []uuid.UUID{tenant.ID})
	if err != nil {
		return nil, err
	}
	var created []newCredentials
	for i, client := range wanted {
		at := slices.IndexFunc(current, func(other auth.TenantClient) bool { return other.ID == client.ID })
		if at >= 0 {
			if !slices.Equal(current[at].Permissions, client.Permissions) {
				if _, err := c.Gate.ChangeClient(ctx, tx, tenant.ID, client.ID, auth.ClientChange{Permissions: client.Permissions}); err != nil {
					return nil, err
				}
			}
			continue
		}
		_, secret, err := c.Gate.AddClient(ctx, tx, tenant, auth.NewClient{ID: client.ID, Permissions: client.Permissions})
		if errors.Is(err, auth.ErrClientIDTaken) {
			return nil, api.ErrorAt(api.ElementPath("clients", i), clientTaken(client.ID))
		}
		if err != nil {
			return nil, err
		}
		created = append(created, newCredentials{client.ID, secret})
	}
	return created, nil
}
