package hooks_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// TestRowsAreLockedInOrder checks that the deletion of a tenant, a reset and publishing
// lock rows in the order in which recording and trimming lock them. Each case holds the
// row that must be locked first: meanwhile the second one must not be locked.
func TestRowsAreLockedInOrder(t *testing.T) {
	const firstHook, lastHook = "(select min(id::text)::uuid from hooks)", "(select max(id::text)::uuid from hooks)"
	for name, test := range map[string]struct {
		first, second string
		do            func(ctx context.Context, s *servertest.Server, tx pgx.Tx, tenantID uuid.UUID) error
	}{
		"deletion of a tenant": {
			"deliveries", "events",
			func(ctx context.Context, _ *servertest.Server, tx pgx.Tx, tenantID uuid.UUID) error {
				if err := hooks.Reset(ctx, tx, tenantID); err != nil {
					return err
				}
				return auth.DeleteTenant(ctx, tx, tenantID)
			},
		},
		"publishing": {
			"hooks where id = " + firstHook, "hooks where id = " + lastHook,
			func(ctx context.Context, s *servertest.Server, tx pgx.Tx, tenantID uuid.UUID) error {
				return hooks.Publish(ctx, tx, s.Now(), hooks.Event{Tenant: auth.Tenant{ID: tenantID}, Name: "a:third", At: s.Now()})
			},
		},
		"reset": {
			"deliveries where hook_id = " + firstHook, "deliveries where hook_id = " + lastHook,
			func(ctx context.Context, _ *servertest.Server, tx pgx.Tx, tenantID uuid.UUID) error {
				return hooks.Reset(ctx, tx, tenantID)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t)
			acme := s.Acme()
			acme.Subscribe("http://127.0.0.1:1/")
			acme.Subscribe("http://127.0.0.1:1/")
			s.Publish("acme", "a:first", "a:second")
			// An update moves the rows that come first in order to the end of the
			// table; without indexes they would be read last.
			s.Exec("update hooks set url = url where id = " + firstHook)
			s.Exec("update deliveries set due_at = due_at where event = 'a:first'")
			tenantID := s.TenantID("acme")
			ctx := t.Context()
			holder, err := s.DB.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer holder.Rollback(context.Background())
			if _, err := holder.Exec(ctx, "select from "+test.first+" for update"); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				done <- pgx.BeginFunc(ctx, s.DB, func(tx pgx.Tx) error {
					if _, err := tx.Exec(ctx, "set local enable_indexscan = off; set local enable_bitmapscan = off"); err != nil {
						return err
					}
					return test.do(ctx, s, tx, tenantID)
				})
			}()
			servertest.Until(t, "it waits for the first row", func() bool {
				return servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 1
			})
			if _, err := holder.Exec(ctx, "select from "+test.second+" for update nowait"); err != nil {
				t.Errorf("the second row is locked before the first: %v", err)
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
