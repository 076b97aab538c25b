// Package control lets a test make the emulator do what it needs: a tenant of
// its own, in one call, with its own clock, pace, outcomes, faults and journal,
// forced and watched over a listener of its own. It acts on tenants through
// the packages that own their rows, and knows nothing of how the API answers.
package control

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/oasdiff/yaml"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// Document describes the control API.
//
//go:embed openapi.yaml
var Document []byte

// Describe is `GET /openapi.json`: the control API's own document.
func Describe() api.Handler {
	text, err := yaml.YAMLToJSON(Document)
	return func(w http.ResponseWriter, _ *http.Request) error {
		if err != nil {
			return fmt.Errorf("control document: %w", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text) // the connection is gone
		return nil
	}
}

// Room is a family of a tenant's rows as its clock and a reset see them. A
// function that is nil has nothing to do.
type Room struct {
	// NextDue is the real time at which the next of the tenant's rows is due;
	// nil when none is. One that is being worked on is due.
	NextDue func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error)
	// Shift makes all that is due of the tenant due sooner.
	Shift func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, by time.Duration) error
	// Effects are what happened to the tenant after one of its times and until
	// another, in order.
	Effects func(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Effect, error)
	// Reset drops all that the tenant would not have if it were new.
	Reset func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error
}

// Effect is something that happened while a clock was moved. Its fields are
// those that its kind has.
type Effect struct {
	Kind     string   `json:"kind"` // state, expired or delivery
	At       api.Time `json:"at"`
	TxID     string   `json:"tx_id,omitempty"`
	Status   string   `json:"status,omitempty"`   // state: the one reached
	What     string   `json:"what,omitempty"`     // expired: upload_url, access_token or fault
	Delivery any      `json:"delivery,omitempty"` // delivery: the attempt with its result

	ClientID  string     `json:"client_id,omitempty"`  // access_token: whose
	RequestID *uuid.UUID `json:"request_id,omitempty"` // access_token: X-Request-Id of the answer that held it
	FaultID   *uuid.UUID `json:"fault_id,omitempty"`   // fault
}

// Submissions are the room of universal submit.
var Submissions = Room{
	NextDue: universal.NextDue,
	Shift:   universal.Shift,
	Effects: submissionEffects,
}

// Hooks are the room of webhooks.
var Hooks = Room{
	NextDue: hooks.NextDue,
	Shift:   hooks.Shift,
	Effects: hookEffects,
	Reset:   hooks.Reset,
}

func hookEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Effect, error) {
	attempts, err := hooks.Attempts(ctx, db, tenantID, after, until)
	if err != nil {
		return nil, err
	}
	effects := make([]Effect, len(attempts))
	for i, attempt := range attempts {
		effects[i] = Effect{Kind: "delivery", At: api.Time(attempt.At), Delivery: attempt}
	}
	return effects, nil
}

func submissionEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Effect, error) {
	moves, err := universal.Moves(ctx, db, tenantID, after, until)
	if err != nil {
		return nil, err
	}
	expired, err := universal.Expired(ctx, db, tenantID, after, until)
	if err != nil {
		return nil, err
	}
	effects := make([]Effect, 0, len(moves)+len(expired))
	for _, move := range moves {
		effects = append(effects, Effect{Kind: "state", At: api.Time(move.At), TxID: move.TxID.String(), Status: move.Status})
	}
	for _, gone := range expired {
		effects = append(effects, Effect{Kind: "expired", At: api.Time(gone.At), TxID: gone.TxID.String(), What: "upload_url"})
	}
	inOrder(effects)
	return effects, nil
}
