package delivery

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/feed"
	"understudy.example/internal/storage/storagetest"
)

// addDeliveries creates a tenant with hooks and events. Each event has a due delivery to each hook.
func addDeliveries(t *testing.T, db *pgxpool.Pool, now time.Time, hooks, events int) {
	t.Helper()
	if _, err := db.Exec(t.Context(), `
		with tenant as (
			insert into tenants (id, name, created_at)
			values (gen_random_uuid(), gen_random_uuid(), now())
			returning id
		), hook as (
			insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
			select gen_random_uuid(), id, id, true, '{*}', 'http://127.0.0.1:1/', now(), now()
			from tenant
			cross join generate_series(1, $2)
			returning id, tenant_id
		), event as (
			insert into events (tenant_id, id, event, tx_id, body, created_at)
			select id, gen_random_uuid(), 'a:b', '', '', now()
			from tenant
			cross join generate_series(1, $3)
			returning id
		)
		insert into deliveries (hook_id, id, tenant_id, activation, event_id, event, due_at, enqueued_at, created_at, updated_at)
		select hook.id, gen_random_uuid(), tenant_id, 0, event.id, 'a:b', $1, now(), now(), now()
		from hook, event`, now, hooks, events); err != nil {
		t.Fatal(err)
	}
}

// claimNew creates a tenant with n deliveries and claims them. It returns them in
// the order of their ids.
func claimNew(t *testing.T, db *pgxpool.Pool, now time.Time, n int) []claimed {
	t.Helper()
	addDeliveries(t, db, now, 1, n)
	taken, err := claim(t.Context(), db, now, nil, n)
	if err != nil || len(taken) != n {
		t.Fatal(taken, err)
	}
	sortInLockOrder(taken, func(delivery claimed) (uuid.UUID, uuid.UUID) { return delivery.HookID, delivery.ID })
	return taken
}

// TestRecordedDeliveryIsNotRenewed checks that the lease of a delivery which was
// recorded in the meantime is not renewed, so that its next attempt need not wait
// until the lease expires.
func TestRecordedDeliveryIsNotRenewed(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now()
	delivery := claimNew(t, db, now, 1)[0]
	held := map[uuid.UUID]lease{delivery.ID: {hookID: delivery.HookID, attempt: delivery.Attempt}}
	if renewed, err := renewLeases(ctx, db, held, now); err != nil || len(renewed) != 1 {
		t.Fatal(renewed, err)
	}
	if _, err := record(ctx, db, []result{attemptResult(delivery, now, Outcome{Status: 500})}, now); err != nil {
		t.Fatal(err)
	}
	if renewed, err := renewLeases(ctx, db, held, now); err != nil || len(renewed) != 0 {
		t.Errorf("renewed %v after it was recorded (%v)", renewed, err)
	}
}

// TestResultOfEarlierDeliveryIsNotRecorded checks that the result of a delivery has no
// effect on a later one with the same ids, which a tenant with an id seed has after a
// reset: the two have different activations.
func TestResultOfEarlierDeliveryIsNotRecorded(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now()
	delivery := claimNew(t, db, now, 1)[0]
	if _, err := db.Exec(ctx, "update deliveries set activation = activation + 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := record(ctx, db, []result{attemptResult(delivery, now, Outcome{Status: 200})}, now); err != nil {
		t.Fatal(err)
	}
	var state string
	if err := db.QueryRow(ctx, "select state from deliveries").Scan(&state); err != nil || state != pending {
		t.Errorf("state %q, want %s (%v)", state, pending, err)
	}
}

// TestAttemptFeed checks that attempts which are recorded together are in the feed
// in the order of their times, with the fields with which they are shown elsewhere.
func TestAttemptFeed(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now().Truncate(time.Microsecond)
	deliveries := claimNew(t, db, now, 3)
	outcomes := []Outcome{{Failure: failedRefused, Duration: 3 * time.Millisecond}, {Status: 204}, {Status: 302, Failure: failedRedirect}}
	results := make([]result, len(deliveries))
	for i, delivery := range deliveries { // the last one began first
		results[i] = attemptResult(delivery, now.Add(-time.Duration(i)*time.Second), outcomes[i])
		results[i].attemptID, results[i].url = AttemptID(delivery.ID, delivery.Attempt), "http://127.0.0.1:1/"
	}
	if _, err := record(ctx, db, results, now); err != nil {
		t.Fatal(err)
	}
	tenantID := deliveries[0].TenantID
	want, err := Attempts(ctx, db, tenantID, now.Add(-time.Minute), now)
	if err != nil || len(want) != len(deliveries) || want[0].RequestID != deliveries[2].ID {
		t.Fatal(want, err)
	}
	entries, err := AttemptFeed{}.Entries(ctx, db, feed.Query{
		Filter: feed.Filter{TenantID: tenantID, Before: feed.Cursor{XID: math.MaxInt64}}, Limit: 10,
	})
	if err != nil || len(entries) != len(want) {
		t.Fatalf("%d entries, want %d (%v)", len(entries), len(want), err)
	}
	for i, entry := range entries {
		text, err := json.Marshal(want[i])
		if err != nil {
			t.Fatal(err)
		}
		if string(entry.Data) != string(text) || !time.Time(entry.At).Equal(want[i].At) || entry.Event != "delivery" {
			t.Errorf("entry %d: %s at %s, want %s at %s", i, entry.Data, entry.At, text, want[i].At)
		}
	}
}
