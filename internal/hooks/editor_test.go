package hooks_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// TestSubscriptionsMadeInConsole makes, changes and deletes a subscription through the
// control API. Neither its secret nor the value of its header is ever returned.
func TestSubscriptionsMadeInConsole(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, subscriptions: made, changed and deleted, by subject only")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	created := tenant.Control("POST /hooks",
		`{"name":"Billing","url":"http://127.0.0.1:9/hook","events":["universal_submit"],"header":"X-Key: k3y-value","secret":"s3cret-value","active":true}`).
		Want(t, http.StatusCreated)
	id := created.Text(t, "id")
	for path, want := range map[string]any{
		"made_by": "console", "name": "Billing", "url": "http://127.0.0.1:9/hook", "header": "X-Key: ***", "has_secret": true, "active": true,
	} {
		if got := created.Get(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	tenant.Control("POST /events", `{"event":"universal_submit:completed"}`).Want(t, http.StatusOK)
	listed := tenant.Control("GET /hooks", "").Want(t, http.StatusOK)
	one := tenant.Control("GET /hooks/"+id, "").Want(t, http.StatusOK)
	if diff := cmp.Diff(one.Get(t), listed.Get(t, "hooks").([]any)[0]); diff != "" {
		t.Errorf("in the list (- alone):\n%s", diff)
	}
	if one.Get(t, "deliveries", "pending") != 1.0 {
		t.Errorf("deliveries %v", one.Get(t, "deliveries"))
	}
	// The masked header means no change; the rest that is not sent stays too.
	changed := tenant.Control("PUT /hooks/"+id, `{"name":"","header":"X-Key: ***","events":["*"]}`).Want(t, http.StatusOK)
	if changed.Text(t, "name") != "" || changed.Text(t, "header") != "X-Key: ***" || changed.Get(t, "has_secret") != true || changed.Get(t, "active") != true {
		t.Errorf("changed to %s", changed.Body)
	}
	request := tenant.Control("GET /deliveries", "").Want(t, http.StatusOK)
	if !strings.Contains(request.Body, "k3y-value") {
		t.Error("the header was changed")
	}
	for _, r := range []servertest.Response{created, listed, one, changed} {
		if strings.Contains(r.Body, "k3y-value") || strings.Contains(r.Body, "s3cret-value") {
			t.Errorf("a secret in %s", r.Body)
		}
	}
	// The API sees it like its own, and can change it.
	tenant.Do("PATCH /hooks/"+id, `{"events":["universal_submit:completed"]}`).Want(t, http.StatusOK)
	if after := tenant.Control("PUT /hooks/"+id, `{"name":"still editable","header":null,"secret":""}`).Want(t, http.StatusOK); after.Text(t, "header") != "" || after.Get(t, "has_secret") != false {
		t.Errorf("changed to %s", after.Body)
	}
	tenant.Control("DELETE /hooks/"+id, "").Want(t, http.StatusNoContent)
	tenant.Control("DELETE /hooks/"+id, "").Want(t, http.StatusNotFound, `{"message":"Subscription not found"}`)
	tenant.Control("GET /hooks/"+id, "").Want(t, http.StatusNotFound, `{"message":"Subscription not found"}`)
	tenant.Do("GET /hooks/"+id, "").Want(t, http.StatusNotFound)
}

// TestSubscriptionsOfTheAPIAreReadOnly checks that the control API lists a subscription
// that a client has made, and does not change it.
func TestSubscriptionsOfTheAPIAreReadOnly(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, subscriptions: those of the API are read-only")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	id := tenant.Do("POST /hooks", `{"url":"http://127.0.0.1:9/hook","events":["universal_submit:completed"],"active":true}`).Want(t, http.StatusCreated).Text(t, "id")
	if shown := tenant.Control("GET /hooks/"+id, "").Want(t, http.StatusOK); shown.Text(t, "made_by") != "api" {
		t.Errorf("shown as %s", shown.Body)
	}
	s.Unchanged(t, func() {
		tenant.Control("PUT /hooks/"+id, `{"active":false}`).
			Want(t, http.StatusConflict, `{"message":"The subscription was made by a client of the API, so it can be changed only through the API"}`)
		tenant.Control("DELETE /hooks/"+id, "").
			Want(t, http.StatusConflict, `{"message":"The subscription was made by a client of the API, so it can be deleted only through the API"}`)
	})
}

// TestInvalidEdits checks that every mistake is refused with the name of the
// field, and changes nothing.
func TestInvalidEdits(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	for range 10 {
		tenant.Control("POST /hooks", `{"url":"http://127.0.0.1:9/hook","events":["*"],"active":true}`).Want(t, http.StatusCreated)
	}
	id := tenant.Control("POST /hooks", `{"url":"http://127.0.0.1:9/hook","header":"X-Key: k"}`).Want(t, http.StatusCreated).Text(t, "id")
	s.Unchanged(t, func() {
		for _, test := range []struct {
			body    string
			status  int
			message string
		}{
			{`{"url":" "}`, 422, "url: can't be blank"},
			{`{"url":"ftp://x"}`, 422, "url: is invalid"},
			{`{"url":"http://169.254.169.254/"}`, 422, "url: is not allowed"},
			{`{"events":["universal_submit:completed"]}`, 422, "events: want subjects only"},
			{`{"events":"*"}`, 422, "events: is invalid"},
			{`{"header":"none"}`, 422, "header: colon separated key value pair"},
			{`{"header":"X-Other: ***"}`, 422, "header: is masked"},
			{`{"name":7}`, 422, "name: is invalid"},
			{`{"active":true}`, 422, "active: limit of 10 active subscriptions reached"},
			{`{"active":"yes","url":""}`, 422, "active: is invalid (send true or false, without quotes); url: can't be blank"},
			{`{"config":{}}`, 400, `unknown field "config"`},
		} {
			got := tenant.Control("PUT /hooks/"+id, test.body)
			if got.Status != test.status || !strings.HasPrefix(got.Text(t, "message"), test.message) {
				t.Errorf("%s: response %d %s, want %d %s", test.body, got.Status, got.Body, test.status, test.message)
			}
		}
		tenant.Control("POST /hooks", `{}`).Want(t, http.StatusUnprocessableEntity)
	})
}
