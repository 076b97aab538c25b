package delivery

import (
	"bytes"
	"testing"
	"time"

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
