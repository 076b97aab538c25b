package hooks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks/delivery"
)

// Definition is a subscription in an exported configuration. Its secret and the value of
// its header are missing.
type Definition struct {
	Name      string   `json:"name"`
	MadeBy    string   `json:"made_by"`
	Active    bool     `json:"active"`
	Events    []string `json:"events"`
	URL       string   `json:"url"`
	Header    string   `json:"header"` // with its value masked; "" = none
	HasSecret bool     `json:"has_secret"`
}

// DefinitionFields are the keys of a subscription in an imported configuration.
var DefinitionFields = append([]string{"made_by", "has_secret"}, subscriptionFields...)

// MaxHooks is the maximum number of subscriptions of a tenant.
const MaxHooks = maxHooks

// Set is all subscriptions of a tenant, to be imported.
type Set struct {
	// KeepOthers keeps the tenant's subscriptions that are not in the set. If a subscription of
	// the set matches none of the tenant's exactly, but one has the same name, it changes that
	// one.
	KeepOthers bool

	hooks []importedHook
}

// importedHook is a subscription to be imported.
type importedHook struct {
	at        string // its path in the configuration
	input     input
	madeBy    string
	hasSecret bool
	masked    string // header as it was exported; "" = none, or with its value
}

// ParseSet parses subscriptions in the form of Definition, in which the secret and the
// whole header can be given. Its errors are *api.Error and contain paths, in the array at
// a path.
func (e *Editor) ParseSet(at string, objects []api.Object) (Set, error) {
	var set Set
	active := 0
	for i, object := range objects {
		at := api.ElementPath(at, i)
		if err := api.CheckKeys(at, object, DefinitionFields...); err != nil {
			return Set{}, err
		}
		parsed, err := e.parseDefinition(at, object)
		if err != nil {
			return Set{}, err
		}
		if parsed.input.Active != nil && *parsed.input.Active {
			if active++; active > maxActive {
				return Set{}, api.ErrorAt(at, fieldErrors{"active": tooManyActive}.asControlError())
			}
		}
		set.hooks = append(set.hooks, parsed)
	}
	return set, nil
}

func (e *Editor) parseDefinition(at string, object api.Object) (importedHook, error) {
	parsed := importedHook{at: at, madeBy: madeByConsole}
	if raw, given := object["made_by"]; given {
		var err error
		if parsed.madeBy, err = api.ReadOneOf(at+".made_by", raw, madeByAPI, madeByConsole); err != nil {
			return importedHook{}, err
		}
	}
	if raw, given := object["has_secret"]; given {
		if string(raw) != "true" && string(raw) != "false" {
			return importedHook{}, api.BadRequest("%s.has_secret: want true or false", at)
		}
		parsed.hasSecret = string(raw) == "true"
	}
	if header, _ := object.Text("header"); header == "" {
		delete(object, "header") // here, it means that there is none
	} else if _, value := delivery.SplitHeader(header); value == api.Masked {
		parsed.masked = header
		delete(object, "header")
	}
	in, fieldErrs := e.parse(object, "")
	if parsed.madeBy == madeByAPI && fieldErrs["events"] == eventsActions {
		delete(fieldErrs, "events")
	}
	switch {
	case in.URL == nil:
		fieldErrs["url"] = urlMissing
	case in.Active != nil && *in.Active && len(in.Events) == 0:
		fieldErrs["events"] = eventsMissing
	}
	parsed.input = in
	return parsed, api.ErrorAt(at, fieldErrs.asControlError())
}

// Definitions returns the tenant's subscriptions as they are exported, oldest first.
func (e *Editor) Definitions(ctx context.Context, tenant auth.Tenant) ([]Definition, error) {
	found, err := selectHooks(ctx, e.DB, tenant.ID)
	if err != nil {
		return nil, err
	}
	definitions := make([]Definition, len(found))
	for i, h := range found {
		header, err := e.maskedHeader(ctx, h)
		if err != nil {
			return nil, err
		}
		definitions[i] = Definition{h.Name, h.MadeBy, h.Active, h.Events, h.URL, header, h.Secret != nil}
	}
	return definitions, nil
}

// Replace makes the tenant's subscriptions those of the set. One with the same maker, name, URL
// and events as before keeps its deliveries, its secret and its header, unless the set gives
// others; all others are deleted, unless the set keeps them. It returns the paths of the secrets
// and headers that are missing, because they were not exported.
func (e *Editor) Replace(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, set Set) (missing []string, err error) {
	now := tenant.Time(e.Now())
	if _, err := auth.LockTenant(ctx, tx, tenant.ID); err != nil {
		return nil, fmt.Errorf("lock tenant: %w", err)
	}
	sealer, err := e.Seal.Begin(ctx, tx)
	if err != nil {
		return nil, err
	}
	if err := lockHooks(ctx, tx, tenant.ID); err != nil {
		return nil, err
	}
	current, err := selectHooks(ctx, tx, tenant.ID)
	if err != nil {
		return nil, err
	}
	matched := make([]*hook, len(set.hooks))
	for i, wanted := range set.hooks {
		if at := slices.IndexFunc(current, wanted.is); at >= 0 {
			found := current[at]
			matched[i], current = &found, slices.Delete(current, at, at+1)
		}
	}
	if set.KeepOthers {
		for i, wanted := range set.hooks {
			if at := slices.IndexFunc(current, wanted.hasNameOf); at >= 0 && matched[i] == nil {
				found := current[at]
				matched[i], current = &found, slices.Delete(current, at, at+1)
			}
		}
		current = nil
	}
	for _, h := range current {
		if _, err := deleteHook(ctx, tx, tenant.ID, h.ID); err != nil {
			return nil, err
		}
	}
	for i, wanted := range set.hooks { // first, so that the limit of active ones is not exceeded meanwhile
		if h := matched[i]; h != nil && h.Active && !wanted.active() {
			updated, _, err := updateHook(ctx, tx, *h, input{Active: new(bool)}, fieldErrors{}, sealer, now)
			if err != nil {
				return nil, err
			}
			matched[i] = &updated
		}
	}
	for i, wanted := range set.hooks {
		at := now.Add(time.Duration(i) * time.Microsecond) // new ones are listed in this order
		lacks, err := e.apply(ctx, tx, tenant, wanted, matched[i], sealer, at)
		if err != nil {
			return nil, err
		}
		missing = append(missing, lacks...)
	}
	slices.Sort(missing)
	return missing, nil
}

// lockHooks locks the tenant's subscriptions, in the same order as all other code, so that clients
// cannot delete them before the transaction ends.
func lockHooks(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	_, err := tx.Exec(ctx, `
		select
		from hooks
		where tenant_id = @tenant_id
		order by id
		for no key update`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return fmt.Errorf("lock subscriptions: %w", err)
	}
	return nil
}

// is reports whether a subscription of the tenant is the one to be imported.
func (w importedHook) is(h hook) bool {
	return h.MadeBy == w.madeBy && h.Name == w.name() && h.URL == *w.input.URL && slices.Equal(h.Events, append([]string{}, w.input.Events...))
}

// hasNameOf reports whether a subscription of the tenant has the maker and the name of the
// one to be imported.
func (w importedHook) hasNameOf(h hook) bool {
	return w.name() != "" && h.Name == w.name() && h.MadeBy == w.madeBy
}

// name returns the name; "" = none.
func (w importedHook) name() string {
	if w.input.Name == nil {
		return ""
	}
	return *w.input.Name
}

func (w importedHook) active() bool { return w.input.Active != nil && *w.input.Active }

// changes reports whether the input changes the subscription.
func (in input) changes(h hook) bool {
	keeps := func(text *string, sealed []byte) bool { return text == nil || *text == "" && sealed == nil }
	return *in.Active != h.Active || *in.URL != h.URL || !slices.Equal(in.Events, h.Events) || !keeps(in.Header, h.Header) || !keeps(in.Secret, h.Secret)
}

// apply creates the subscription, or changes the one that is there. It returns the paths
// of the missing secret and header.
func (e *Editor) apply(
	ctx context.Context, tx pgx.Tx, tenant auth.Tenant, wanted importedHook, existing *hook, sealer *Sealer, now time.Time,
) (missing []string, err error) {
	in := wanted.input
	active := wanted.active()
	in.Active = &active
	header, hasSecret := "", false
	if existing != nil {
		if header, err = e.maskedHeader(ctx, *existing); err != nil {
			return nil, err
		}
		hasSecret = existing.Secret != nil
	}
	if in.Header == nil && (wanted.masked == "" || wanted.masked != header) {
		in.Header = new(string)
		if wanted.masked != "" {
			missing = append(missing, wanted.at+".header")
		}
	}
	switch {
	case in.Secret != nil:
	case !wanted.hasSecret:
		in.Secret = new(string)
	case !hasSecret:
		missing = append(missing, wanted.at+".secret")
	}
	var wrong fieldErrors
	switch {
	case existing == nil:
		_, wrong, err = createHook(ctx, tx, e.Seal, tenant, hook{OwnerID: tenant.ID, MadeBy: wanted.madeBy}, in, fieldErrors{}, now)
	case in.changes(*existing):
		_, wrong, err = updateHook(ctx, tx, *existing, in, fieldErrors{}, sealer, now)
	}
	if err != nil {
		return nil, err
	}
	return missing, api.ErrorAt(wanted.at, wrong.asControlError())
}
