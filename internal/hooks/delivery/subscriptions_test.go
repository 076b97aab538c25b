package delivery

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/storage/storagetest"
)

// TestASlowReadIsNotBelieved has a read take so long that the subscription was
// turned off meanwhile.
func TestASlowReadIsNotBelieved(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	tenant, hook := uuid.New(), uuid.New()
	exec("insert into tenants (id, name, created_at) values ($1, 'slow', now())", tenant)
	exec(`
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		values ($1, $2, $2, true, '{*}', 'http://a.example', now(), now())`, hook, tenant)

	// The clock is asked when a read begins, and after it.
	at, asked := time.Now(), 0
	known := newTargets(db, NewSeal(make([]byte, 32)), func() time.Time {
		if asked++; asked == 2 {
			exec("update hooks set active = false")
			at = at.Add(longestRead)
		}
		return at
	})
	got, err := known.target(t.Context(), hook)
	if err != nil || got.url != "http://a.example" {
		t.Fatalf("target is %+v, %v", got, err)
	}
	if got.active {
		t.Error("the slow read is believed")
	}

	known.now = func() time.Time { at = at.Add(longestRead); return at } // all reads are slow
	if got, err := known.target(t.Context(), hook); err == nil {
		t.Errorf("target is %+v, though all reads are slow", got)
	}
}
