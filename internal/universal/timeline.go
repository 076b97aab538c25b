package universal

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/feed"
)

// reached is a state that a submission has come to.
type reached struct {
	tenantID uuid.UUID
	txID     uuid.UUID
	state    string
	at       time.Time // tenant's time
}

// note adds the states reached to the timelines, and tells them to the
// tenants' feeds.
func note(ctx context.Context, tx pgx.Tx, moves ...reached) error {
	type data struct {
		TxID   uuid.UUID `json:"tx_id"`
		Status string    `json:"status"`
	}
	ids, states, at := make([]uuid.UUID, len(moves)), make([]string, len(moves)), make([]time.Time, len(moves))
	entries := make([]feed.Entry, len(moves))
	for i, move := range moves {
		ids[i], states[i], at[i] = move.txID, move.state, move.at
		entries[i] = feed.Entry{
			TenantID: move.tenantID,
			At:       move.at,
			Kind:     feed.State,
			Event:    "universal_submit:" + strings.ToLower(move.state),
			TxID:     move.txID.String(),
			Data:     data{move.txID, move.state},
		}
	}
	if _, err := tx.Exec(ctx, `
		insert into submission_timeline (tx_id, status, at)
		select * from unnest(@ids::uuid[], @states::text[], @at::timestamptz[])`,
		pgx.StrictNamedArgs{"ids": ids, "states": states, "at": at}); err != nil {
		return err
	}
	return feed.Append(ctx, tx, entries...)
}
