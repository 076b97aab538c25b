package hooks_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// TestHooks has every endpoint of webhook subscriptions answer in each way that
// it can, against the document.
func TestHooks(t *testing.T) {
	w := servertest.New(t)
	token := w.NewToken(auth.Demos[0]).Get(t, "access_token").(string)
	do := func(line string, body ...string) servertest.Response {
		t.Helper()
		return w.Do(servertest.Call{Line: line, Token: token, Body: strings.Join(body, "")})
	}
	made := do("POST /hooks", `{"url":"https://example.com/in","active":true,"events":["*"],"header":"X-Key: v","secret":"s"}`).Want(t, 201)
	path := "/hooks/" + made.Get(t, "id").(string)
	Do("POST /hooks", `{"url":""}`).Want(t, 422, `{"url":["can't be blank"]}`)
	Do("POST /hooks", `{`).Want(t, 400, `{"status":400,"error":"Bad Request"}`)
	Do("GET "+path).Want(t, 200, made.Body)
	Do("GET /hooks").Want(t, 200, "["+made.Body+"]")
	Do("PUT "+path, `{"header":"nothing"}`).Want(t, 422, `{"header":["colon separated key value pair"]}`)
	Do("PUT "+path, `{"events":["company_submit"]}`).Want(t, 200)
	w.Do(servertest.Call{
		Line: "POST /company/v1/company_submit", Token: token, Key: "acme-api-key",
		Body: `{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street, Portland, ME 04101"}`,
	}).Want(t, 200)
	list := do("GET "+path+"/requests").Want(t, 200)
	if !strings.Contains(list.Body, `"event":"company_submit:completed"`) {
		t.Fatalf("requests %s", list.Body)
	}
	_, rest, _ := strings.Cut(list.Body, `"id":"`)
	again := path + "/requests/" + rest[:36] + "/redeliver"
	Do("POST "+again).Want(t, 201)
	Do("PATCH "+path, `{"active":false}`).Want(t, 200)
	Do("POST "+again).Want(t, 422, `{"active":["subscription is not active"]}`)
	for _, line := range []string{"GET /hooks/" + uuid.NewString(), "GET /hooks/nonsense/requests", "DELETE /hooks/nonsense"} {
		Do(line).Want(t, 404, `{"status":404,"error":"Not Found"}`)
	}
	if _, err := w.DB.Exec(t.Context(), `
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		select gen_random_uuid(), tenant_id, owner_id, active, events, url, created_at, updated_at
		from hooks
		cross join generate_series(2, 1000)`); err != nil {
		t.Fatal(err)
	}
	Do("POST /hooks", `{"url":"https://example.com"}`).Want(t, 422, `{"base":["limit of 1000 subscriptions reached"]}`)
	Do("DELETE "+path).Want(t, 204, "")
	Do("DELETE "+path).Want(t, 404)
	w.Do(servertest.Call{Line: "GET /hooks"}).Want(t, 401, `{"status":401,"error":"Unauthorized"}`)
	w.Do(servertest.Call{Line: "GET /hooks", Token: w.NewToken(auth.Demos[2]).Get(t, "access_token").(string)}).Want(t, 403, `{"status":403,"error":"Forbidden"}`)
}
