package delivery

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/storage/storagetest"
)

// TestLargeBodiesAreNotClaimed checks that a claim reads small bodies only, and that a
// large one is read for its attempt.
func TestLargeBodiesAreNotClaimed(t *testing.T) {
	t.Parallel()
	db, now := storagetest.DB(t), time.Now()
	const count = 20
	if _, err := db.Exec(t.Context(), `
		create function enlarge() returns trigger language plpgsql as $$
		begin
			new.body = convert_to(repeat('b', 1 << 20), 'UTF8');
			return new;
		end $$;
		create trigger enlarge before insert on events for each row execute function enlarge()`); err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, delivery := range claimNew(t, db, now, count) {
		held += len(delivery.Body)
		if delivery.LargeBytes != 1<<20 {
			t.Errorf("the claim counts %d bytes of a body of %d", delivery.LargeBytes, 1<<20)
		}
		body, err := delivery.body(t.Context(), db)
		if want := bytes.Repeat([]byte("b"), 1<<20); err != nil || !bytes.Equal(body, want) {
			t.Errorf("body of %d bytes (%v), want %d", len(body), err, len(want))
		}
	}
	if held > count*maxClaimedBody {
		t.Errorf("%d claimed deliveries hold %d bytes, want at most %d each", count, held, maxClaimedBody)
	}
}

// TestTenantsAlternateInClaims checks that the first claim contains deliveries of every tenant, although one tenant has
// due deliveries for more subscriptions than a claim can serve.
func TestTenantsAlternateInClaims(t *testing.T) {
	t.Parallel()
	db, now := storagetest.DB(t), time.Now()
	const others, events, subscriptions = 5, 20, 500
	add := func(subscriptions int) {
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
			from hook, event`, now, subscriptions, events); err != nil {
			t.Fatal(err)
		}
	}
	add(subscriptions)
	for range others {
		add(1)
	}
	taken, err := claim(t.Context(), db, now, nil, defaultQuota)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[uuid.UUID]int{}
	for _, delivery := range taken {
		counts[delivery.TenantID]++
	}
	if len(counts) != others+1 || len(taken) != maxBatch {
		t.Errorf("the claim of %d deliveries has those of %d tenants, want %d", len(taken), len(counts), others+1)
	}
}
