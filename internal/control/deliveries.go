package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// Redeliver is `POST /tenants/{t}/deliveries/{id}/redeliver`: it creates a new delivery
// of the same event to the same subscription. wake wakes the dispatcher.
func Redeliver(db storage.DB, gate *auth.Gate, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		if _, err := api.ReadFields(r); err != nil {
			return err
		}
		now := gate.Now()
		id, err := hooks.RedeliverByID(r.Context(), db, tenant, r.PathValue("id"), now)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return notFound()
		case errors.Is(err, hooks.ErrInactive):
			return api.NewControlError(http.StatusConflict, "The subscription is not active")
		case err != nil:
			return err
		}
		wake()
		return api.Write(w, http.StatusCreated, map[string]uuid.UUID{"request_id": id})
	}
}

// eventName matches the events to which tenants can subscribe.
var eventName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}:[A-Za-z0-9_.-]{1,100}$`)

// maxEventData is the maximum size in bytes of the data of an event: every delivery in
// flight holds its body in memory.
const maxEventData = 256 << 10

// FireEvent is `POST /tenants/{t}/events`: it publishes any event with any data to the
// tenant's subscriptions, and returns how many of them matched. wake wakes the
// dispatcher.
func FireEvent(db storage.DB, gate *auth.Gate, wake func()) api.Handler {
	type response struct {
		EventID       uuid.UUID `json:"event_id"`
		Subscriptions int       `json:"subscriptions"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, "event", "data")
		if err != nil {
			return err
		}
		var name string
		if json.Unmarshal(body["event"], &name) != nil || !eventName.MatchString(name) {
			return api.BadRequest("event: want subject:action, such as universal_submit:completed")
		}
		data := body["data"]
		if data == nil {
			data = json.RawMessage("{}")
		}
		if len(data) > maxEventData {
			return api.BadRequest("data: want at most 256 KiB of JSON")
		}
		now := gate.Now()
		var fired response
		err = storage.InTx(r.Context(), db, func(tx pgx.Tx) (err error) {
			txID := txIDIn(data)
			fired.EventID, fired.Subscriptions, err = hooks.Fire(r.Context(), tx, now, hooks.Event{
				Tenant: tenant, Name: name, At: tenant.Time(now), TxID: txID, Data: data,
			})
			if err != nil {
				return err
			}
			return feed.AppendStates(r.Context(), tx, feed.State{TenantID: tenant.ID, At: tenant.Time(now), Event: name, TxID: txID, Data: fired})
		})
		if err != nil {
			return err
		}
		wake()
		return api.Write(w, http.StatusOK, fired)
	}
}

// txIDIn returns the text at the key tx_id of the data; "" if there is none.
func txIDIn(data json.RawMessage) (txID string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) == nil {
		json.Unmarshal(object["tx_id"], &txID) // another value than a text leaves ""
	}
	return txID
}
