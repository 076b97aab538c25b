package control_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/control"
	"understudy.example/internal/server/servertest"
)

// TestAdvanceWithMuchWorkTakesFewSteps advances a clock over the retries of 300 deliveries that are
// due 10 µs apart. With a step for each due time, each step would shift all the others.
func TestAdvanceWithMuchWorkTakesFewSteps(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, servertest.Background, statements.Record(t))
	tenant := s.NewTenant(`{}`)
	tenant.MoveClock(`{"frozen":true}`)
	const hooks, events = 10, 30
	for i := range hooks {
		tenant.Do("POST /hooks", fmt.Sprintf(`{"active":true,"name":"%d","url":"http://127.0.0.1:1/","events":["quote_request:created"]}`, i)).Want(t, http.StatusCreated)
	}
	for range events {
		tenant.Control("POST /events", `{"event":"quote_request:created","data":{}}`).Want(t, http.StatusOK)
	}
	tenant.MoveClock(`{"advance":"1ms"}`) // after the first attempts
	s.Exec(`
		update deliveries d
		set due_at = d.due_at + n * interval '10 us'
		from (select hook_id, id, row_number() over () as n from deliveries) numbered
		where d.hook_id = numbered.hook_id
		and d.id = numbered.id`)
	statements.Take()
	attempts := map[string]int{}
	for _, effect := range tenant.Advance("25s") {
		attempts[effect.Kind]++
	}
	if attempts["delivery"] != hooks*events {
		t.Errorf("got %v, want the second attempts of %d deliveries", attempts, hooks*events)
	}
	steps := 0
	for _, sql := range statements.Take() {
		if strings.Contains(sql, "set clock_offset") {
			steps++
		}
	}
	if steps > hooks*events/3 {
		t.Errorf("%d steps, want at most %d", steps, hooks*events/3)
	}
}

// TestPendingWorkSurvivesAStepOfZero checks that the number of pending rows is still known after a
// step that does not move a running clock, because work has become due in the meantime. Otherwise
// the next step would cover a single due time.
func TestPendingWorkSurvivesAStepOfZero(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	const hook = `{"active":true,"name":"a","url":"http://127.0.0.1:1/","events":["quote_request:created"]}`
	tenant.Do("POST /hooks", hook).Want(t, http.StatusCreated)
	tenant.Control("POST /events", `{"event":"quote_request:created","data":{}}`).Want(t, http.StatusOK) // its delivery is due now
	const before = 300
	moved, after, err := control.Step(t.Context(), s.DB, s.App.Gate, s.TenantID(tenant.Name), before, time.Minute)
	if err != nil || moved != 0 || after != before {
		t.Errorf("moved the clock by %v, %d rows are pending, %v; want 0s and %d rows", moved, after, err, before)
	}
	s.Exec("update deliveries set due_at = due_at + interval '1 s'")
	moved, after, err = control.Step(t.Context(), s.DB, s.App.Gate, s.TenantID(tenant.Name), 0, time.Minute)
	if err != nil || moved != time.Second || after != 1 {
		t.Errorf("moved the clock by %v, %d rows are pending, %v; want 1s and 1 row", moved, after, err)
	}
}
