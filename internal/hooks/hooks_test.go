package hooks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
)

func TestCreate(t *testing.T) {
	w := newWorld(t)
	made := w.want(201, "POST /hooks", `{"url":"https://example.com/in","active":true,"events":["universal_submit","a:b"],"header":"X-Key: v","secret":"s"}`)
	config, _ := made["config"].(map[string]any)
	if made["active"] != true || made["confirmed"] != false || fmt.Sprint(made["events"]) != "[universal_submit a:b]" ||
		config["url"] != "https://example.com/in" || config["secret"] != "" || config["header"] != "X-Key: v" ||
		made["tenant_id"] != w.tenants["acme"].String() || made["created_at"] != made["updated_at"] || len(made) != 9 || len(config) != 3 {
		t.Errorf("made %v", made)
	}
	if _, err := uuid.Parse(made["owner_id"].(string)); err != nil {
		t.Error(err)
	}
	bare := w.want(201, "POST /hooks", `{"url":"http://example.com"}`)
	if bare["active"] != false || fmt.Sprint(bare["events"]) != "[]" {
		t.Errorf("made %v", bare)
	}
	longest := map[string]any{ // all that is allowed, to the byte
		"url":    "http://example.com/" + strings.Repeat("a", 2048-len("http://example.com/")),
		"header": "Name: " + strings.Repeat("a", 4096-len("Name: ")),
	}
	body, err := json.Marshal(longest)
	if err != nil {
		t.Fatal(err)
	}
	w.want(204, "DELETE /hooks/"+w.want(201, "POST /hooks", string(body))["id"].(string), "")
	w.want(201, "POST /hooks", `{"url":"http://example.com","active":null,"events":null,"header":null,"secret":null}`)

	_, list := w.call("GET /hooks", "")
	var all []map[string]any
	if err := json.Unmarshal([]byte(list), &all); err != nil || len(all) != 3 || all[0]["id"] != made["id"] {
		t.Errorf("list is %s", list)
	}
	if one := w.want(200, "GET /hooks/"+made["id"].(string), ""); fmt.Sprint(one) != fmt.Sprint(made) {
		t.Errorf("got %v, want %v", one, made)
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(t)
	hookID := w.want(201, "POST /hooks", `{"url":"http://example.com"}`)["id"].(string)
	const header = `{"header":["colon separated key value pair"]}`
	const url = `{"url":["is invalid"]}`
	const events = `{"events":["is invalid"]}`
	for _, c := range []struct{ fields, want string }{
		{`"url":""`, `{"url":["can't be blank"]}`},
		{`"url":"  "`, `{"url":["can't be blank"]}`},
		{`"url":5`, url},
		{`"url":"example.com"`, url},
		{`"url":"/in"`, url},
		{`"url":"ftp://example.com"`, url},
		{`"url":"http://"`, url},
		{`"url":"http:///in"`, url},
		{`"url":"http:example.com"`, url},
		{`"url":"http://me:pw@example.com"`, url},
		{`"url":"http://me@example.com"`, url},
		{`"url":"http://example.com:99999"`, url},
		{`"url":"http://example.com/a b"`, url},
		{`"url":"http://example.com/\n"`, url},
		{`"url":"http://example.com/` + strings.Repeat("a", 2049-len("http://example.com/")) + `"`, url},
		{`"header":"nothing"`, header},
		{`"header":": v"`, header},
		{`"header":"Name:"`, header},
		{`"header":"Name:  "`, header},
		{`"header":"Na me: v"`, header},
		{`"header":" Name: v"`, header},
		{`"header":"Näme: v"`, header},
		{`"header":"Name: a\r\nX-Evil: b"`, header},
		{`"header":"Name: a\tb"`, header},
		{`"header":["Name: v"]`, header},
		{`"header":"Name: ` + strings.Repeat("a", 4097-len("Name: ")) + `"`, header},
		{`"header":"host: a"`, header},
		{`"header":"Content-Length: 5"`, header},
		{`"header":"content-type: a/b"`, header},
		{`"header":"Transfer-Encoding: chunked"`, header},
		{`"header":"Connection: close"`, header},
		{`"header":"HTTP2-Settings: a"`, header},
		{`"header":"X-Signature: a"`, header},
		{`"header":"x-delivery-id: a"`, header},
		{`"header":"X-Emperor-Event: a"`, header},
		{`"header":"X-Request-ID: a"`, header},
		{`"events":[""]`, events},
		{`"events":["a:b:c"]`, events},
		{`"events":["a:"]`, events},
		{`"events":[":b"]`, events},
		{`"events":["a b"]`, events},
		{`"events":["a:*"]`, events},
		{`"events":["**"]`, events},
		{`"events":[null]`, events},
		{`"events":[5]`, events},
		{`"events":"a"`, events},
		{`"events":{}`, events},
		{`"events":[""],"active":true`, events},
		{`"active":true`, `{"events":["can't be blank"]}`},
		{`"active":true,"events":[]`, `{"events":["can't be blank"]}`},
		{`"active":"yes"`, `{"active":["is invalid"]}`},
		{`"active":1`, `{"active":["is invalid"]}`},
		{`"secret":5`, `{"secret":["is invalid"]}`},
		{`"url":"","header":"x","active":true`, `{"events":["can't be blank"],"header":["colon separated key value pair"],"url":["can't be blank"]}`},
	} {
		body := "{" + c.fields
		if !strings.Contains(c.fields, `"url"`) {
			body += `,"url":"http://example.com"`
		}
		if status, got := w.call("POST /hooks", body+"}"); status != 422 || got != c.want {
			t.Errorf("create %s answered %d %s, want 422 %s", c.fields, status, got, c.want)
		}
		if status, got := w.call("PATCH /hooks/"+hookID, "{"+c.fields+"}"); status != 422 || got != c.want {
			t.Errorf("update %s answered %d %s, want 422 %s", c.fields, status, got, c.want)
		}
	}
	for _, body := range []string{`{}`, `{"url":null}`} {
		if status, got := w.call("POST /hooks", body); status != 422 || got != `{"url":["can't be blank"]}` {
			t.Errorf("create %s answered %d %s", body, status, got)
		}
	}
	for _, body := range []string{"", "[]", "nothing", `{"url":"http://a","url":"http://b"}`, `{"url":"http://a","URL":"http://b"}`, `{"URL":"http://a"}`, `{"url":"http://a","Active":true}`, `{"url":"http://a"} {}`, "{\"url\":\"\xff\"}"} {
		for _, line := range []string{"POST /hooks", "PUT /hooks/" + hookID} {
			if status, got := w.call(line, body); status != 400 || got != `{"status":400,"error":"Bad Request"}` {
				t.Errorf("%s %q answered %d %s", line, body, status, got)
			}
		}
	}
	if status, body := w.call("POST /hooks", `{"url":"`+strings.Repeat("a", 1<<20)+`"}`); status != 413 || body != `{"status":413,"error":"Request Entity Too Large"}` {
		t.Errorf("a large body answered %d %s", status, body)
	}
	if all := w.want(200, "GET /hooks/"+hookID, ""); all["active"] != false || fmt.Sprint(all["events"]) != "[]" {
		t.Errorf("a refused update changed it: %v", all)
	}
}

func TestUpdate(t *testing.T) {
	w := newWorld(t)
	path := "/hooks/" + w.want(201, "POST /hooks", `{"url":"http://a.example","header":"A: b","secret":"s"}`)["id"].(string)
	for _, c := range []struct{ method, body, want string }{
		{"PUT", `{}`, `false [] http://a.example A: b`},
		{"PATCH", `{"events":["a"]}`, `false [a] http://a.example A: b`},
		{"PUT", `{"active":true}`, `true [a] http://a.example A: b`},
		{"PATCH", `{"url":"http://b.example"}`, `true [a] http://b.example A: b`},
		{"PUT", `{"header":""}`, `true [a] http://b.example `},
		{"PATCH", `{"active":false,"events":[]}`, `false [] http://b.example `},
		{"PUT", `{"active":true,"events":["*"],"header":"C:d"}`, `true [*] http://b.example C:d`},
		{"PATCH", `{"active":null,"events":null,"url":null,"header":null}`, `true [*] http://b.example C:d`},
	} {
		changed := w.want(200, c.method+" "+path, c.body)
		config := changed["config"].(map[string]any)
		if got := fmt.Sprint(changed["active"], " ", changed["events"], " ", config["url"], " ", config["header"]); got != c.want {
			t.Errorf("%s %s gives %s, want %s", c.method, c.body, got, c.want)
		}
	}
	if status, got := w.call("PATCH "+path, `{"events":[]}`); status != 422 || got != `{"events":["can't be blank"]}` {
		t.Errorf("no events for an active subscription answered %d %s", status, got)
	}
	var secret []byte
	stored := func() []byte {
		if err := w.db.QueryRow(t.Context(), "select secret from hooks").Scan(&secret); err != nil {
			t.Fatal(err)
		}
		return secret
	}
	if stored() == nil {
		t.Error("the secret did not stay")
	}
	w.want(200, "PATCH "+path, `{"secret":""}`)
	if stored() != nil {
		t.Error("the secret is not cleared")
	}
}

func TestLimitOfActiveSubscriptions(t *testing.T) {
	w := newWorld(t)
	idle := "/hooks/" + w.want(201, "POST /hooks", `{"url":"http://example.com","events":["*"]}`)["id"].(string)
	var racing sync.WaitGroup
	answers := make(chan int, 24)
	w.token("acme-client")
	for range cap(answers) {
		racing.Go(func() {
			status, _ := w.call("POST /hooks", `{"url":"http://example.com","events":["*"],"active":true}`)
			answers <- status
		})
	}
	racing.Wait()
	close(answers)
	count := map[int]int{}
	for status := range answers {
		count[status]++
	}
	if count[201] != 10 || count[422] != 14 {
		t.Errorf("answers %v, want ten 201", count)
	}
	const want = `{"active":["limit of 10 active subscriptions reached"]}`
	if status, body := w.call("PATCH "+idle, `{"active":true}`); status != 422 || body != want {
		t.Errorf("the eleventh answered %d %s", status, body)
	}
	if status, body := w.call("POST /hooks", `{"active":true}`); status != 422 ||
		body != `{"active":["limit of 10 active subscriptions reached"],"events":["can't be blank"],"url":["can't be blank"]}` {
		t.Errorf("all at once answered %d %s", status, body)
	}
	w.want(201, "POST /hooks", `{"url":"http://example.com","events":["*"],"active":true}`, "globex-client")
	w.want(201, "POST /hooks", `{"url":"http://example.com"}`)
	_, list := w.call("GET /hooks", "")
	var all []map[string]any
	json.Unmarshal([]byte(list), &all) // the next line tells
	for _, h := range all {
		if h["active"] == true {
			w.want(200, "PATCH /hooks/"+h["id"].(string), `{"url":"http://other.example"}`) // it counts as itself
			w.want(204, "DELETE /hooks/"+h["id"].(string), "")
			break
		}
	}
	w.want(200, "PATCH "+idle, `{"active":true}`)
}

func TestUnknownAndForeign(t *testing.T) {
	w := newWorld(t)
	to := newReceiver(t)
	w.deliver()
	mine := w.subscribe(to.URL)
	w.publish("a:b")
	to.wait(t, 1)
	request := w.requests(mine)[0]["id"].(string)
	const notFound = `{"status":404,"error":"Not Found"}`
	for _, id := range []string{uuid.NewString(), "nonsense", strings.ToUpper(mine), "{" + mine + "}", "%00"} {
		for _, c := range [][2]string{
			{"GET /hooks/" + id, ""},
			{"PUT /hooks/" + id, "{}"},
			{"PATCH /hooks/" + id, "{}"},
			{"DELETE /hooks/" + id, ""},
			{"GET /hooks/" + id + "/requests", ""},
			{"POST /hooks/" + id + "/requests/" + request + "/redeliver", ""},
			{"POST /hooks/" + mine + "/requests/" + id + "/redeliver", ""},
		} {
			if status, body := w.call(c[0], c[1]); status != 404 || body != notFound {
				t.Errorf("%s answered %d %s", c[0], status, body)
			}
		}
	}
	for _, c := range [][2]string{
		{"GET /hooks/" + mine, ""},
		{"PUT /hooks/" + mine, `{"active":false}`},
		{"DELETE /hooks/" + mine, ""},
		{"GET /hooks/" + mine + "/requests", ""},
		{"POST /hooks/" + mine + "/requests/" + request + "/redeliver", ""},
	} {
		if status, body := w.call(c[0], c[1], "globex-client"); status != 404 || body != notFound {
			t.Errorf("%s of another tenant answered %d %s", c[0], status, body)
		}
	}
	if status, body := w.call("GET /hooks", "", "globex-client"); status != 200 || body != "[]" {
		t.Errorf("another tenant's list is %d %s", status, body)
	}
	// Wrong fields are told first.
	if status, body := w.call("PUT /hooks/nonsense", `{"url":""}`); status != 422 {
		t.Errorf("wrong fields answered %d %s", status, body)
	}
	w.want(204, "DELETE /hooks/"+mine, "")
	w.want(404, "DELETE /hooks/"+mine, "")
}

func TestCallers(t *testing.T) {
	w := newWorld(t)
	id := uuid.NewString()
	for _, line := range []string{
		"GET /hooks", "POST /hooks", "GET /hooks/" + id, "PUT /hooks/" + id, "PATCH /hooks/" + id, "DELETE /hooks/" + id,
		"GET /hooks/" + id + "/requests", "POST /hooks/" + id + "/requests/" + id + "/redeliver",
	} {
		method, path, _ := strings.Cut(line, " ")
		for given, challenge := range map[string]string{
			"":             `Bearer realm="sandbox"`,
			"Bearer wrong": `Bearer realm="sandbox", error="invalid_token"`,
		} {
			request := httptest.NewRequest(method, path, strings.NewReader("nonsense"))
			if given != "" {
				request.Header.Set("Authorization", given)
			}
			answer := httptest.NewRecorder()
			w.routes.ServeHTTP(answer, request)
			if answer.Code != http.StatusUnauthorized || answer.Body.String() != `{"status":401,"error":"Unauthorized"}` ||
				answer.Header().Get("WWW-Authenticate") != challenge {
				t.Errorf("%s with %q answered %d %s %v", line, given, answer.Code, answer.Body, answer.Header())
			}
		}
		if status, body := w.call(line, "nonsense", "acme-company-client"); status != 403 || body != `{"status":403,"error":"Forbidden"}` {
			t.Errorf("%s without permission answered %d %s", line, status, body)
		}
	}
}
