package hooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// Package delivery is imported only by this package, because the two share their
// tables. These are the parts that other packages need.
type (
	Seal          = delivery.Seal
	Sealer        = delivery.Sealer
	Sender        = delivery.Sender
	Network       = delivery.Network
	Signature     = delivery.Signature
	Dispatcher    = delivery.Dispatcher
	Outcome       = delivery.Outcome
	Backlog       = delivery.Backlog
	Attempt       = delivery.Attempt
	AttemptDetail = delivery.AttemptDetail
	Request       = delivery.Request
	HeaderLine    = delivery.HeaderLine

	DeliveryFaults = delivery.Faults
	FaultTarget    = delivery.FaultTarget
	SelectFaults   = delivery.SelectFaults
)

// NewSeal returns the seal of the subscriptions' secrets and headers.
func NewSeal(keys *auth.SealingKeys) *Seal { return delivery.NewSeal(keys) }

// NewSender returns a sender of deliveries with the signature format.
func NewSender(network Network, signature Signature) *Sender {
	return delivery.NewSender(network, signature)
}

// NewDispatcher returns a dispatcher of the environment's deliveries. faults may be
// nil. now returns the real time.
func NewDispatcher(db *pgxpool.Pool, environment string, seal *Seal, sender *Sender, faults SelectFaults, now func() time.Time) *Dispatcher {
	return delivery.NewDispatcher(db, environment, seal, sender, faults, now)
}

// ReleaseLeases ends the leases of servers that were killed. Call it only if no other
// server uses the database.
func ReleaseLeases(ctx context.Context, db storage.DB) error { return delivery.ReleaseLeases(ctx, db) }

// AttemptFeed returns the feed's source of delivery attempts.
func AttemptFeed() feed.Source { return delivery.AttemptFeed{} }

// Attempts returns the tenant's attempts that began after one time and until another,
// on the tenant's clock, in order.
func Attempts(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Attempt, error) {
	return delivery.Attempts(ctx, db, tenantID, after, until)
}

// RejectedAttempts returns the number of the tenant's attempts without a 2xx response,
// and the X-Delivery-Ids of the oldest ones, limited to first.
func RejectedAttempts(ctx context.Context, db storage.DB, tenantID uuid.UUID, first int) (count int, ids []uuid.UUID, err error) {
	return delivery.RejectedAttempts(ctx, db, tenantID, first)
}
