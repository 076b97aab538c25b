package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// fault is a fault's row: what is to go wrong with which calls.
type fault struct {
	ID          uuid.UUID
	TenantID    uuid.UUID
	Route       string
	Status      *int
	Body        *string // JSON
	Delay       time.Duration
	Dropped     bool
	Times       *int64
	Every       *int64
	Probability *float64
	Seed        string
	CreatedAt   time.Time
	ExpiresAt   *time.Time
	Calls       int64
	Acted       int64
}

const faultColumns = `
	id, tenant_id, route, status, body, delay, dropped, times, every, probability, seed,
	created_at, expires_at, calls, acted`

// faultAnswer is a fault as it is shown.
type faultAnswer struct {
	ID          uuid.UUID       `json:"id"`
	Route       string          `json:"route"`
	Status      *int            `json:"status,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
	Delay       string          `json:"delay,omitempty"`
	Drop        bool            `json:"drop,omitempty"`
	Times       *int64          `json:"times,omitempty"`
	Every       *int64          `json:"every,omitempty"`
	Probability *float64        `json:"probability,omitempty"`
	Seed        string          `json:"seed,omitempty"`
	CreatedAt   api.Time        `json:"created_at"`
	ExpiresAt   *api.Time       `json:"expires_at,omitempty"`
	Calls       int64           `json:"calls"` // that came to the fault
	Acted       int64           `json:"acted"` // on which it acted
}

func newFaultAnswer(f fault) faultAnswer {
	answer := faultAnswer{
		ID: f.ID, Route: f.Route, Status: f.Status, Drop: f.Dropped,
		Times: f.Times, Every: f.Every, Probability: f.Probability, Seed: f.Seed,
		CreatedAt: api.Time(f.CreatedAt), ExpiresAt: (*api.Time)(f.ExpiresAt), Calls: f.Calls, Acted: f.Acted,
	}
	if f.Body != nil {
		answer.Body = json.RawMessage(*f.Body)
	}
	if f.Delay > 0 {
		answer.Delay = f.Delay.String()
	}
	return answer
}

// AddFault is `POST /tenants/{t}/faults`. known tells which routes the API has.
func AddFault(db storage.DB, gate *auth.Gate, faults *Faults, known Routes) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		body, err := api.Read(r, api.MessageErrors)
		if err != nil {
			return err
		}
		made, err := readFault(body, tenant.Time(gate.Now()), known)
		if err != nil {
			return err
		}
		if made.ID, err = uuid.NewV7(); err != nil {
			return err
		}
		if _, err := db.Exec(r.Context(), `
			insert into faults (
				id, tenant_id, route, status, body, delay, dropped, times, every, probability, seed, created_at, expires_at
			)
			values (
				@id, @tenant_id, @route, @status, @body, @delay, @dropped, @times, @every, @probability, @seed, @created_at, @expires_at
			)`,
			pgx.StrictNamedArgs{
				"id": made.ID, "tenant_id": tenant.ID, "route": made.Route, "status": made.Status, "body": made.Body,
				"delay": made.Delay, "dropped": made.Dropped, "times": made.Times, "every": made.Every,
				"probability": made.Probability, "seed": made.Seed, "created_at": made.CreatedAt, "expires_at": made.ExpiresAt,
			}); err != nil {
			return fmt.Errorf("add fault: %w", err)
		}
		faults.Forget()
		return api.Write(w, http.StatusCreated, newFaultAnswer(made))
	}
}

// ListFaults is `GET /tenants/{t}/faults`: in the order in which they are asked.
func ListFaults(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		found, err := storage.All[fault](r.Context(), db, `
			select `+faultColumns+`
			from faults
			where tenant_id = @tenant_id
			order by id`,
			pgx.StrictNamedArgs{"tenant_id": tenant.ID})
		if err != nil {
			return fmt.Errorf("list faults: %w", err)
		}
		answer := make([]faultAnswer, len(found))
		for i, f := range found {
			answer[i] = newFaultAnswer(f)
		}
		return api.Write(w, http.StatusOK, map[string]any{"faults": answer})
	}
}

// DeleteFaults is `DELETE /tenants/{t}/faults`, and with an id
// `DELETE /tenants/{t}/faults/{id}`.
func DeleteFaults(db storage.DB, faults *Faults) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		var only *uuid.UUID
		if text := r.PathValue("id"); text != "" {
			id, err := uuid.Parse(text)
			if err != nil {
				return faultNotFound()
			}
			only = &id
		}
		gone, err := db.Exec(r.Context(), `
			delete from faults
			where tenant_id = @tenant_id
			and (@only::uuid is null or id = @only)`,
			pgx.StrictNamedArgs{"tenant_id": tenant.ID, "only": only})
		if err != nil {
			return fmt.Errorf("delete faults: %w", err)
		}
		faults.Forget()
		if only != nil && gone.RowsAffected() == 0 {
			return faultNotFound()
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

func faultNotFound() *api.Error { return api.NewError(http.StatusNotFound, "Fault not found") }

// Routes tells whether the API has a route: a path, whose parameters may stand
// in braces, and a method; an empty method is any.
type Routes func(method, path string) bool

// maxDelay is the longest that a fault may hold a call.
const maxDelay = time.Minute

// readFault reads a fault that is ordered at the tenant's time now.
func readFault(body api.Object, now time.Time, known Routes) (fault, error) {
	f := fault{CreatedAt: now}
	var delay, expires *string
	var drop *bool
	var seed json.RawMessage
	fields := map[string]any{
		"route": &f.Route, "status": &f.Status, "delay": &delay, "drop": &drop, "times": &f.Times, "every": &f.Every,
		"probability": &f.Probability, "seed": &seed, "expires": &expires, "body": new(json.RawMessage),
	}
	for name, raw := range body {
		target, ok := fields[name]
		if !ok {
			return fault{}, badRequest("unknown field %q", name)
		}
		if json.Unmarshal(raw, target) != nil {
			return fault{}, badRequest("%s: %s is not of the right type", name, raw)
		}
	}
	if raw, ok := body["body"]; ok {
		text := string(raw)
		f.Body = &text
	}
	f.Dropped = drop != nil && *drop
	if seed != nil {
		f.Seed = string(seed)
		json.Unmarshal(seed, &f.Seed) // anything but a string stands for itself
	}
	if err := errors.Join(f.setDelay(delay), f.setExpiry(expires, now)); err != nil {
		return fault{}, badRequest("%s", err)
	}
	if f.Status == nil && (f.Body != nil || f.Delay == 0 && !f.Dropped) {
		status := http.StatusInternalServerError
		f.Status = &status
	}
	return f, f.check(known)
}

func (f *fault) setDelay(text *string) (err error) {
	if text == nil {
		return nil
	}
	f.Delay, err = time.ParseDuration(*text)
	if err != nil || f.Delay <= 0 || f.Delay > maxDelay {
		return fmt.Errorf("delay: want a duration such as 250ms, at most %s", maxDelay)
	}
	return nil
}

// setExpiry takes a duration from now on, or a time; both of the tenant.
func (f *fault) setExpiry(text *string, now time.Time) error {
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		lasts, err := parseDuration(*text)
		if err != nil || lasts <= 0 {
			return errors.New("expires: want a duration such as 30s, or a time of RFC 3339")
		}
		at = now.Add(lasts)
	}
	at = at.UTC()
	f.ExpiresAt = &at
	return nil
}

// check returns why the fault can't be ordered.
func (f *fault) check(known Routes) error {
	method, path := splitRoute(f.Route)
	switch {
	case f.Route == "":
		return badRequest("route is required")
	case f.Route != "*" && !known(method, path):
		return badRequest("unknown route %q", f.Route)
	case f.Status != nil && (*f.Status < 200 || *f.Status > 599):
		return badRequest("status: want 200 to 599")
	case f.Dropped && f.Status != nil:
		return badRequest("drop: a dropped call has no status and no body")
	case f.Times != nil && *f.Times < 1:
		return badRequest("times: want 1 or more")
	case f.Every != nil && *f.Every < 1:
		return badRequest("every: want 1 or more")
	case f.Probability != nil && (*f.Probability < 0 || *f.Probability > 1):
		return badRequest("probability: want 0 to 1")
	}
	return nil
}

// badRequest is the answer to a body or query that says what can't be.
func badRequest(format string, args ...any) *api.Error {
	return api.NewError(http.StatusBadRequest, fmt.Sprintf(format, args...))
}
