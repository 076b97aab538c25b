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
// due deliveries for more subscriptions than a claim can serve, and that it contains few for each of these.
func TestTenantsAlternateInClaims(t *testing.T) {
	t.Parallel()
	db, now := storagetest.DB(t), time.Now()
	const others, events, subscriptions = 5, 20, 500
	addDeliveries(t, db, now, subscriptions, events)
	for range others {
		addDeliveries(t, db, now, 1, events)
	}
	taken, err := claim(t.Context(), db, now, nil, defaultQuota)
	if err != nil {
		t.Fatal(err)
	}
	counts, subscribed := map[uuid.UUID]int{}, map[uuid.UUID]bool{}
	for _, delivery := range taken {
		counts[delivery.TenantID]++
		subscribed[delivery.HookID] = true
	}
	if want := len(taken) - others*(defaultQuota-1); len(subscribed) != want {
		t.Errorf("the claim has deliveries of %d subscriptions, want %d", len(subscribed), want)
	}
	if len(counts) != others+1 || len(taken) != maxBatch {
		t.Errorf("the claim of %d deliveries has those of %d tenants, want %d", len(taken), len(counts), others+1)
	}
}
