package fault_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestFaultProbability checks that the same seed selects as many calls again,
// whether they are made one after the other or at once.
func TestFaultProbability(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: times, every, probability and expires")
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	const calls = 50
	round := func(seed string, concurrent bool) int64 {
		tenant.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
		tenant.Fault(`{"route":"*","status":503,"probability":0.4,"seed":` + seed + `}`)
		var running sync.WaitGroup
		var acted atomic.Int64
		for i := range calls {
			call := func() {
				if send(acme, fmt.Sprintf("GET /universal/v2/universal-submit/status/%d", i)).Status == http.StatusServiceUnavailable {
					acted.Add(1)
				}
			}
			if concurrent {
				running.Go(call)
			} else {
				call()
			}
		}
		running.Wait()
		return acted.Load()
	}
	serial, concurrent, other := round(`"s"`, false), round(`"s"`, true), round("7", true)
	if serial != concurrent || serial < 8 || serial > 32 || other == 0 {
		t.Errorf("acted on %d serial calls, %d concurrent ones, %d with another seed", serial, concurrent, other)
	}
}

// TestFaultTimesOfConcurrentCalls checks that exactly n of many concurrent calls
// are hit by a fault with times n.
func TestFaultTimesOfConcurrentCalls(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	tenant.Fault(`{"route":"*","times":7}`)
	var running sync.WaitGroup
	var hit atomic.Int64
	for range 50 {
		running.Go(func() {
			if send(acme, unknownStatus).Status == http.StatusInternalServerError {
				hit.Add(1)
			}
		})
	}
	running.Wait()
	if n := hit.Load(); n != 7 {
		t.Errorf("%d calls hit, want 7", n)
	}
}

// TestFaultDelayEndsWithItsClient checks that a delay is real time and ends when
// the client leaves. The delay is longer than the handler's timeout, which does
// not run meanwhile.
func TestFaultDelayEndsWithItsClient(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	tenant.Fault(`{"route":"*","delay":"60s"}`)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	_, path, _ := strings.Cut(unknownStatus, " ")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+acme.Token)
	request.Header.Set("X-Api-Key", acme.Key)
	ended := make(chan error, 1)
	go func() {
		_, err := servertest.Try(http.DefaultClient, request)
		ended <- err
	}()
	servertest.Until(t, "the fault has acted", func() bool { return counts(t, tenant) == "1 1" })
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("the call ended with %v", err)
	}
	var calls []servertest.JournalEntry
	servertest.Until(t, "the call is in the journal", func() bool {
		calls = tenant.Journal("route=/universal/v2/universal-submit/status/%7Btx_id%7D")
		return len(calls) == 1
	})
	if calls[0].Status != nil || len(calls[0].Faults) != 1 {
		t.Errorf("journal entry %+v", calls[0])
	}
}
