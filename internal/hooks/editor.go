package hooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// Editor makes, changes and deletes subscriptions for the control API. It refuses to
// change those that a client has made through the API. Its errors about input are
// *api.Error, with one message that names every invalid field.
type Editor struct {
	DB      storage.DB
	Seal    *Seal
	Sender  *Sender
	Counter *Counter
	Now     func() time.Time // real time
}

// SubscriptionFields are the keys of the input of Create and Update.
var SubscriptionFields = []string{"name", "url", "events", "header", "secret", "active"}

// Subscription is a subscription as the control API shows it. Times are the tenant's.
type Subscription struct {
	ID        uuid.UUID
	MadeBy    string // api or console
	Name      string // "" = none
	Active    bool
	Events    []string
	URL       string
	Header    string // with its value masked; "" = none
	HasSecret bool
	CreatedAt time.Time
	UpdatedAt time.Time

	Deliveries DeliveryCounts
}

// List returns the tenant's subscriptions, oldest first.
func (e *Editor) List(ctx context.Context, tenantID uuid.UUID) ([]Subscription, error) {
	found, err := selectHooks(ctx, e.DB, tenantID)
	if err != nil {
		return nil, err
	}
	counts, err := e.Counter.Deliveries(ctx, e.DB, tenantID)
	if err != nil {
		return nil, err
	}
	return e.describe(ctx, found, counts)
}

// selectHooks returns the tenant's subscriptions, oldest first.
func selectHooks(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]hook, error) {
	found, err := storage.All[hook](ctx, db, `
		select `+hookColumns+`
		from hooks
		where tenant_id = @tenant_id
		order by created_at, id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	return found, nil
}

// Get returns the tenant's subscription with the id, which may be any text. Its error is
// a 404 if there is none.
func (e *Editor) Get(ctx context.Context, tenantID uuid.UUID, id string) (Subscription, error) {
	found, err := find(ctx, e.DB, tenantID, id)
	if err != nil {
		return Subscription{}, controlError(err)
	}
	counts, err := countDeliveries(ctx, e.DB, []uuid.UUID{found.ID})
	if err != nil {
		return Subscription{}, err
	}
	described, err := e.describe(ctx, []hook{found}, counts)
	if err != nil {
		return Subscription{}, err
	}
	return described[0], nil
}

// describe returns the subscriptions with the number of their deliveries by state.
func (e *Editor) describe(ctx context.Context, found []hook, counts []DeliveryCounts) ([]Subscription, error) {
	deliveries := map[uuid.UUID]DeliveryCounts{}
	for _, count := range counts {
		deliveries[count.HookID] = count
	}
	described := make([]Subscription, len(found))
	for i, h := range found {
		header, err := e.maskedHeader(ctx, h)
		if err != nil {
			return nil, err
		}
		described[i] = Subscription{
			ID: h.ID, MadeBy: h.MadeBy, Name: h.Name, Active: h.Active, Events: h.Events, URL: h.URL, Header: header, HasSecret: h.Secret != nil,
			CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt, Deliveries: deliveries[h.ID],
		}
	}
	return described, nil
}

// maskedHeader returns the subscription's header with its value masked; "" if there is
// none.
func (e *Editor) maskedHeader(ctx context.Context, h hook) (string, error) {
	header, err := e.Seal.Open(ctx, h.Header, h.ID, delivery.HeaderColumn)
	if err != nil {
		return "", fmt.Errorf("subscription %s: %w", h.ID, err)
	}
	if header == "" {
		return "", nil
	}
	name, _ := delivery.SplitHeader(header)
	return name + ": " + api.Masked, nil
}

// Create makes a subscription of the tenant.
func (e *Editor) Create(ctx context.Context, tenant auth.Tenant, body api.Object) (Subscription, error) {
	in, fieldErrs := e.parse(body, "")
	var created hook
	err := storage.InTx(ctx, e.DB, func(tx pgx.Tx) (err error) {
		var wrong fieldErrors
		created, wrong, err = createHook(ctx, tx, e.Seal, tenant, hook{OwnerID: tenant.ID, MadeBy: madeByConsole}, in, fieldErrs, tenant.Time(e.Now()))
		if err != nil {
			return err
		}
		return wrong.asControlError()
	})
	if err != nil {
		return Subscription{}, err
	}
	return e.Get(ctx, tenant.ID, created.ID.String())
}

// Update changes the fields of the tenant's subscription that the body has. The masked
// header, as Get returns it, means no change.
func (e *Editor) Update(ctx context.Context, tenant auth.Tenant, id string, body api.Object) (Subscription, error) {
	err := storage.InTx(ctx, e.DB, func(tx pgx.Tx) error {
		if _, err := auth.LockTenant(ctx, tx, tenant.ID); err != nil {
			return fmt.Errorf("lock tenant: %w", err)
		}
		sealer, err := e.Seal.Begin(ctx, tx)
		if err != nil {
			return err
		}
		found, err := e.findOwn(ctx, tx, tenant.ID, id, "changed")
		if err != nil {
			return err
		}
		masked, err := e.maskedHeader(ctx, found)
		if err != nil {
			return err
		}
		in, fieldErrs := e.parse(maps.Clone(body), masked)
		_, wrong, err := updateHook(ctx, tx, found, in, fieldErrs, sealer, tenant.Time(e.Now()))
		if err != nil {
			return err
		}
		return wrong.asControlError()
	})
	if err != nil {
		return Subscription{}, err
	}
	return e.Get(ctx, tenant.ID, id)
}

// Delete deletes the tenant's subscription with its deliveries.
func (e *Editor) Delete(ctx context.Context, tenantID uuid.UUID, id string) error {
	var found hook
	err := storage.InTx(ctx, e.DB, func(tx pgx.Tx) (err error) {
		found, err = e.findOwn(ctx, tx, tenantID, id, "deleted")
		return err
	})
	if err != nil {
		return err
	}
	deleted, err := deleteHook(ctx, e.DB, tenantID, found.ID) // a maker never changes
	if err == nil && !deleted {
		err = controlError(notFound())
	}
	return err
}

// findOwn is findForUpdate, except that its error is a 409 for a subscription that a
// client has made. done says what would be done to it.
func (e *Editor) findOwn(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, id, done string) (hook, error) {
	found, err := findForUpdate(ctx, tx, tenantID, id)
	if err != nil {
		return hook{}, controlError(err)
	}
	if found.MadeBy != madeByConsole {
		return hook{}, api.NewControlError(http.StatusConflict,
			"The subscription was made by a client of the API, so it can be "+done+" only through the API")
	}
	return found, nil
}

// maxName is the maximum size in bytes of the name of a subscription.
const maxName = 255

// Field errors of the control API only.
var (
	nameInvalid   = fieldError{invalid, "send a string of at most 255 bytes"}
	eventsActions = fieldError{"want subjects only", "send a subject such as universal_submit, or *; a single action can be subscribed to only through the API"}
	headerMasked  = fieldError{"is masked", "send the value itself, or leave the header out"}
)

// parse parses the fields of a subscription that the control API changes: its events have
// no action. masked is the header as it is shown; "" if there is none.
func (e *Editor) parse(body api.Object, masked string) (input, fieldErrors) {
	header, hasHeader := body.Text("header")
	if hasHeader && header != "" && header == masked {
		delete(body, "header")
		hasHeader = false
	}
	in, fieldErrs := parseInput(body, e.Sender)
	if name, ok := body["name"]; ok {
		given, isText := body.Text("name")
		if in.Name = &given; !isText || len(given) > maxName || string(name) == "null" {
			fieldErrs["name"] = nameInvalid
		}
	}
	if slices.ContainsFunc(in.Events, func(entry string) bool { return strings.Contains(entry, ":") }) {
		fieldErrs["events"] = eventsActions
	}
	if _, value := delivery.SplitHeader(header); hasHeader && value == api.Masked {
		fieldErrs["header"] = headerMasked
	}
	return in, fieldErrs
}

// asControlError returns the 422 of the control API that lists the errors, in the order
// of the field names; nil if there are none.
func (e fieldErrors) asControlError() error {
	if len(e) == 0 {
		return nil
	}
	var list []string
	for _, field := range slices.Sorted(maps.Keys(e)) {
		list = append(list, field+": "+e[field].message+" ("+e[field].fix+")")
	}
	return api.NewControlError(http.StatusUnprocessableEntity, strings.Join(list, "; "))
}

// controlError returns the error of the control API for a 404 of the API; other errors
// are returned unchanged.
func controlError(err error) error {
	var refused *api.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return api.NewControlError(http.StatusNotFound, "Subscription not found")
	}
	return err
}
