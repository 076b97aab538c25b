package hooks_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks"
)

// TestRowsAreTakenInOrder: whoever drops a subscription or all of a tenant's, or
// publishes, takes rows in the order of those who record and trim. Each case holds the row
// to be taken first: until it is let go, the second must not be taken.
func TestRowsAreTakenInOrder(t *testing.T) {
	for name, test := range map[string]struct {
		first, second string
		take          func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error
	}{
		"tenant": {
			"deliveries", "events",
			func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
				_, err := tx.Exec(ctx, "delete from tenants where id = $1", tenantID)
				return err
			},
		},
		"subscription": {
			"deliveries where id = (select min(id::text)::uuid from deliveries where hook_id = (select max(id::text)::uuid from hooks))",
			"deliveries where id = (select max(id::text)::uuid from deliveries where hook_id = (select max(id::text)::uuid from hooks))",
			func(ctx context.Context, tx pgx.Tx, _ uuid.UUID) error {
				_, err := tx.Exec(ctx, "delete from hooks where id = (select max(id::text)::uuid from hooks)")
				return err
			},
		},
		"publishing": {
			"hooks where id = (select min(id::text)::uuid from hooks)",
			"hooks where id = (select max(id::text)::uuid from hooks)",
			func(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
				return hooks.Publish(ctx, tx, time.Now(), hooks.Event{TenantID: tenantID, Name: "a:third", At: time.Now()})
			},
		},
		"reset": {
			"deliveries where hook_id = (select min(id::text)::uuid from hooks)",
			"deliveries where hook_id = (select max(id::text)::uuid from hooks)",
			hooks.Reset,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ctx := t.Context()
			w.subscribe("http://127.0.0.1:1/")
			w.subscribe("http://127.0.0.1:1/")
			w.publish("a:first", "a:second")
			// What comes first in order comes last in the table.
			w.exec("update hooks set url = url where id = (select min(id::text)::uuid from hooks)")
			w.exec("update deliveries set due_at = due_at where event = 'a:first'")
			holder, err := w.db.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer holder.Rollback(context.Background())
			if _, err := holder.Exec(ctx, "select from "+test.first+" for update"); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				done <- pgx.BeginFunc(ctx, w.db, func(tx pgx.Tx) error {
					if _, err := tx.Exec(ctx, "set local enable_indexscan = off; set local enable_bitmapscan = off"); err != nil { // they would have it in order by luck
						return err
					}
					return test.take(ctx, tx, w.tenants["acme"])
				})
			}()
			eventually(t, "it waits", func() bool {
				return w.count("pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 1
			})
			if _, err := holder.Exec(ctx, "select from "+test.second+" for update nowait"); err != nil {
				t.Errorf("the second is taken before the first: %v", err)
			}
			if err := holder.Rollback(ctx); err != nil {
				t.Error(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}
