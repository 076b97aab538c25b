package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy/internal/api"
	"understudy/internal/auth"
	"understudy/internal/hooks"
	"understudy/internal/storage"
)

// maxDeliveries is how many deliveries are shown at once.
const maxDeliveries = 100

// Deliveries is `GET /tenants/{t}/deliveries`: the newest, with their attempts.
func Deliveries(db storage.DB) api.Handler {
	type attempt struct {
		hooks.Attempt
		At api.Time `json:"at"`
	}
	type answer struct {
		RequestID  uuid.UUID `json:"request_id"`
		HookID     uuid.UUID `json:"hook_id"`
		URL        string    `json:"url"`
		EventID    uuid.UUID `json:"event_id"`
		Event      string    `json:"event"`
		Body       string    `json:"body"`
		State      string    `json:"state"`
		Redelivery bool      `json:"redelivery"`
		CreatedAt  api.Time  `json:"created_at"`
		Attempts   []attempt `json:"attempts"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		found, err := hooks.Deliveries(r.Context(), db, tenant.ID, maxDeliveries)
		if err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(found))
		for i, d := range found {
			ids[i] = d.ID
		}
		made, err := hooks.AttemptsOf(r.Context(), db, tenant.ID, ids)
		if err != nil {
			return err
		}
		of := map[uuid.UUID][]attempt{}
		for _, a := range made {
			of[a.RequestID] = append(of[a.RequestID], attempt{a, api.Time(a.At)})
		}
		answers := make([]answer, len(found))
		for i, d := range found {
			answers[i] = answer{
				d.ID, d.HookID, d.URL, d.EventID, d.Event, string(d.Body), d.State, d.Redelivery,
				api.Time(d.CreatedAt), append([]attempt{}, of[d.ID]...),
			}
		}
		return api.Write(w, http.StatusOK, map[string]any{"deliveries": answers})
	}
}

// Redeliver is `POST /tenants/{t}/deliveries/{id}/redeliver`: the same event is
// sent again to the same subscription. wake tells the dispatcher.
func Redeliver(db storage.DB, gate *auth.Gate, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		if _, err := readBody(r); err != nil {
			return err
		}
		now := gate.Now()
		id, err := hooks.SendAgain(r.Context(), db, tenant.ID, r.PathValue("id"), tenant.Time(now), now)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return notFound()
		case errors.Is(err, hooks.ErrOff):
			return api.Refuse(http.StatusConflict, "The subscription is off")
		case err != nil:
			return err
		}
		wake()
		return api.Write(w, http.StatusCreated, map[string]uuid.UUID{"request_id": id})
	}
}

var eventName = regexp.MustCompile(`^[a-z0-9_]+:[a-z0-9_]+$`)

// FireEvent is `POST /tenants/{t}/events`: any event with any data goes to the
// tenant's subscriptions as its own events do. wake tells the dispatcher.
func FireEvent(db storage.DB, gate *auth.Gate, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		body, err := readBody(r, "event", "data")
		if err != nil {
			return err
		}
		var name string
		if json.Unmarshal(body["event"], &name) != nil || len(name) > 200 || !eventName.MatchString(name) {
			return badRequest("event: want subject:action, such as universal_submit:completed")
		}
		data := body["data"]
		if data == nil {
			data = json.RawMessage("{}")
		}
		now := gate.Now()
		err = pgx.BeginFunc(r.Context(), db, func(tx pgx.Tx) error {
			return hooks.Publish(r.Context(), tx, now, hooks.Event{
				TenantID: tenant.ID, TenantName: tenant.Name, Name: name, At: tenant.Time(now), Data: data,
			})
		})
		if err != nil {
			return err
		}
		wake()
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}
