package hooks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestHooks makes every call of the webhook endpoints, with each response that
// they can have.
func TestHooks(t *testing.T) {
	servertest.Proves(t,
		"Errors, webhooks: 200 update", "Errors, webhooks: 201 create", "Errors, webhooks: 400 malformed JSON",
		"Errors, webhooks: 401 credentials", "Errors, webhooks: 404 unknown hook_id", "Errors, webhooks: 422 validation",
		"Endpoint 10, create a subscription: 201 with the subscription", "Endpoint 11, update a subscription: 200 with the subscription",
		"Chosen, webhook subscriptions: subscriptions are listed, read and deleted")
	s := servertest.New(t)
	acme := s.Acme()
	created := acme.Do("POST /hooks", `{"url":"https://example.com/in","active":true,"events":["*"],"header":"X-Key: v","secret":"s"}`).Want(t, 201)
	path := "/hooks/" + created.Text(t, "id")
	acme.Do("POST /hooks", `{"url":""}`).Want(t, 422, `{"url":["can't be blank"]}`)
	acme.Do("POST /hooks", `{`).Want(t, 400, `{"status":400,"error":"Bad Request"}`)
	acme.Do("GET "+path, "").Want(t, 200, created.Body)
	acme.Do("GET /hooks", "").Want(t, 200, "["+created.Body+"]")
	acme.Do("PUT "+path, `{"header":"nothing"}`).Want(t, 422, `{"header":["colon separated key value pair"]}`)
	acme.Do("PUT "+path, `{"events":["company_submit"]}`).Want(t, 200)
	acme.Do(servertest.SubmitCompany, `{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street, Portland, ME 04101"}`).Want(t, 200)
	requests := acme.HookRequests(created.Text(t, "id"))
	if len(requests) != 1 || requests[0]["event"] != "company_submit:completed" {
		t.Fatalf("requests %v", requests)
	}
	redeliver := "POST " + path + "/requests/" + requests[0]["id"].(string) + "/redeliver"
	acme.Do(redeliver, "").Want(t, 201)
	if got := s.Do(servertest.Call{Line: redeliver, Token: acme.Token, Header: map[string]string{"X-Emperor-Event": "company_submit:completed"}}); got.Status != 403 {
		t.Errorf("a webhook that redelivers itself: %d %s", got.Status, got.Body)
	}
	acme.Do("PATCH "+path, `{"active":false}`).Want(t, 200)
	acme.Do(redeliver, "").Want(t, 422, `{"active":["subscription is not active"]}`)
	for _, line := range []string{"GET /hooks/" + servertest.Absent, "GET /hooks/nonsense/requests", "DELETE /hooks/nonsense"} {
		acme.Do(line, "").Want(t, 404, notFound)
	}
	acme.Do("DELETE "+path, "").Want(t, 204, "")
	acme.Do("DELETE "+path, "").Want(t, 404)
	s.Do(servertest.Call{Line: "GET /hooks"}).Want(t, 401, `{"status":401,"error":"Unauthorized"}`)
}

// TestCreate checks the fields of a new subscription, and their limits.
func TestCreate(t *testing.T) {
	servertest.Proves(t,
		"What the service does: 5 a tenant creates and updates subscriptions",
		"Webhook subscription, fields: id, owner_id, tenant_id, created_at, updated_at", "Webhook subscription, fields: active",
		"Webhook subscription, fields: confirmed is false", "Webhook subscription, fields: config.secret comes back empty",
		"Webhook subscription, states: created inactive", "Webhook subscription, states: created active, with events",
		"Endpoint 10, create a subscription: active, false by default, needs an event", "Endpoint 10, create a subscription: events",
		"Endpoint 10, create a subscription: header", "Endpoint 10, create a subscription: secret")
	s := servertest.New(t)
	acme := s.Acme()
	created := acme.Do("POST /hooks", `{"url":"https://example.com/in","active":true,"events":["universal_submit","a:b"],"header":"X-Key: v","secret":"s"}`).Want(t, 201)
	if len(created.Get(t).(map[string]any)) != 9 || len(created.Get(t, "config").(map[string]any)) != 3 {
		t.Errorf("created %s, want 9 fields and 3 of config", created.Body)
	}
	if created.Get(t, "active") != true || created.Get(t, "confirmed") != false || fmt.Sprint(created.Get(t, "events")) != "[universal_submit a:b]" ||
		created.Text(t, "config", "url") != "https://example.com/in" || created.Text(t, "config", "secret") != "" || created.Text(t, "config", "header") != "X-Key: v" ||
		created.Text(t, "tenant_id") != s.TenantID("acme").String() || created.Text(t, "created_at") != created.Text(t, "updated_at") {
		t.Errorf("created %s", created.Body)
	}
	if _, err := uuid.Parse(created.Text(t, "owner_id")); err != nil {
		t.Error(err)
	}
	bare := acme.Do("POST /hooks", `{"url":"http://example.com"}`).Want(t, 201)
	if bare.Get(t, "active") != false || fmt.Sprint(bare.Get(t, "events")) != "[]" {
		t.Errorf("created with a URL alone: %s", bare.Body)
	}
	longest, err := json.Marshal(map[string]any{
		"url":    "http://example.com/" + strings.Repeat("a", 2048-len("http://example.com/")),
		"header": "Name: " + strings.Repeat("a", 4096-len("Name: ")),
	})
	if err != nil {
		t.Fatal(err)
	}
	acme.Do("DELETE /hooks/"+acme.Do("POST /hooks", string(longest)).Want(t, 201).Text(t, "id"), "").Want(t, 204)
	acme.Do("POST /hooks", `{"url":"http://example.com","active":null,"events":null,"header":null,"secret":null}`).Want(t, 201)

	list := acme.Do("GET /hooks", "").Want(t, 200)
	if all := list.Get(t).([]any); len(all) != 3 || all[0].(map[string]any)["id"] != created.Text(t, "id") {
		t.Errorf("list %s", list.Body)
	}
	acme.Do("GET /hooks/"+created.Text(t, "id"), "").Want(t, 200, created.Body)
}

// TestUpdate checks that PUT and PATCH change only the fields that are sent.
func TestUpdate(t *testing.T) {
	servertest.Proves(t,
		"Webhook subscription, states: activated", "Webhook subscription, states: deactivated",
		"Endpoint 11, update a subscription: PUT and PATCH", "Endpoint 11, update a subscription: only changes need to be sent")
	s := servertest.New(t)
	acme := s.Acme()
	path := "/hooks/" + acme.Do("POST /hooks", `{"url":"http://a.example","header":"A: b","secret":"s"}`).Want(t, 201).Text(t, "id")
	for _, test := range []struct{ method, body, want string }{
		{"PUT", `{}`, `false [] http://a.example A: b`},
		{"PATCH", `{"events":["a"]}`, `false [a] http://a.example A: b`},
		{"PUT", `{"active":true}`, `true [a] http://a.example A: b`},
		{"PATCH", `{"url":"http://b.example"}`, `true [a] http://b.example A: b`},
		{"PUT", `{"header":null}`, `true [a] http://b.example `},
		{"PATCH", `{"active":false,"events":[]}`, `false [] http://b.example `},
		{"PUT", `{"active":true,"events":["*"],"header":"C:d"}`, `true [*] http://b.example C:d`},
		{"PATCH", `{"active":null,"events":null,"url":null,"secret":null}`, `true [*] http://b.example C:d`},
	} {
		changed := acme.Do(test.method+" "+path, test.body).Want(t, 200)
		got := fmt.Sprint(changed.Get(t, "active"), " ", changed.Get(t, "events"), " ", changed.Get(t, "config", "url"), " ", changed.Get(t, "config", "header"))
		if got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.method, test.body, got, test.want)
		}
	}
	acme.Do("PATCH "+path, `{"events":[]}`).Want(t, 422, `{"events":["can't be blank"]}`)
	hasSecret := func() bool { return servertest.Value[bool](s, "select secret is not null from hooks") }
	if !hasSecret() {
		t.Error("updates without a secret removed it")
	}
	acme.Do("PATCH "+path, `{"secret":""}`).Want(t, 200)
	if hasSecret() {
		t.Error("an empty secret did not remove it")
	}
}

const notFound = `{"status":404,"error":"Not Found"}`

// TestUnknownAndForeignSubscriptions checks that a subscription or request which
// does not exist, or is another tenant's, is not found.
func TestUnknownAndForeignSubscriptions(t *testing.T) {
	servertest.Proves(t,
		"Endpoint 11, update a subscription: hook_id",
		"Chosen, webhook subscriptions: subscriptions are listed, read and deleted")
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	own := acme.Subscribe("http://127.0.0.1:1/")
	s.Publish("acme", "a:b")
	request := acme.HookRequests(own)[0]["id"].(string)
	for _, id := range []string{servertest.Absent, "nonsense", "{" + own + "}", "%00"} {
		for _, call := range [][2]string{
			{"GET /hooks/" + id, ""},
			{"PUT /hooks/" + id, "{}"},
			{"PATCH /hooks/" + id, "{}"},
			{"DELETE /hooks/" + id, ""},
			{"GET /hooks/" + id + "/requests", ""},
			{"POST /hooks/" + id + "/requests/" + request + "/redeliver", ""},
			{"POST /hooks/" + own + "/requests/" + id + "/redeliver", ""},
		} {
			if got := acme.Do(call[0], call[1]); got.Status != 404 || got.Body != notFound {
				t.Errorf("%s: response %d %s, want 404", call[0], got.Status, got.Body)
			}
		}
	}
	for _, call := range [][2]string{
		{"GET /hooks/" + own, ""},
		{"PUT /hooks/" + own, `{"active":false}`},
		{"DELETE /hooks/" + own, ""},
		{"GET /hooks/" + own + "/requests", ""},
		{"POST /hooks/" + own + "/requests/" + request + "/redeliver", ""},
	} {
		if got := globex.Do(call[0], call[1]); got.Status != 404 || got.Body != notFound {
			t.Errorf("%s by another tenant: response %d %s, want 404", call[0], got.Status, got.Body)
		}
	}
	globex.Do("GET /hooks", "").Want(t, 200, "[]")
	// Invalid fields are reported before an unknown subscription.
	acme.Do("PUT /hooks/nonsense", `{"url":""}`).Want(t, 422)
	acme.Do("DELETE /hooks/"+own, "").Want(t, 204)
	acme.Do("DELETE /hooks/"+own, "").Want(t, 404)
}

// TestCallers checks that every webhook endpoint needs a valid token with its
// permission, before it reads the body.
func TestCallers(t *testing.T) {
	servertest.Proves(t, "Endpoints, all: the bearer token", "Authentication: 6 webhooks need a token with permissions",
		"Chosen, bearer token and API key: no Authorization: 401 with a challenge",
		"Chosen, bearer token and API key: bad, expired, revoked or foreign token: 401 invalid_token",
		"Chosen, bearer token and API key: permission missing: 403")
	s := servertest.New(t)
	companyOnly := s.Login(seed.Demos()[2]).Token
	for _, rt := range servertest.Gated(route.Hooks) {
		call := servertest.Sample(t, rt)
		call.Body = "nonsense"
		for authorization, challenge := range map[string]string{
			"":             `Bearer realm="sandbox"`,
			"Bearer wrong": `Bearer realm="sandbox", error="invalid_token"`,
		} {
			call.Header = map[string]string{}
			if authorization != "" {
				call.Header["Authorization"] = authorization
			}
			got := s.Do(call).Want(t, http.StatusUnauthorized, `{"status":401,"error":"Unauthorized"}`)
			if got.Header.Get("Www-Authenticate") != challenge {
				t.Errorf("%s with %q: Www-Authenticate %q, want %q", call.Line, authorization, got.Header.Get("Www-Authenticate"), challenge)
			}
		}
		call.Header, call.Token = nil, companyOnly
		s.Do(call).Want(t, http.StatusForbidden, `{"status":403,"error":"Forbidden"}`)
	}
}

// TestPermissionsOfWebhookCalls checks which calls each permission allows.
func TestPermissionsOfWebhookCalls(t *testing.T) {
	servertest.Proves(t, "Chosen, bearer token and API key: the permissions of webhook calls")
	s := servertest.New(t)
	acme := s.Acme()
	for permission, want := range map[string]string{
		"::hooks:get":    "GET GET GET",
		"::hooks:post":   "POST POST",
		"::hooks:put":    "PUT PATCH",
		"::hooks:delete": "DELETE",
		"::data/v2:get":  "",
	} {
		s.Exec("update clients set permissions = $1 where id = 'acme-client'", []string{permission})
		s.Pass(time.Second)
		var allowed []string
		for _, rt := range servertest.Gated(route.Hooks) {
			call := servertest.Sample(t, rt)
			call.Token = acme.Token
			if got := s.Do(call); got.Status != http.StatusForbidden {
				allowed = append(allowed, rt.Method)
			}
		}
		if got := strings.Join(allowed, " "); got != want {
			t.Errorf("%s allows %s, want %s", permission, got, want)
		}
	}
}
