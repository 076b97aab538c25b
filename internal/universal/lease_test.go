package universal

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/extract"
	"understudy.example/internal/worker"
)

// claimOne is claimDue for one submission. The error is pgx.ErrNoRows if there is none to
// claim.
func claimOne(ctx context.Context, db *pgxpool.Pool, now time.Time, busy []uuid.UUID, share int) (claimed, error) {
	works, err := claimDue(ctx, db, now, busy, nil, nil, share, 1, 1)
	if err == nil && len(works) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return claimed{}, err
	}
	return works[0], nil
}

// TestExpiredLeaseIsTakenOver checks that a submission whose server died is
// claimed again once the lease has expired, and not before.
func TestExpiredLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	id, objects := insertDue(t, db, tenantID)
	first, err := claimOne(t.Context(), db, at, nil, 1)
	if err != nil || first.TxID != id || first.Attempt != 1 {
		t.Fatalf("claim %+v, %v", first, err)
	}
	for _, now := range []time.Time{at, at.Add(time.Second), at.Add(leaseDuration - time.Microsecond)} {
		if _, err := claimOne(t.Context(), db, now, nil, 1); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("claimed again after %v: %v", now.Sub(at), err)
		}
	}
	if leaseDuration < 10*time.Second || leaseDuration > 20*time.Second {
		t.Errorf("lease of %v, want 10 s to 20 s", leaseDuration)
	}
	if _, err := processOnce(t, db, objects, at.Add(leaseDuration)); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, db, id); got != Completed {
		t.Errorf("status %s, want %s", got, Completed)
	}
}

// TestAttemptOfEarlierFileHasNoEffect checks that an attempt has no effect on a later
// submission with the same tx_id, which a tenant with an id seed has after a reset: the
// two have different files.
func TestAttemptOfEarlierFileHasNoEffect(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	id, _ := insertDue(t, db, tenantID)
	work, err := claimOne(t.Context(), db, at, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "update submissions set object_key = 'acme/later'"); err != nil {
		t.Fatal(err)
	}
	if held, err := fail(t.Context(), db, work, "of the earlier file", at); held != nil || err != nil {
		t.Fatalf("held %v, %v, want nil", held, err)
	}
	if renewed, err := updateAttempt(t.Context(), db, work, "lease_until = null", pgx.StrictNamedArgs{}); renewed || err != nil {
		t.Errorf("the lease of the later submission was changed (%v)", err)
	}
	if got := statusOf(t, db, id); got != Started {
		t.Errorf("status %s, want %s", got, Started)
	}
}

// TestReleaseLeases checks that the submissions of a dead server can be claimed
// at once when its leases are released.
func TestReleaseLeases(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	id, objects := insertDue(t, db, tenantID)
	if _, err := claimOne(t.Context(), db, at, nil, 1); err != nil {
		t.Fatal(err)
	}
	if err := ReleaseLeases(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if _, err := processOnce(t, db, objects, at); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, db, id); got != Completed {
		t.Errorf("status %s, want %s", got, Completed)
	}
}

// TestLateAttemptChangesNothing checks that an attempt whose submission was
// claimed again, or has ended, changes no row.
func TestLateAttemptChangesNothing(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	id, _ := insertDue(t, db, tenantID)
	late, err := claimOne(t.Context(), db, at, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	now := at.Add(leaseDuration)
	holder, err := claimOne(t.Context(), db, now, nil, 1)
	if err != nil || holder.Attempt != 2 {
		t.Fatalf("claim %+v, %v", holder, err)
	}
	end := ending{extraction: &extract.Extraction{}}
	if end.completion, err = newCompletion(end, now); err != nil {
		t.Fatal(err)
	}
	checkNoChange := func(late claimed) {
		t.Helper()
		before := allRows(t, db)
		completed, completeErr := complete(t.Context(), db, late, end, now)
		failed, failErr := fail(t.Context(), db, late, "too late", now)
		if completed != nil || failed != nil {
			t.Errorf("held: complete returned %v, fail %v, want nil", completed, failed)
		}
		_, postponeErr := postpone(t.Context(), db, late, time.Minute)
		for name, err := range map[string]error{
			"complete":          completeErr,
			"fail":              failErr,
			"postpone":          postponeErr,
			"releaseAfterError": releaseAfterError(t.Context(), db, late, now),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if diff := cmp.Diff(before, allRows(t, db)); diff != "" {
			t.Errorf("attempt %d changed rows:\n%s", late.Attempt, diff)
		}
	}
	checkNoChange(late)
	if held, err := complete(t.Context(), db, holder, end, now); held == nil || err != nil {
		t.Fatalf("held %v, %v, want work", held, err)
	}
	if got := statusOf(t, db, id); got != Completed {
		t.Errorf("status %s, want %s", got, Completed)
	}
	checkNoChange(late)
	checkNoChange(holder) // a second time
}

// TestConcurrentClaims checks that each submission is claimed once, however many
// servers claim at the same time.
func TestConcurrentClaims(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	const submissions = 40
	for range submissions {
		insertSubmission(t, db, tenantID, Started)
	}
	var mu sync.Mutex
	var servers sync.WaitGroup
	claims := map[uuid.UUID]int{}
	for range 8 {
		servers.Go(func() {
			for {
				work, err := claimOne(t.Context(), db, at, nil, 1)
				if errors.Is(err, pgx.ErrNoRows) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				claims[work.TxID]++
				mu.Unlock()
			}
		})
	}
	servers.Wait()
	if len(claims) != submissions {
		t.Errorf("%d submissions claimed, want %d", len(claims), submissions)
	}
	for id, times := range claims {
		if times != 1 {
			t.Errorf("%s claimed %d times, want once", id, times)
		}
	}
}

// TestTenantShare checks that no more of a tenant's submissions are processed at
// a time on one server than its share, however many steps claim at the same moment.
func TestTenantShare(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	const share, steps, rounds = 2, 8, 20
	for range share * rounds {
		insertSubmission(t, db, tenantID, Started)
	}
	workers := worker.NewPool(2*share, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	processor := &Processor{DB: db, Workers: workers, Share: share, Now: func() time.Time { return at }}
	for round := range rounds {
		var mu sync.Mutex
		var held []claimed
		var claims sync.WaitGroup
		for range steps {
			claims.Go(func() {
				works, err := processor.claim(t.Context(), 2*share, 0)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				held = append(held, works...)
			})
		}
		claims.Wait()
		if len(held) != share {
			t.Fatalf("round %d: %d submissions claimed at once, want %d", round, len(held), share)
		}
		for _, work := range held {
			processor.end(work.TenantID)
		}
	}
}

// TestShareIgnoresLeasesOfOtherServers checks that the leases of another server, which
// may be frozen or dead, do not count toward the tenant's share of this server.
func TestShareIgnoresLeasesOfOtherServers(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	const share = 2
	for range 2 * share {
		insertSubmission(t, db, tenantID, Started)
	}
	workers := worker.NewPool(2*share, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	frozen := &Processor{DB: db, Workers: workers, Share: share, Now: func() time.Time { return at }}
	living := &Processor{DB: db, Workers: workers, Share: share, Now: func() time.Time { return at.Add(time.Second) }}
	for _, processor := range []*Processor{frozen, living} {
		if works, err := processor.claim(t.Context(), 2*share, 0); err != nil || len(works) != share {
			t.Fatalf("%d submissions claimed, %v, want %d", len(works), err, share)
		}
	}
}
