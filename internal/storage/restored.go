package storage

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
)

// continueFeed makes new entries of the feed come after the present ones, also if these
// were restored from a PostgreSQL with higher transaction ids.
func continueFeed(ctx context.Context, pool *pgxpool.Pool) error {
	offset, err := feedOffset(ctx, pool)
	if err != nil || offset == 0 {
		return err
	}
	locked, unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return fmt.Errorf("continue the feed: %w", err)
	}
	defer unlock()
	if offset, err = feedOffset(locked, pool); err != nil || offset == 0 { // another server has been faster
		return err
	}
	if _, err = pool.Exec(locked, fmt.Sprintf(`
		create or replace function feed_position(transaction xid8) returns xid8 language sql stable as $$
			select (transaction::text::bigint + %d)::text::xid8
		$$`, offset)); err != nil {
		return fmt.Errorf("continue the feed: %w", err)
	}
	slog.Info("the database was restored from another PostgreSQL: new calls and entries of the feed follow the restored ones")
	return nil
}

// feedOffset returns the number that must be added to the ids of transactions from now
// on, so that their entries come after the present ones; 0 if nothing must change.
func feedOffset(ctx context.Context, db DB) (offset int64, err error) {
	var newest, transaction, position int64 // the last two are of the next transaction
	err = db.QueryRow(ctx, `
		select
			newest_feed_position()::text::bigint,
			next::text::bigint,
			feed_position(next)::text::bigint
		from pg_snapshot_xmax(pg_current_snapshot()) next`).Scan(&newest, &transaction, &position)
	if err != nil {
		return 0, fmt.Errorf("find the end of the feed: %w", err)
	}
	if newest < position {
		return 0, nil
	}
	return newest + 1 - transaction, nil
}
