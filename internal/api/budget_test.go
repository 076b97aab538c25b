package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

const megabyte = 1 << 20

// reserved is the outcome of a call of Reserve.
type reserved struct {
	room *Room
	err  error
	took time.Duration
}

// reserve calls Reserve in the background.
func reserve(ctx context.Context, b *Budget, tenant uuid.UUID, bytes int64) <-chan reserved {
	done := make(chan reserved, 1)
	go func() {
		begun := time.Now()
		room, err := b.Reserve(ctx, tenant, bytes)
		done <- reserved{room, err, time.Since(begun)}
	}()
	synctest.Wait()
	return done
}

// newBudgetWithoutKept returns a budget that keeps nothing for medium responses.
func newBudgetWithoutKept(total, perTenant int64) *Budget {
	b := NewBudget(total, perTenant, 5*time.Second)
	b.total, b.kept = total, 0
	return b
}

// TestMediumResponsesDoNotWaitForLargeOnes checks that a tenant's medium response, one at
// a time, is not delayed by tenants that hold and await all memory for large ones.
func TestMediumResponsesDoNotWaitForLargeOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(32*megabyte, 12*megabyte, 5*time.Second)
		var held []*Room
		for range 6 {
			slow := uuid.New()
			for range 3 {
				if r := <-reserve(t.Context(), b, slow, 4*megabyte); r.err == nil {
					held = append(held, r.room)
				}
			}
		}
		if b.Used() != 24*megabyte {
			t.Fatalf("%d bytes used, want all but the quarter that is kept", b.Used())
		}
		victim := uuid.New()
		first := <-reserve(t.Context(), b, victim, megabyte)
		if first.err != nil || first.took > 0 {
			t.Errorf("a medium response: %+v, want no wait", first)
		}
		if second := <-reserve(t.Context(), b, victim, megabyte); !errors.Is(second.err, ErrBusy) {
			t.Errorf("a second one at the same time: %+v, want ErrBusy", second)
		}
		first.room.Release()
		if again := <-reserve(t.Context(), b, victim, megabyte); again.err != nil || again.took > 0 {
			t.Errorf("the next one: %+v, want no wait", again)
		} else {
			again.room.Release()
		}
		for _, room := range held {
			room.Release()
		}
		if b.usedMedium != 0 || len(b.medium) != 0 || b.used != 0 {
			t.Errorf("at the end: %d and %d bytes, %d tenants", b.used, b.usedMedium, len(b.medium))
		}
	})
}

// TestBudget checks that a tenant at its limit waits for its own responses while other
// tenants do not, and that all tenants wait once the total is used.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acme, globex, initech := uuid.New(), uuid.New(), uuid.New()
		b := newBudgetWithoutKept(10*megabyte, 4*megabyte)
		ctx := t.Context()
		first := <-reserve(ctx, b, acme, 100*megabyte) // the limit of a tenant
		if first.err != nil || b.Used() != 4*megabyte {
			t.Fatalf("error %v, %d bytes used, want those of a tenant", first.err, b.Used())
		}
		if small := <-reserve(ctx, b, acme, smallResponse); small.err != nil || small.took > 0 {
			t.Errorf("a small response: %+v", small)
		}
		second := reserve(ctx, b, acme, megabyte)
		other := <-reserve(ctx, b, globex, 4*megabyte)
		if other.err != nil || other.took > 0 {
			t.Errorf("another tenant: %+v, want no wait", other)
		}
		third := reserve(ctx, b, initech, 3*megabyte)
		if refused := <-second; !errors.Is(refused.err, ErrBusy) || refused.took != 5*time.Second {
			t.Errorf("beyond the tenant's share: %+v, want ErrBusy after 5 s", refused)
		}
		if refused := <-third; !errors.Is(refused.err, ErrBusy) {
			t.Errorf("beyond the budget: %+v, want ErrBusy", refused)
		}

		gone, leave := context.WithCancel(ctx)
		left := reserve(gone, b, acme, megabyte)
		waiting := reserve(ctx, b, acme, megabyte)
		leave()
		if hungUp := <-left; !errors.Is(hungUp.err, context.Canceled) {
			t.Errorf("a client that disconnected: %+v", hungUp)
		}
		time.Sleep(time.Second)
		first.room.Release()
		first.room.Release()
		served := <-waiting
		if served.err != nil || served.took != time.Second {
			t.Errorf("after a release: %+v, want room at once", served)
		}
		served.room.Resize(9 * megabyte)
		if refused := <-reserve(ctx, b, globex, megabyte); !errors.Is(refused.err, ErrBusy) {
			t.Errorf("after a resize beyond the budget: %+v, want ErrBusy", refused)
		}
		served.room.Release()
		other.room.Release()
		if b.Used() != 0 || len(b.byTenant) != 0 || len(b.waiting) != 0 {
			t.Errorf("at the end: %d bytes, %d tenants, %d waiting", b.Used(), len(b.byTenant), len(b.waiting))
		}
	})
}

// TestBudgetDoesNotStarve checks that small responses do not overtake a large one that
// waits for the whole budget.
func TestBudgetDoesNotStarve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudgetWithoutKept(4*megabyte, 4*megabyte)
		held := <-reserve(t.Context(), b, uuid.New(), 2*megabyte)
		large := reserve(t.Context(), b, uuid.New(), 4*megabyte)
		small := reserve(t.Context(), b, uuid.New(), megabyte)
		held.room.Release()
		first := <-large
		if first.err != nil {
			t.Fatal(first.err)
		}
		select {
		case <-small:
			t.Error("the small response overtook the large one")
		default:
		}
		first.room.Release()
		if second := <-small; second.err != nil {
			t.Error(second.err)
		}
	})
}

// TestHeldResponsesDoNotPileUp checks that responses which are in memory already do not
// wait if they are too large together, and that others still do.
func TestHeldResponsesDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudgetWithoutKept(32*megabyte, 12*megabyte)
		tenant := uuid.New()
		first := <-reserve(t.Context(), b, tenant, 12*megabyte)
		hold := func(bytes int64) <-chan reserved {
			done := make(chan reserved, 1)
			go func() {
				begun := time.Now()
				room, err := b.ReserveHeld(t.Context(), tenant, bytes)
				done <- reserved{room, err, time.Since(begun)}
			}()
			synctest.Wait()
			return done
		}
		waits := hold(8 * megabyte)
		if refused := <-hold(8 * megabyte); !errors.Is(refused.err, ErrBusy) || refused.took != 0 {
			t.Errorf("a second response of 8 MB in memory: %v after %s, want ErrBusy at once", refused.err, refused.took)
		}
		later := reserve(t.Context(), b, tenant, 2*megabyte)
		first.room.Release()
		for _, done := range []<-chan reserved{waits, later} {
			r := <-done
			if r.err != nil {
				t.Fatal(r.err)
			}
			r.room.Release()
		}
		if again := <-hold(8 * megabyte); again.err != nil {
			t.Error(again.err)
		}
	})
}
