package feed_test

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// statement returns a function that executes SQL in a transaction.
func statement(sql string, args ...any) func(s *servertest.Server, tx pgx.Tx) error {
	return func(_ *servertest.Server, tx pgx.Tx) error {
		_, err := tx.Exec(context.Background(), sql, args...)
		return err
	}
}

// writeFor adds a state of the tenant to the feed.
func writeFor(tenant string) func(s *servertest.Server, tx pgx.Tx) error {
	return func(s *servertest.Server, tx pgx.Tx) error {
		return feed.AppendStates(context.Background(), tx, feed.State{TenantID: s.TenantID(tenant), At: s.Now(), Event: "late:first"})
	}
}

// announce announces the tenants.
func announce(tenants ...string) func(s *servertest.Server, tx pgx.Tx) error {
	return func(s *servertest.Server, tx pgx.Tx) error {
		ids := make([]uuid.UUID, len(tenants))
		for i, tenant := range tenants {
			ids[i] = s.TenantID(tenant)
		}
		return statement("select announce_tenants($1)", ids)(s, tx)
	}
}

// lockGlobex locks the tenant globex as most transactions do.
func lockGlobex(s *servertest.Server, tx pgx.Tx) error {
	_, err := auth.LockTenant(context.Background(), tx, s.TenantID("globex"))
	return err
}

// begin begins a transaction on a connection of its own, which ends with the test at the
// latest, and runs the steps.
func begin(s *servertest.Server, db *pgxpool.Pool, steps ...func(s *servertest.Server, tx pgx.Tx) error) pgx.Tx {
	s.T.Helper()
	conn, err := pgx.ConnectConfig(context.Background(), db.Config().ConnConfig)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { conn.Close(context.Background()) })
	tx, err := conn.Begin(context.Background())
	if err != nil {
		s.T.Fatal(err)
	}
	for _, step := range steps {
		if err := step(s, tx); err != nil {
			s.T.Fatal(err)
		}
	}
	return tx
}

// hasID checks that PostgreSQL counts the transaction as one in progress before later
// ones.
func hasID(s *servertest.Server, tx pgx.Tx) {
	s.T.Helper()
	var has bool
	if err := tx.QueryRow(context.Background(), "select pg_current_xact_id_if_assigned() is not null").Scan(&has); err != nil || !has {
		s.T.Errorf("the transaction has an id: %v, %v", has, err)
	}
}

// TestUnrelatedTransactionsDoNotDelay checks that a reader does not wait for a transaction
// that cannot add entries for its tenant.
func TestUnrelatedTransactionsDoNotDelay(t *testing.T) {
	s := servertest.New(t)
	write := writers(s)
	shown := len(awaitEntries(s, 1))
	watch := s.App.Feed.Watch(s.TenantID("acme"))
	defer watch.Stop()
	s.Exec("create schema other_program; create table other_program.feed (n int)")
	useID := statement("select pg_current_xact_id()")
	for name, tx := range map[string]pgx.Tx{
		"of another database":           begin(s, storagetest.DB(t), statement("create table long (n int)")),
		"of another schema":             begin(s, s.DB, statement("insert into other_program.feed values (1)")),
		"idle":                          begin(s, s.DB, useID),
		"that reads":                    begin(s, s.DB, useID, statement("select from feed")),
		"of another tenant":             begin(s, s.DB, lockGlobex, writeFor("globex")),
		"that announced after writing":  begin(s, s.DB, writeFor("globex"), announce("globex")),
		"that announced no tenants":     begin(s, s.DB, statement("delete from feed where seq < 0"), announce(), useID),
		"of another tenant, by a query": begin(s, s.DB, statement("select lock_tenants(array[$1::uuid]) where (select announce_tenants(array[$1::uuid]))", s.TenantID("globex"))),
	} {
		hasID(s, tx)
		after := awaitEntries(s, shown)[shown-1].Cursor
		for _, event := range []string{"test:reached", "call", "delivery"} {
			write[event]()
			after = awaitEntry(s, watch, after, event).Cursor
			shown++
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Errorf("transaction %s: %v", name, err)
		}
	}
}

// TestWritersOfTheTenantDelay checks that no entry is shown before one of a transaction
// that can add entries for its tenant, whether this commits or not.
func TestWritersOfTheTenantDelay(t *testing.T) {
	s := servertest.New(t)
	write := writers(s)
	shown := len(awaitEntries(s, 1))
	many := make([]uuid.UUID, 51)
	for i := range many {
		many[i] = s.TenantID("globex")
	}
	type steps = []func(s *servertest.Server, tx pgx.Tx) error
	for name, before := range map[string]steps{
		"announced before":                              {announce("acme")},
		"announced with other tenant":                   {announce("globex", "acme")},
		"announced nothing":                             {},
		"wrote for another tenant":                      {writeFor("globex")},
		"has only locked a row":                         {statement("select from tenants where name = 'globex' for key share")},
		"announced too many":                            {statement("select announce_tenants($1)", many)},
		"announced in a savepoint that was rolled back": {statement("savepoint a"), announce("globex"), statement("rollback to a")},
	} {
		for _, commit := range []bool{true, false} {
			late := begin(s, s.DB, before...)
			if err := cmp.Or(statement("select from tenants for key share")(s, late), statement("select pg_current_xact_id()")(s, late)); err != nil {
				t.Fatal(err)
			}
			for _, event := range []string{"test:reached", "call", "delivery"} {
				write[event]()
			}
			if got := list(s, feed.Query{}); len(got) != shown {
				t.Errorf("%s: entries are shown while an older transaction is in progress: %v", name, events(got[shown:]))
			}
			if err := writeFor("acme")(s, late); err != nil {
				t.Fatal(err)
			}
			want := []string{"test:reached", "call", "delivery"}
			if commit {
				want = slices.Insert(want, 0, "late:first")
				if err := late.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
			} else if err := late.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := events(awaitEntries(s, shown+len(want))[shown:]); !slices.Equal(got, want) {
				t.Errorf("%s, committed %v: events %v, want %v", name, commit, got, want)
			}
			shown += len(want)
		}
	}
}

// TestDeletionsDoNotDelay checks that background steps which delete many rows announce
// that they add no entries for other tenants, before they lock the first row.
func TestDeletionsDoNotDelay(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	hook := acme.Subscribe("http://127.0.0.1:1/")
	s.Publish("acme", "a:first", "a:second")
	s.Exec("update deliveries set state = 'dead'")
	s.Exec(`
		insert into feed (tenant_id, at, event, data)
		select $1, now(), 'test:written', '{}'
		from generate_series(1, 10001)`, s.TenantID("acme"))
	s.Exec(`
		insert into attempt_batches (tenant_id, xid, attempt_count, attempts)
		select $1, n::text::xid8, 10000, '{}'
		from generate_series(1, 2) n`, s.TenantID("acme"))
	s.Exec(`
		create table deletions (name text, announced boolean);
		create function note_deletion() returns trigger language plpgsql as $$
		begin
			insert into deletions
			select tg_table_name, exists (
				select from pg_locks
				where pid = pg_backend_pid() and locktype = 'advisory' and classid = 'feed'::regclass and objid = 0
			);
			return old;
		end $$`)
	for _, table := range []string{"deliveries", "events", "attempt_batches", "feed"} {
		s.Exec("create trigger note_deletion before delete on " + table + " for each row execute function note_deletion()")
	}
	for _, step := range []struct {
		name   string
		before func()
		do     func() error
	}{
		{"Trim of deliveries", func() {}, func() error { return delivery.Trim(t.Context(), s.DB, time.Now().Add(365*24*time.Hour)) }},
		{"Trim of the feed", func() {}, func() error { return feed.Trim(t.Context(), s.DB) }},
		{"Purge", func() {
			s.Publish("acme", "a:third")
			acme.Do("DELETE /hooks/"+hook, "").Want(t, http.StatusNoContent)
		}, func() error { return delivery.Purge(t.Context(), s.DB) }},
	} {
		step.before()
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		all := servertest.Value[int](s, "select count(*) from deletions")
		if unannounced := servertest.Value[string](s, "select coalesce(string_agg(distinct name, ' '), '') from deletions where not announced"); all == 0 || unannounced != "" {
			t.Errorf("%s: %d deletions, not announced: %s", step.name, all, unannounced)
		}
		s.Exec("truncate deletions")
	}
}

// TestEntriesOnlyOfAnnouncedTenants checks that every transaction which adds entries has
// announced all their tenants: one that announces others could be skipped, and one that
// announces none delays all readers.
func TestEntriesOnlyOfAnnouncedTenants(t *testing.T) {
	s := servertest.New(t)
	s.Exec(`
		create function check_announced() returns trigger language plpgsql as $$
		begin
			if (
				select count(distinct objid)
				from pg_locks
				where pid = pg_backend_pid()
				and locktype = 'advisory'
				and classid = 'feed'::regclass
				and objid::int in (0, tenant_lock_key(new.tenant_id))
			) < 2 then
				raise exception 'entry in % of a tenant that is not announced', tg_table_name;
			end if;
			return new;
		end $$`)
	for _, table := range []string{"feed", "call_batches", "attempt_batches"} {
		s.Exec("create trigger check_announced before insert on " + table + " for each row execute function check_announced()")
	}
	write := writers(s)
	s.RunDispatcher()
	receiver := servertest.NewReceiver(t)
	for _, client := range []servertest.Client{s.Acme(), s.Globex()} {
		client.Subscribe(receiver.URL)
		client.SubmitFile("sov.csv", []byte("Location,Address\n1,1 Main St\n"))
	}
	s.Settle()
	write["call"]()
	for _, event := range []string{"universal_submit:completed", "call", "delivery"} {
		servertest.Until(t, "the feed has "+event, func() bool { return len(list(s, feed.Query{Filter: feed.Filter{Event: event}})) > 0 })
	}
}
