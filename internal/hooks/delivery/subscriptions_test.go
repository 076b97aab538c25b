package delivery

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestSlowReadIsNotUsed has a read take so long that the subscription is
// deactivated meanwhile.
func TestSlowReadIsNotUsed(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	tenantID, hookID := uuid.New(), uuid.New()
	exec("insert into tenants (id, name, created_at) values ($1, 'slow', now())", tenantID)
	exec(`
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		values ($1, $2, $2, true, '{*}', 'http://a.example', now(), now())`, hookID, tenantID)

	// The clock is read when a read begins, and after it.
	at, reads := time.Now(), 0
	cache := newSubscriptions(db, NewSeal(nil), func() time.Time {
		if reads++; reads == 2 {
			exec("update hooks set active = false")
			at = at.Add(maxReadTime)
		}
		return at
	})
	got, err := cache.get(t.Context(), claimed{HookID: hookID})
	if err != nil || got.url != "http://a.example" {
		t.Fatalf("subscription %+v, %v", got, err)
	}
	if got.active {
		t.Error("the result of the slow read was used")
	}

	cache.now = func() time.Time { at = at.Add(maxReadTime); return at } // every read is slow
	if got, err := cache.get(t.Context(), claimed{HookID: hookID}); err == nil {
		t.Errorf("subscription %+v, though every read is slow", got)
	}
}

// TestOnlyChangedSubscriptionsAreReadAgain checks that after a change of a subscription or a
// tenant, only the changed subscriptions are read again, even if it happens during a read.
func TestOnlyChangedSubscriptionsAreReadAgain(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	tenant, other := uuid.New(), uuid.New()
	first, second, third := uuid.New(), uuid.New(), uuid.New() // the last one is the other tenant's
	exec("insert into tenants (id, name, created_at) values ($1, 'a', now()), ($2, 'b', now())", tenant, other)
	exec(`
		insert into hooks (id, tenant_id, owner_id, active, activation, events, url, created_at, updated_at)
		select unnest($1::uuid[]), unnest($2::uuid[]), $3, true, 1, '{*}', '0', now(), now()`,
		[]uuid.UUID{first, second, third}, []uuid.UUID{tenant, tenant, other}, tenant)
	begun := time.Now()
	cache := newSubscriptions(db, NewSeal(nil), func() time.Time { return begun })
	for n, c := range []struct {
		changed uuid.UUID
		want    map[uuid.UUID]string
	}{
		{uuid.Nil, map[uuid.UUID]string{first: "0", second: "0", third: "0"}},
		{uuid.Nil, map[uuid.UUID]string{first: "0", second: "0", third: "0"}},
		{first, map[uuid.UUID]string{first: "3", second: "0", third: "0"}},
		{tenant, map[uuid.UUID]string{first: "4", second: "4", third: "0"}},
		{other, map[uuid.UUID]string{first: "4", second: "4", third: "5"}},
	} {
		exec("update hooks set url = $1", fmt.Sprint(n+1))
		if n == 0 {
			exec("update hooks set url = '0'")
		}
		cache.changed(c.changed)
		for id, want := range c.want {
			got, err := cache.get(t.Context(), claimed{HookID: id, Activation: 1})
			if err != nil || got.url != want {
				t.Errorf("after change %d: URL %q, %v, want %s", n, got.url, err, want)
			}
		}
	}
	cache.changed(first)
	reads := 0
	cache.db = interruptedDB{db, func() {
		if reads++; reads == 1 {
			exec("update hooks set url = 'changed during the read'")
			cache.changed(first)
		}
	}}
	if got, err := cache.get(t.Context(), claimed{HookID: first, Activation: 1}); err != nil || got.url != "changed during the read" {
		t.Errorf("URL %q, %v after a change during the read", got.url, err)
	}
}

// interruptedDB calls a function after each query, before its rows are read.
type interruptedDB struct {
	storage.DB
	interrupt func()
}

func (d interruptedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := d.DB.Query(ctx, sql, args...)
	d.interrupt()
	return rows, err
}

func TestReceiverOf(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://a.example/in":          "http://a.example:http",
		"HTTP://A.Example.:80/other?x": "http://a.example:http",
		"https://a.example:443":        "https://a.example:https",
		"http://a.example:8080/in":     "http://a.example:8080",
		"http://[::1]:80/":             "http://::1:http",
	} {
		if got := receiverOf(url); got != want {
			t.Errorf("receiver of %s is %s, want %s", url, got, want)
		}
	}
}
