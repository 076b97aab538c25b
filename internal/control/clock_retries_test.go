package control_test

import (
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestNextRetryIsFoundByIndex checks that a move of a clock does not read all pending
// deliveries to find the next one.
func TestNextRetryIsFoundByIndex(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	tenant := s.NewTenant(`{}`)
	hookID := tenant.Subscribe("http://127.0.0.1:1/")
	s.Publish(tenant.Name, "a:b")
	s.Exec("update deliveries set due_at = due_at + interval '1 h'") // before there are many: an index keeps old values until PostgreSQL cleans up
	s.MultiplyDeliveries(hookID, 2000)
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
