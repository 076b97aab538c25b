package control_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestClockChangesDuringSteps freezes a clock, or lets it run, while a transaction that has
// read the clock moves a submission to its next state, or records a delivery that is to be
// retried. The next due time must fit the clock as it is afterwards.
func TestClockChangesDuringSteps(t *testing.T) {
	for _, step := range []struct {
		name    string
		blocked string // by this statement's locks, after the clock was read
		begin   func(s *servertest.Server) (wait func())
	}{
		{"submission", "lock table feed in share mode", func(s *servertest.Server) (wait func()) {
			var working sync.WaitGroup
			working.Go(s.Work)
			return working.Wait
		}},
		{"delivery", `
			insert into failed_attempts (hook_id, delivery_id, number, at, address, failure, duration_ms, response)
			select hook_id, id, 1, created_at, '', '', 0, ''
			from deliveries`, func(s *servertest.Server) (wait func()) {
			s.RunDispatcher()
			return func() {}
		}},
	} {
		for _, freeze := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, frozen %t", step.name, freeze), func(t *testing.T) {
				s := servertest.New(t)
				tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1m","started":"2h","finished":"1h"}}`)
				if step.name == "submission" {
					tenant.SubmitFile("letter.txt", []byte("hello"))
					s.Pass(time.Minute)
				}
				set := func(frozen bool) {
					tenant.Control("POST /clock", fmt.Sprintf(`{"frozen":%t}`, frozen)).Want(t, http.StatusOK)
				}
				if !freeze { // by SQL, because a call would wait for the step
					s.Exec("update tenants set frozen_at = $2 where name = $1", tenant.Name, s.Now())
				}
				if step.name == "delivery" {
					tenant.Subscribe(servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
						w.WriteHeader(http.StatusBadGateway)
					}).URL)
					s.Publish(tenant.Name, "a:b")
				}
				lock := s.Lock(step.blocked)
				wait := step.begin(s)
				waiting := func() int {
					return servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
				}
				servertest.Until(t, "the step waits", func() bool { return waiting() == 1 })
				changed := make(chan struct{})
				go func() {
					defer close(changed)
					set(freeze)
				}()
				servertest.Until(t, "the clock has changed or its change waits", func() bool {
					select {
					case <-changed:
						return true
					default:
						return waiting() == 2
					}
				})
				if err := lock.Rollback(t.Context()); err != nil {
					t.Fatal(err)
				}
				<-changed
				table := map[string]string{"submission": "submissions", "delivery": "deliveries"}[step.name]
				servertest.Until(t, "the step has ended", func() bool {
					return servertest.Value[int](s, "select count(*) from "+table+" where due_at > $1", s.Now()) == 1
				})
				wait()
				due := servertest.Value[time.Time](s, "select due_at from "+table)
				if far := due.After(s.Now().AddDate(50, 0, 0)); far != freeze {
					t.Errorf("due at %v, and frozen is %t", due, freeze)
				}
			})
		}
	}
}
