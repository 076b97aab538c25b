package universal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
)

// subscribeToAll makes every event of the tenant leave a row: an event without a
// subscription leaves none.
func subscribeToAll(t *testing.T, db *pgxpool.Pool, tenantID uuid.UUID) {
	t.Helper()
	if _, err := db.Exec(t.Context(), `
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		values ($1, $2, $1, true, '{*}', 'http://127.0.0.1:9', $3, $3)`, uuid.New(), tenantID, at); err != nil {
		t.Fatal(err)
	}
}

// applyAll applies the transitions and returns the ids of the submissions that
// moved.
func applyAll(t *testing.T, db *pgxpool.Pool, transitions ...transition) (ids []string) {
	t.Helper()
	if err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
		moved, _, err := apply(t.Context(), tx, at, transitions...)
		for _, s := range moved {
			ids = append(ids, s.TxID.String())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ids
}

// allowedTransitions returns every transition that the schema allows, of the
// submission.
func allowedTransitions(id uuid.UUID, tenant auth.Tenant) []transition {
	company, location, failure, due := "CUS1", "LUS1", "unreadable", at.Add(time.Second)
	return []transition{
		{txID: id, tenant: tenant, from: Pending, reached: []reached{{InProgress, at}}, dueAt: &due},
		{txID: id, tenant: tenant, from: InProgress, reached: []reached{{Scheduled, at}}, dueAt: &due},
		{txID: id, tenant: tenant, from: Scheduled, reached: []reached{{Started, at}}, dueAt: &due},
		{txID: id, tenant: tenant, from: Started, reached: []reached{{Completed, at}}, result: result{reports: reportIDs{&company, &location}}},
		{txID: id, tenant: tenant, from: Started, reached: []reached{{Failed, at}}, result: result{failure: &failure}},
	}
}

// TestRefusedTransitionChangesNothing checks that apply leaves a submission alone
// that is in another state, held by another attempt, without a file, or deleted.
func TestRefusedTransitionChangesNothing(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	subscribeToAll(t, db, tenantID)
	tenant := auth.Tenant{ID: tenantID, Name: "acme"}
	refused := func(name string, move transition) {
		t.Helper()
		before := allRows(t, db)
		if moved := applyAll(t, db, move); len(moved) != 0 {
			t.Errorf("%s: the submission moved from %s to %s", name, move.from, move.to())
		}
		if diff := cmp.Diff(before, allRows(t, db)); diff != "" {
			t.Errorf("%s: rows changed by %s to %s:\n%s", name, move.from, move.to(), diff)
		}
	}
	for _, state := range States {
		for _, move := range allowedTransitions(insertSubmission(t, db, tenantID, state), tenant) {
			if move.from != state {
				refused("submission in "+state, move)
			}
		}
	}
	taken := insertSubmission(t, db, tenantID, Started)
	if _, err := db.Exec(t.Context(), "update submissions set attempt = 2, lease_until = $2 where tx_id = $1", taken, at.Add(leaseDuration)); err != nil {
		t.Fatal(err)
	}
	for _, attempt := range []int{0, 1, 3} {
		for _, move := range allowedTransitions(taken, tenant)[3:] {
			move.held = &claimed{Attempt: attempt, ObjectKey: "acme/a"}
			refused("submission of another attempt", move)
		}
	}
	announced := insertSubmission(t, db, tenantID, Pending)
	if _, err := db.Exec(t.Context(), "update submissions set object_key = null, size = null, sha256 = null, uploaded_at = null where tx_id = $1", announced); err != nil {
		t.Fatal(err)
	}
	refused("submission without a file", allowedTransitions(announced, tenant)[0])
	for _, move := range allowedTransitions(uuid.New(), tenant) {
		refused("unknown submission", move)
	}
}

// TestBatchMovesOnlyMatchingSubmissions checks that apply makes those transitions
// of a batch that it can, and records them in the batch's order.
func TestBatchMovesOnlyMatchingSubmissions(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	subscribeToAll(t, db, tenantID)
	tenant := auth.Tenant{ID: tenantID, Name: "acme"}
	var batch []transition
	var want []string
	const pairs = 20
	for range pairs {
		moving, resting := insertSubmission(t, db, tenantID, InProgress), insertSubmission(t, db, tenantID, Started)
		want = append([]string{moving.String()}, want...) // not the order of the table
		batch = append([]transition{allowedTransitions(moving, tenant)[1], allowedTransitions(resting, tenant)[1]}, batch...)
	}
	if diff := cmp.Diff(want, applyAll(t, db, batch...)); diff != "" {
		t.Errorf("moved submissions (- want, + got):\n%s", diff)
	}
	for name, sql := range map[string]string{
		"feed":   "select string_agg(tx_id, ' ' order by seq) from feed",
		"events": "select string_agg(convert_from(body, 'UTF8')::json #>> '{data,tx_id}', ' ' order by id) from events",
	} {
		var got string
		if err := db.QueryRow(t.Context(), sql).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.Fields(got)); diff != "" {
			t.Errorf("%s (- want, + got):\n%s", name, diff)
		}
	}
	var timeline int
	if err := db.QueryRow(t.Context(), "select count(*) from submission_timeline where status = $1", Scheduled).Scan(&timeline); err != nil {
		t.Fatal(err)
	}
	if timeline != pairs {
		t.Errorf("%d timeline entries, want %d", timeline, pairs)
	}
}
