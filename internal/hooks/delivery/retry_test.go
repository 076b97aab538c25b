package delivery_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// pass lets time pass once no delivery is in flight, since a lease would expire.
func pass(s *servertest.Server, d time.Duration) {
	s.T.Helper()
	servertest.Until(s.T, "no delivery is in flight", func() bool {
		return servertest.Value[int](s, "select count(*) from deliveries where lease_until is not null") == 0
	})
	s.Pass(d)
	s.App.Dispatcher.Wake()
}

// awaitRetry waits until the attempt with the number is recorded, and returns the
// wait until the next one.
func awaitRetry(s *servertest.Server, attempt int) time.Duration {
	s.T.Helper()
	servertest.Until(s.T, "the attempt is recorded", func() bool {
		return servertest.Value[bool](s, "select attempt = $1 and lease_until is null from deliveries", attempt)
	})
	return servertest.Value[time.Duration](s, "select due_at - updated_at from deliveries")
}

// TestRetriesUntilDead advances the clock from retry to retry, until the delivery
// is dead, and redelivers it.
func TestRetriesUntilDead(t *testing.T) {
	servertest.Proves(t,
		"Chosen, events and delivery: every attempt sends the same bytes",
		"Chosen, events and delivery: X-Delivery-Id is new for each attempt",
		"Chosen, events and delivery: 25 retries, each after its wait, then dead",
		"Chosen, events and delivery: a dead delivery is kept, and can be redelivered")
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	var succeeds atomic.Bool
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if !succeeds.Load() {
			http.Error(w, strings.Repeat("no", 20_000), http.StatusTeapot)
		}
	})
	hookID := acme.Subscribe(receiver.URL, `"secret":"s"`)
	s.Publish("acme", "a:b")
	for n := range 26 {
		all := receiver.Await(t, n+1)
		if n < 25 {
			wait := awaitRetry(s, n+1)
			shortest := time.Duration(n*n*n*n+15) * time.Second
			longest := shortest + time.Duration(9*(n+1))*time.Second
			if wait < shortest || wait > longest {
				t.Fatalf("wait before retry %d is %s, want %s to %s", n, wait, shortest, longest)
			}
			pass(s, wait)
		}
		if last := all[n]; last.Body != all[0].Body || !last.Verify("s") || n > 0 && last.Header.Get("X-Delivery-Id") == all[n-1].Header.Get("X-Delivery-Id") {
			t.Fatalf("attempt %d has another body, a wrong signature or the delivery id of the one before", n+1)
		}
	}
	servertest.Until(t, "it is dead", func() bool { return s.CountDeliveries("dead") == 1 })
	pass(s, 365*24*time.Hour)
	if n := len(receiver.Received()); n != 26 {
		t.Errorf("%d attempts, want 26", n)
	}
	if n := servertest.Value[int](s, `
		select count(*)
		from attempts
		where octet_length(response) >= 1024 and status = 418 and address <> '' and failure is null`); n != 26 {
		t.Errorf("%d attempts are recorded with status, address and a part of the response, want 26", n)
	}
	if n := servertest.Value[int](s, "select count(*) from attempts where octet_length(response) > 16384"); n != 1 {
		t.Errorf("%d attempts are recorded with 16 KiB of the body, want the last one", n)
	}

	acme = s.Acme() // the token has expired
	succeeds.Store(true)
	dead := acme.HookRequests(hookID)[0]
	redelivery := acme.Do("POST /hooks/"+hookID+"/requests/"+dead["id"].(string)+"/redeliver", "").Want(t, 201)
	if redelivery.Get(t, "redelivery") != true || redelivery.Get(t, "id") == dead["id"] ||
		redelivery.Get(t, "response_status") != nil || redelivery.Get(t, "event") != "a:b" {
		t.Errorf("redelivery %s", redelivery.Body)
	}
	all := receiver.Await(t, 27)
	if all[26].Body != all[0].Body || !all[26].Verify("s") || all[26].Header.Get("X-Request-Id") != all[0].Header.Get("X-Request-Id") {
		t.Error("the redelivery is not of the same event")
	}
	servertest.Until(t, "the redelivery is recorded", func() bool { return acme.HookRequests(hookID)[0]["response_status"] == 200.0 })
	if list := acme.HookRequests(hookID); len(list) != 2 || list[0]["id"] != redelivery.Get(t, "id") || list[1]["response_status"] != 418.0 {
		t.Errorf("requests %v", list)
	}
}

// TestStatuses checks which statuses of a response are a success, and that every other
// delivery is retried.
func TestStatuses(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: only 2xx is a success, and all else is retried")
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.Header.Get("X-Emperor-Event")[len("a:"):])
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	})
	hookID := acme.Subscribe(receiver.URL)
	want := map[string]string{}
	for state, statuses := range map[string][]string{
		"delivered": {"200", "201", "202", "204", "206", "299"},
		"pending":   {"300", "301", "302", "303", "304", "307", "308", "400", "401", "404", "410", "429", "500", "503", "599"},
	} {
		for _, status := range statuses {
			want["a:"+status] = state
			s.Publish("acme", "a:"+status)
		}
	}
	servertest.Until(t, "every attempt is recorded", func() bool {
		return servertest.Value[int](s, "select count(*) from attempts") == len(want)
	})
	for _, request := range acme.HookRequests(hookID) {
		event := request["event"].(string)
		if status := fmt.Sprint("a:", request["response_status"]); status != event {
			t.Errorf("%s: the recorded status is %s", event, status)
		}
		if state := servertest.Value[string](s, "select state from deliveries where id = $1", request["id"]); state != want[event] {
			t.Errorf("%s: the delivery is %s, want %s", event, state, want[event])
		}
	}
	pass(s, 25*time.Second) // longer than the wait before the first retry
	receiver.Await(t, len(want)+15)
}

// TestRetryAfterHeader checks that the next attempt waits at least as long as the
// Retry-After header asks for.
func TestRetryAfterHeader(t *testing.T) {
	s := servertest.New(t)
	s.RunDispatcher()
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	s.Acme().Subscribe(receiver.URL)
	s.Publish("acme", "a:b")
	if wait := awaitRetry(s, 1); wait != 10*time.Minute {
		t.Errorf("the next attempt is in %s, want 10m", wait)
	}
}
