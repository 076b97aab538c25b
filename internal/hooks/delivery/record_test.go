package delivery

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// claimedOf makes a tenant with so many deliveries, and claims them; they come
// in the order of their ids.
func claimedOf(t *testing.T, db *pgxpool.Pool, now time.Time, n int) []claimed {
	t.Helper()
	if _, err := db.Exec(t.Context(), `
		with tenant as (
			insert into tenants (id, name, created_at)
			values (gen_random_uuid(), 'acme', now())
			returning id
		), hook as (
			insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
			select gen_random_uuid(), id, id, true, '{*}', 'http://127.0.0.1:1/', now(), now()
			from tenant
			returning id, tenant_id
		), event as (
			insert into events (tenant_id, id, event, body, created_at)
			select tenant_id, gen_random_uuid(), 'a:b', '', now()
			from hook
			cross join generate_series(1, $2)
			returning id
		)
		insert into deliveries (hook_id, id, tenant_id, activation, event_id, event, due_at, enqueued_at, created_at, updated_at)
		select hook.id, gen_random_uuid(), tenant_id, 0, event.id, 'a:b', $1, now(), now(), now()
		from hook, event`, now, n); err != nil {
		t.Fatal(err)
	}
	taken, err := claim(t.Context(), db, now, nil, n)
	if err != nil || len(taken) != n {
		t.Fatal(taken, err)
	}
	inOrder(taken, func(work claimed) (uuid.UUID, uuid.UUID) { return work.HookID, work.ID })
	return taken
}

// TestRecordedIsNotRenewed: what was recorded while its lease was about to be
// renewed has none, so that its next attempt waits for no lease to end.
func TestRecordedIsNotRenewed(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now()
	work := claimedOf(t, db, now, 1)[0]
	held := map[uuid.UUID]holding{work.ID: {hookID: work.HookID, attempt: work.Attempt}}
	if kept, err := renew(ctx, db, held, now); err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	if err := record(ctx, db, []result{attempted(work, now, Outcome{Status: 500})}, now); err != nil {
		t.Fatal(err)
	}
	if kept, err := renew(ctx, db, held, now); err != nil || len(kept) != 0 {
		t.Errorf("renewed %v after it was recorded (%v)", kept, err)
	}
}

// TestFeedTellsOfAttempts: those that are recorded together are told in the
// order of their time, in the words in which they are shown elsewhere.
func TestFeedTellsOfAttempts(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now().Truncate(time.Microsecond)
	taken := claimedOf(t, db, now, 3)
	outcomes := []Outcome{{Failure: failedRefused, Duration: 3 * time.Millisecond}, {Status: 204}, {Status: 302, Failure: failedRedirect}}
	results := make([]result, len(taken))
	for i, work := range taken { // the last one began first
		results[i] = attempted(work, now.Add(-time.Duration(i)*time.Second), outcomes[i])
		results[i].attemptID, results[i].url = attemptID(work.ID, work.Attempt), "http://127.0.0.1:1/"
	}
	if err := record(ctx, db, results, now); err != nil {
		t.Fatal(err)
	}
	want, err := Attempts(ctx, db, taken[0].TenantID, now.Add(-time.Minute), now)
	if err != nil || len(want) != len(taken) || want[0].RequestID != taken[2].ID {
		t.Fatal(want, err)
	}
	told, err := storage.All[struct {
		At   time.Time
		Data map[string]any
	}](ctx, db, `
		select at, shown(attempt) as data
		from happened
		where kind = 'delivery'
		order by xid, seq`,
		pgx.StrictNamedArgs{})
	if err != nil || len(told) != len(want) {
		t.Fatalf("%d attempts are told of, want %d (%v)", len(told), len(want), err)
	}
	for i := range want {
		text, err := json.Marshal(want[i])
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(told[i].Data, fields) || !told[i].At.Equal(want[i].At) {
			t.Errorf("the feed tells %v at %s, want %v at %s", told[i].Data, told[i].At, fields, want[i].At)
		}
	}
}
