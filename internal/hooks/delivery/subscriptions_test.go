package delivery

import (
	"testing"
	"time"

	"github.com/google/uuid"

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
