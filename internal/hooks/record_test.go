package hooks

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/internal/storage/storagetest"
)

// TestRecordedIsNotRenewed: what was recorded while its lease was about to be
// renewed has none, so that its next attempt waits for no lease to end.
func TestRecordedIsNotRenewed(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now()
	if _, err := db.Exec(ctx, `
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
			returning id
		)
		insert into deliveries (hook_id, id, tenant_id, activation, event_id, event, due_at, enqueued_at, created_at, updated_at)
		select hook.id, gen_random_uuid(), tenant_id, 0, event.id, 'a:b', $1, now(), now(), now()
		from hook, event`, now); err != nil {
		t.Fatal(err)
	}
	taken, err := claim(ctx, db, now, nil, 1)
	if err != nil || len(taken) != 1 {
		t.Fatal(taken, err)
	}
	work := taken[0]
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
