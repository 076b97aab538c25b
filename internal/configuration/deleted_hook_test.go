package configuration_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestSubscriptionIsDeletedDuringImport imports a configuration that changes a subscription, while a
// client deletes it. The import waits for the deletion, and then creates the subscription.
func TestSubscriptionIsDeletedDuringImport(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	hook := `{"name":"Billing","url":"http://127.0.0.1:9/a","events":["universal_submit"],"active":`
	id := tenant.Control("POST /hooks", hook+`true}`).Want(t, http.StatusCreated).Text(t, "id")
	deletion, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer deletion.Rollback(t.Context())
	if _, err := deletion.Exec(t.Context(), "delete from hooks where id = $1", id); err != nil {
		t.Fatal(err)
	}
	imported := make(chan servertest.Response)
	go func() { imported <- tenant.Control("PUT /configuration", `{"hooks":[`+hook+`false}]}`) }()
	for servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 0 {
	}
	if err := deletion.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	response := <-imported
	response.Want(t, http.StatusOK)
	if n := len(tenant.Control("GET /hooks", "").Get(t, "hooks").([]any)); n != 1 {
		t.Errorf("the tenant has %d subscriptions", n)
	}
}
