package control

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks"
	"understudy.example/internal/journal"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/timing"
)

// participant is the part that a package which owns rows of tenants has in operations
// on a whole tenant. A function is nil if the package has no part in the operation.
type participant struct {
	// nextDue returns the real time at which the next of the tenant's rows is
	// due; nil if none is. A row that is being processed counts as due.
	nextDue func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error)
	// upcoming returns the next times at which something happens to the tenant because of
	// its clock, the first ones first, at most maxDue. now is the real time.
	upcoming func(ctx context.Context, db storage.DB, tenant auth.Tenant, now time.Time) ([]dueBody, error)
	// shift makes the rows that are due after a real time due earlier, or later if by
	// is negative.
	shift func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, after time.Time, by time.Duration) (rows int, err error)
	// effects returns what happened to the tenant after one time and until
	// another, on its clock, in order.
	effects func(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]effect, error)
	// deleteMost deletes rows that reset deletes in batches, each in a transaction of its
	// own, if there are too many for one transaction. It reports whether there were.
	deleteMost func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error)
	// reset deletes the rows that a new tenant does not have.
	reset func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error
}

// participants are all participants. A reset deletes the submissions first, then calls
// these in order; see emptyTenant.
var participants = []participant{
	{reset: auth.ResetIDs}, // before the subscriptions, which publishers lock after their counters
	{nextDue: timing.NextDue, shift: timing.Shift, upcoming: upcomingStates, effects: submissionEffects},
	{nextDue: hooks.NextDue, shift: hooks.Shift, upcoming: upcomingDeliveries, effects: deliveryEffects, deleteMost: hooks.DeleteMost, reset: hooks.Reset},
	{upcoming: upcomingSecrets, effects: secretEffects, deleteMost: auth.DeleteRefreshFamilies}, // auth.ResetTenant deletes the rest
	{effects: tokenEffects, deleteMost: journal.DeleteMost, reset: inTransaction(journal.Delete)},
	{upcoming: upcomingFaults, effects: faultEffects, reset: fault.Delete},
	{deleteMost: feed.DeleteMost, reset: inTransaction(feed.Delete)},
	{deleteMost: data.DeleteMost, reset: data.Reset},
	{reset: inTransaction(outcome.Drop)},
}

// inTransaction converts a function of a storage.DB to one of a transaction.
func inTransaction(remove func(context.Context, storage.DB, uuid.UUID) error) func(context.Context, pgx.Tx, uuid.UUID) error {
	return func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error { return remove(ctx, tx, tenantID) }
}

// effect is something that happened while a clock was advanced. Each kind has its own
// fields.
type effect struct {
	Kind     string   `json:"kind"` // state, expired or delivery
	At       api.Time `json:"at"`
	TxID     string   `json:"tx_id,omitempty"`
	Status   string   `json:"status,omitempty"`   // state: the state reached
	What     string   `json:"what,omitempty"`     // expired: upload_url, access_token, client_secret or fault
	Delivery any      `json:"delivery,omitempty"` // delivery: the attempt with its result

	ClientID  string     `json:"client_id,omitempty"`  // access_token, client_secret: its client
	RequestID *uuid.UUID `json:"request_id,omitempty"` // access_token: X-Request-Id of the response that issued it
	FaultID   *uuid.UUID `json:"fault_id,omitempty"`   // fault
}

// sortEffects sorts the effects by time. Simultaneous effects keep their order.
func sortEffects(effects []effect) {
	slices.SortStableFunc(effects, func(a, b effect) int { return time.Time(a.At).Compare(time.Time(b.At)) })
}

func submissionEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]effect, error) {
	reached, err1 := timing.StatesReached(ctx, db, tenantID, after, until)
	expired, err2 := timing.ExpiredUploads(ctx, db, tenantID, after, until)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	effects := make([]effect, 0, len(reached)+len(expired))
	for _, state := range reached {
		effects = append(effects, effect{Kind: "state", At: api.Time(state.At), TxID: state.TxID.String(), Status: state.Status})
	}
	for _, upload := range expired {
		effects = append(effects, effect{Kind: "expired", At: api.Time(upload.At), TxID: upload.TxID.String(), What: "upload_url"})
	}
	sortEffects(effects)
	return effects, nil
}

func deliveryEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]effect, error) {
	attempts, err := hooks.Attempts(ctx, db, tenantID, after, until)
	if err != nil {
		return nil, err
	}
	effects := make([]effect, len(attempts))
	for i, attempt := range attempts {
		effects[i] = effect{Kind: "delivery", At: api.Time(attempt.At), Delivery: attempt}
	}
	return effects, nil
}

func secretEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]effect, error) {
	secrets, err := auth.ExpiredSecrets(ctx, db, tenantID, after, until)
	if err != nil {
		return nil, err
	}
	effects := make([]effect, len(secrets))
	for i, s := range secrets {
		effects[i] = effect{Kind: "expired", At: api.Time(s.ExpiresAt), What: "client_secret", ClientID: s.ClientID}
	}
	return effects, nil
}

func tokenEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]effect, error) {
	tokens, err := journal.ExpiredTokens(ctx, db, tenantID, after, until)
	if err != nil {
		return nil, err
	}
	effects := make([]effect, len(tokens))
	for i, token := range tokens {
		effects[i] = effect{
			Kind: "expired", At: api.Time(token.ExpiresAt), What: "access_token", ClientID: token.ClientID, RequestID: &token.RequestID,
		}
	}
	return effects, nil
}

func faultEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]effect, error) {
	faults, err := fault.Expired(ctx, db, tenantID, after, until)
	if err != nil {
		return nil, err
	}
	effects := make([]effect, len(faults))
	for i, f := range faults {
		effects[i] = effect{Kind: "expired", At: api.Time(f.ExpiresAt), What: "fault", FaultID: &f.ID}
	}
	return effects, nil
}
