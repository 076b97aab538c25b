package control_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestRetriesTogether checks that a move of a clock makes the retries that are due within
// a second in one step, at the time of the last one, and does other work that is due in
// between at its own time.
func TestRetriesTogether(t *testing.T) {
	const n = 40
	for name, test := range map[string]struct {
		pacing string // time until the submission is scheduled
		change string // of the retries, which are due after 100 s, 20 ms after each other
		at     []int  // ms after 100 s of the effects, without repetitions
		steps  int    // moves of the clock, including the last one
	}{
		"within a second":          {"1h", "", []int{780}, 2},
		"more than a second apart": {"1h", "update deliveries set due_at = due_at + interval '2 s' where due_at > $1", []int{380, 2780}, 3},
		"a first attempt between":  {"1h", "update deliveries set attempt = 0 where due_at = $1::timestamptz + interval '20 ms'", []int{380, 400, 780}, 4},
		"a state between":          {"100.3s", "", []int{300, 780}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			statements := &servertest.Statements{}
			s := servertest.New(t, servertest.Background, statements.Record(t))
			tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"` + test.pacing + `","started":"1h","finished":"1h"}}`)
			tenant.SubmitFile("letter.txt", servertest.Letter)
			tenant.Subscribe("http://127.0.0.1:1/", `"events":["a:b"]`)
			s.Publish(tenant.Name, slices.Repeat([]string{"a:b"}, n)...)
			servertest.Until(t, "all first attempts have failed", func() bool {
				return servertest.Value[int](s, "select count(*) from deliveries where attempt = 1 and lease_until is null") == n
			})
			start := s.Now().Add(100 * time.Second)
			s.Exec(`
				update deliveries d
				set due_at = $1::timestamptz + (number - 1) * interval '20 ms'
				from (select id, row_number() over (order by id) as number from deliveries) counted
				where d.id = counted.id`, start)
			if test.change != "" {
				s.Exec(test.change, start.Add(380*time.Millisecond))
				s.Exec("delete from failed_attempts where delivery_id in (select id from deliveries where attempt = 0)")
			}
			var want, at []string
			for _, ms := range test.at {
				want = append(want, s.Shown(100*time.Second+time.Duration(ms)*time.Millisecond))
			}
			statements.Take()
			deliveries := 0
			for _, effect := range tenant.Advance("110s") {
				if at = append(at, effect.At); effect.Kind == "delivery" {
					deliveries++
				}
			}
			if at = slices.Compact(at); deliveries != n || !slices.Equal(at, want) {
				t.Errorf("%d retries at %v, want %d at %v", deliveries, at, n, want)
			}
			steps := 0
			for _, statement := range statements.Take() {
				if strings.Contains(statement, "set clock_offset") {
					steps++
				}
			}
			if steps != test.steps {
				t.Errorf("the clock was moved %d times, want %d", steps, test.steps)
			}
		})
	}
}

// TestNextRetryIsFoundByIndex checks that a move of a clock does not read all pending
// deliveries to find the next one.
func TestNextRetryIsFoundByIndex(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	tenant := s.NewTenant(`{}`)
	hookID := tenant.Subscribe("http://127.0.0.1:1/")
	s.Publish(tenant.Name, "a:b")
	s.MultiplyDeliveries(hookID, 2000)
	s.Exec("update deliveries set due_at = due_at + interval '1 h'")
	s.Exec("analyze deliveries, hooks")
	statements.Take()
	tenant.Advance("1s")
	found := 0
	for _, statement := range statements.TakeWithArguments() {
		if strings.Contains(statement.SQL, "min(d.due_at)") {
			if found++; s.Explain(statement).Pages > 50 {
				t.Errorf("%d pages are read", s.Explain(statement).Pages)
			}
		}
	}
	if found == 0 {
		t.Error("no statement finds the next delivery")
	}
}
