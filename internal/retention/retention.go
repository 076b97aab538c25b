// Package retention deletes what has been kept long enough: submissions and company
// reports with everything about them, uploads that were never triggered, tokens, secrets
// and faults that have expired, and objects to which no row refers. Ages are in real time,
// never on a tenant's clock. Journal, feed and deliveries are limited by their own
// packages.
package retention

import (
	"context"
	"log/slog"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/data"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// DeleteTransaction deletes the tenant's submission with the tx_id, in any state, and
// everything about it except the calls in the journal. It returns the key of the file,
// which the caller deletes once the transaction is committed; "" if there is none. The
// error is an *api.Error if there is no such submission.
func DeleteTransaction(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, txID string) (file string, err error) {
	id, file, err := universal.DeleteTransaction(ctx, tx, tenantID, txID)
	if err != nil {
		return "", err
	}
	return file, deleteAbout(ctx, tx, tenantID, id.String())
}

// deleteAbout deletes what other packages keep about transactions that were deleted. It
// locks rows in the order that ARCHITECTURE.md lists.
func deleteAbout(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, txIDs ...string) error {
	for _, deleteRows := range []func(context.Context, pgx.Tx, uuid.UUID, []string) error{
		hooks.DeleteTransactions, feed.DeleteTransactions, data.DeleteTransactions,
	} {
		if err := deleteRows(ctx, tx, tenantID, txIDs); err != nil {
			return err
		}
	}
	return nil
}

// deleters is the number of objects that are deleted at a time.
const deleters = 8

// DeleteFiles deletes files to which no row refers, several at a time, and returns how
// many it deleted. A file that cannot be deleted only takes up space, until Collect
// deletes it.
func DeleteFiles(ctx context.Context, objects storage.Objects, keys []string) (deleted int) {
	var deleting sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, deleters)
	for _, key := range keys {
		slots <- struct{}{}
		deleting.Go(func() {
			defer func() { <-slots }()
			if err := objects.Delete(ctx, key); err != nil {
				slog.WarnContext(ctx, "deleting a file from the object store failed", "object_key", key, "err", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			deleted++
		})
	}
	deleting.Wait()
	return deleted
}
