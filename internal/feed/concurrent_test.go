package feed_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/feed"
	"understudy.example/internal/server/servertest"
)

// writeRandomly runs transactions that add entries for the tenants, one after another,
// each step when turn allows it. Some announce their tenants before they get an id, some
// after it, and some not at all; some are rolled back.
func writeRandomly(s *servertest.Server, tenants []uuid.UUID, transactions int, turn <-chan struct{}) {
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, s.DB.Config().ConnConfig)
	if err != nil {
		s.T.Error(err)
		return
	}
	defer conn.Close(ctx)
	for range transactions {
		own := []uuid.UUID{tenants[rand.IntN(len(tenants))], tenants[rand.IntN(len(tenants))]}
		announce := func(tx pgx.Tx) error { _, err := tx.Exec(ctx, "select announce_tenants($1)", own); return err }
		steps := [][]func(tx pgx.Tx) error{{lockTenants, announce}, {announce, lockTenants}, {lockTenants}, {announce}, {}}[rand.IntN(5)]
		for range rand.IntN(3) + 1 {
			steps = append(steps, func(tx pgx.Tx) error {
				state := feed.State{TenantID: own[rand.IntN(2)], At: s.Now(), Event: "test:reached", TxID: uuid.NewString()}
				return feed.AppendStates(ctx, tx, state, state)
			})
		}
		tx, err := conn.Begin(ctx)
		for _, step := range steps {
			if err == nil {
				<-turn
				err = step(tx)
			}
		}
		<-turn
		if err == nil && rand.IntN(8) == 0 {
			err = tx.Rollback(ctx)
		} else if err == nil {
			err = tx.Commit(ctx)
		}
		if err != nil {
			s.T.Error(err)
			return
		}
	}
}

// lockTenants locks rows, so that the transaction gets an id.
func lockTenants(tx pgx.Tx) error {
	_, err := tx.Exec(context.Background(), "select from tenants for key share")
	return err
}

// follow returns the tx_ids of the tenant's entries in the order in which a waiting
// reader gets them. It ends when it has read everything after written is closed.
func follow(s *servertest.Server, tenantID uuid.UUID, written <-chan struct{}) (txIDs []string) {
	query := feed.Query{Filter: feed.Filter{TenantID: tenantID, Event: "test:reached"}, Limit: 7}
	watch := s.App.Feed.Watch(tenantID)
	defer watch.Stop()
	read := func() {
		for more := true; more; {
			found, err := s.App.Feed.ListNext(context.Background(), &query)
			if err != nil {
				s.T.Error(err)
			}
			for _, entry := range found {
				txIDs = append(txIDs, entry.TxID)
			}
			more = len(found) == query.Limit
		}
	}
	for {
		read()
		select {
		case <-watch.Grown:
		case <-written:
			read()
			return txIDs
		}
	}
}

// TestNothingIsSkipped checks that readers get all entries of their tenants, in order,
// while many transactions that add them end in another order than that in which they
// began.
func TestNothingIsSkipped(t *testing.T) {
	s := servertest.New(t)
	const writers, transactions, readers = 12, 25, 2
	tenants := []uuid.UUID{s.TenantID("acme"), s.TenantID("globex")}
	turn, ended, written := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var writing, reading sync.WaitGroup
	for range writers {
		writing.Go(func() { writeRandomly(s, tenants, transactions, turn) })
	}
	followed := make([][]string, readers*len(tenants))
	for i := range followed {
		reading.Go(func() { followed[i] = follow(s, tenants[i%len(tenants)], written) })
	}
	go func() { writing.Wait(); close(ended) }()
	for running := true; running; {
		select {
		case turn <- struct{}{}:
		case <-ended:
			running = false
		}
	}
	last := servertest.Value[uint64](s, "select xid::text::bigint from feed order by xid desc limit 1")
	for _, tenantID := range tenants {
		servertest.Until(t, "all entries can be read", func() bool {
			end, err := s.App.Feed.End(t.Context(), tenantID)
			return err == nil && end.XID >= last
		})
	}
	close(written)
	reading.Wait()
	for i, got := range followed {
		var want []string
		rows, err := s.DB.Query(t.Context(), "select tx_id from feed where tenant_id = $1 order by xid, seq", tenants[i%len(tenants)])
		if err == nil {
			want, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reader %d of %d entries (- want, + got):\n%s", i, len(want), diff)
		}
	}
}
