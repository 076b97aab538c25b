package main

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
)

// TestHooks has every endpoint of webhook subscriptions answer in each way that
// it can, against the document.
func TestHooks(t *testing.T) {
	w := newWorld(t)
	token := w.token(auth.Demos[0]).get(t, "access_token").(string)
	do := func(line string, body ...string) answer {
		t.Helper()
		return w.do(call{line: line, token: token, body: strings.Join(body, "")})
	}
	made := do("POST /hooks", `{"url":"https://example.com/in","active":true,"events":["*"],"header":"X-Key: v","secret":"s"}`).want(t, 201)
	path := "/hooks/" + made.get(t, "id").(string)
	do("POST /hooks", `{"url":""}`).want(t, 422, `{"url":["can't be blank"]}`)
	do("POST /hooks", `{`).want(t, 400, `{"status":400,"error":"Bad Request"}`)
	do("GET "+path).want(t, 200, made.Body)
	do("GET /hooks").want(t, 200, "["+made.Body+"]")
	do("PUT "+path, `{"header":"nothing"}`).want(t, 422, `{"header":["colon separated key value pair"]}`)
	do("PUT "+path, `{"events":["company_submit"]}`).want(t, 200)
	w.do(call{
		line: "POST /company/v1/company_submit", token: token, key: "acme-api-key",
		body: `{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street, Portland, ME 04101"}`,
	}).want(t, 200)
	list := do("GET "+path+"/requests").want(t, 200)
	if !strings.Contains(list.Body, `"event":"company_submit:completed"`) {
		t.Fatalf("requests %s", list.Body)
	}
	_, rest, _ := strings.Cut(list.Body, `"id":"`)
	again := path + "/requests/" + rest[:36] + "/redeliver"
	do("POST "+again).want(t, 201)
	do("PATCH "+path, `{"active":false}`).want(t, 200)
	do("POST "+again).want(t, 422, `{"active":["subscription is not active"]}`)
	for _, line := range []string{"GET /hooks/" + uuid.NewString(), "GET /hooks/nonsense/requests", "DELETE /hooks/nonsense"} {
		do(line).want(t, 404, `{"status":404,"error":"Not Found"}`)
	}
	if _, err := w.db.Exec(t.Context(), `
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		select gen_random_uuid(), tenant_id, owner_id, active, events, url, created_at, updated_at
		from hooks
		cross join generate_series(2, 1000)`); err != nil {
		t.Fatal(err)
	}
	do("POST /hooks", `{"url":"https://example.com"}`).want(t, 422, `{"base":["limit of 1000 subscriptions reached"]}`)
	do("DELETE "+path).want(t, 204, "")
	do("DELETE "+path).want(t, 404)
	w.do(call{line: "GET /hooks"}).want(t, 401, `{"status":401,"error":"Unauthorized"}`)
	w.do(call{line: "GET /hooks", token: w.token(auth.Demos[2]).get(t, "access_token").(string)}).want(t, 403, `{"status":403,"error":"Forbidden"}`)
}
