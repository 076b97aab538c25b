package universal

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// TestClaimCostIsIndependentOfWaitingSubmissions checks that a claim reads few pages while
// another tenant, which already uses its share of the server, has 60,000 submissions that
// have been due for longer.
func TestClaimCostIsIndependentOfWaitingSubmissions(t *testing.T) {
	t.Parallel()
	db, full := newTenant(t)
	insertSubmission(t, db, full, Started)
	other := uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'other', $2)", other, at); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), `
		insert into submissions (tx_id, tenant_id, user_id, filename, search, created_at, upload_expires_at, aged_from, status, started_at, due_at, object_key, size, sha256, uploaded_at)
		select gen_random_uuid(), tenant_id, user_id, filename, search, created_at, upload_expires_at, aged_from, status, started_at,
			due_at - n * interval '1 second', object_key, size, sha256, uploaded_at
		from submissions, generate_series(1, 60000) n`); err != nil {
		t.Fatal(err)
	}
	want := insertSubmission(t, db, other, Started)
	if _, err := db.Exec(t.Context(), "vacuum analyze submissions"); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), "set local plan_cache_mode = "+mode); err != nil {
			t.Fatal(err)
		}
		var plans []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		if err := tx.QueryRow(t.Context(), "explain (analyze, buffers, format json)"+claimStatement, claimArguments(at, []uuid.UUID{full}, nil, nil, 1, 6, 6)).Scan(&plans); err != nil {
			t.Fatal(err)
		}
		if pages := plans[0].Plan.Hit + plans[0].Plan.Read; pages > 200 {
			t.Errorf("%s: a claim reads %d pages, want at most 200", mode, pages)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	work, err := claimOne(t.Context(), db, at, []uuid.UUID{full}, 1)
	if err != nil || work.TxID != want {
		t.Errorf("claim of %s, %v, want %s", work.TxID, err, want)
	}
	if _, err := claimOne(t.Context(), db, at, []uuid.UUID{full, other}, 1); err != pgx.ErrNoRows {
		t.Errorf("claim of no tenant: %v, want none", err)
	}
}

// TestBatchOfClaimsIsFair checks that a batch has documents of each tenant in turn, and no
// more of a tenant than its share, even if there are idle workers.
func TestBatchOfClaimsIsFair(t *testing.T) {
	t.Parallel()
	db, flooding := newTenant(t)
	for range 10 {
		insertSubmission(t, db, flooding, Started)
	}
	if _, err := db.Exec(t.Context(), "update submissions set due_at = due_at - interval '1 minute'"); err != nil {
		t.Fatal(err)
	}
	other := uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'other', $2)", other, at); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		insertSubmission(t, db, other, Started)
	}
	for _, c := range []struct {
		busy                    []uuid.UUID
		most                    int
		wantFlooding, wantOther int
	}{
		{nil, 2, 1, 1}, {[]uuid.UUID{flooding, other}, 6, 2, 1}, {[]uuid.UUID{flooding, flooding, flooding, other, other}, 6, 0, 0},
	} {
		works, err := claimDue(t.Context(), db, at, c.busy, nil, nil, 3, c.most, c.most)
		if err != nil {
			t.Fatal(err)
		}
		claims := map[uuid.UUID]int{}
		for _, work := range works {
			claims[work.TenantID]++
		}
		if claims[flooding] != c.wantFlooding || claims[other] != c.wantOther {
			t.Errorf("busy %v: claimed %v, want %d and %d", c.busy, claims, c.wantFlooding, c.wantOther)
		}
	}
}

// TestClaimIsFair checks that a claim prefers the tenant with fewer documents in flight to
// one whose documents have been due for longer.
func TestClaimIsFair(t *testing.T) {
	t.Parallel()
	db, flooding := newTenant(t)
	for range 3 {
		insertSubmission(t, db, flooding, Started)
	}
	other := uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'other', $2)", other, at); err != nil {
		t.Fatal(err)
	}
	insertSubmission(t, db, other, Started)
	if _, err := db.Exec(t.Context(), "update submissions set due_at = due_at - interval '1 minute' where tenant_id = $1", flooding); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		busy []uuid.UUID
		want uuid.UUID
	}{
		{nil, flooding}, {[]uuid.UUID{flooding}, other}, {[]uuid.UUID{flooding, other}, flooding},
	} {
		work, err := claimOne(t.Context(), db, at, c.busy, 2)
		if err != nil || work.TenantID != c.want {
			t.Errorf("busy %v: claim of a document of %s, %v, want one of %s", c.busy, work.TenantID, err, c.want)
		}
	}
}
