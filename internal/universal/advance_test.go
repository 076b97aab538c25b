package universal_test

import (
	"context"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// TestAdvanceOfManyTenants checks that one transaction moves the submissions of only as
// many tenants as it can announce to the readers of feeds, and that the next one moves the
// others.
func TestAdvanceOfManyTenants(t *testing.T) {
	s := servertest.New(t)
	s.Acme().SubmitFile("a.txt", servertest.Letter)
	const tenants = storage.MaxAnnounced + 5
	s.Exec(`
		insert into tenants (id, name, created_at)
		select gen_random_uuid(), 'many-' || n, $2
		from generate_series(2, $1) n`, tenants, s.Now())
	s.Exec(`
		insert into submissions
		select (jsonb_populate_record(s, jsonb_build_object('tx_id', gen_random_uuid(), 'tenant_id', t.id, 'object_key', t.id::text))).*
		from submissions s
		cross join tenants t
		where t.name like 'many-%'`)
	s.Exec("update submissions set due_at = $1", s.Now())
	for _, want := range []int{storage.MaxAnnounced, tenants} {
		if _, err := universal.Advance(t.Context(), s.DB, s.Now()); err != nil {
			t.Fatal(err)
		}
		if moved := servertest.Value[int](s, "select count(*) from submissions where status = 'Scheduled'"); moved != want {
			t.Errorf("%d submissions were moved, want %d", moved, want)
		}
	}
}

// TestAdvancePassesALockedTenant checks that a tenant whose row is locked, and which has
// more due submissions than a batch, does not delay the others.
func TestAdvancePassesALockedTenant(t *testing.T) {
	s := servertest.New(t)
	s.Acme().SubmitFile("a.txt", servertest.Letter)
	s.Exec(`
		insert into submissions
		select (jsonb_populate_record(s, jsonb_build_object('tx_id', gen_random_uuid(), 'object_key', n::text))).*
		from submissions s
		cross join generate_series(1, 600) n`)
	s.Exec("update submissions set due_at = $1", s.Now())
	txID := s.Globex().SubmitFile("b.txt", servertest.Letter)
	s.Exec("update submissions set due_at = $1 where tx_id = $2", s.Now(), txID)
	lock, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback(context.Background())
	if _, err := lock.Exec(t.Context(), "select from tenants where name = 'acme' for update"); err != nil {
		t.Fatal(err)
	}
	if _, err := universal.Advance(t.Context(), s.DB, s.Now()); err != nil {
		t.Fatal(err)
	}
	if got := servertest.Value[string](s, "select string_agg(tx_id::text, ' ') from submissions where status = 'Scheduled'"); got != txID {
		t.Errorf("moved: %s, want %s", got, txID)
	}
}
