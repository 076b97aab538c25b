package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"understudy.example/internal/fidelity"
)

const (
	hookShape = "id:uuid active:boolean confirmed:boolean events:array config:object owner_id:uuid tenant_id:uuid created_at:time updated_at:time"
	// No name under .invalid can be reached, ever.
	unreachable = "https://understudy-conform.invalid/events"
	// hookEvent is one that the service raises for nothing that is done here.
	hookEvent    = "application_form:understudy_conform"
	hookNotFound = `{"status":404,"error":"Not Found"}`
	mostActive   = 10 // active subscriptions of a tenant
)

// hooks creates a subscription, changes it, and deletes it.
func (r *run) hooks() {
	if r.token == "" {
		r.skip("webhooks", "there is no token")
		return
	}
	body := fmt.Sprintf(`{"url":%q,"events":[%q],"header":"X-Conform: yes","secret":"understudy conform"}`, unreachable, hookEvent)
	made := r.expect("create", "", r.hook("POST /hooks").with(body), http.StatusCreated, "")
	id := made.string("id")
	if id == "" {
		return
	}
	defer r.drop(id)
	r.shape("subscription", fidelity.Stated, made.at(), hookShape)
	r.shape("subscription, config", fidelity.Stated, made.at("config"), "url:text secret:text header:text")
	for _, want := range []struct{ name, text, got string }{
		{"active", "false", fmt.Sprint(made.at("active"))},
		{"confirmed", "false", fmt.Sprint(made.at("confirmed"))},
		{"events", "[" + hookEvent + "]", fmt.Sprint(made.at("events"))},
		{"url", unreachable, made.string("config", "url")},
		{"header", "X-Conform: yes", made.string("config", "header")},
		{"secret", "", made.string("config", "secret")},
	} {
		r.same("create, "+want.name, fidelity.Stated, want.text, want.got)
	}

	path := "/hooks/" + id
	on := r.expect("update by PATCH", "", r.hook("PATCH "+path).with(`{"active":true}`), http.StatusOK, "")
	off := r.expect("update by PUT", "", r.hook("PUT "+path).with(`{"active":false}`), http.StatusOK, "")
	r.same("update by PATCH, active", fidelity.Stated, "true", fmt.Sprint(on.at("active")))
	r.same("update by PUT, active", fidelity.Stated, "false", fmt.Sprint(off.at("active")))
	r.same("update, what is not sent stays", fidelity.Stated, "X-Conform: yes", off.string("config", "header"))
	r.badHooks("create", "POST /hooks", fmt.Sprintf(`"url":%q,`, unreachable))
	r.badHooks("update", "PUT "+path, "")

	r.expect("read", "", r.hook("GET "+path), http.StatusOK, "")
	list := r.expect("list", "", r.hook("GET /hooks"), http.StatusOK, "")
	if list.status == http.StatusOK {
		r.same("list, has the subscription", fidelity.Public, "true", fmt.Sprint(lists(list, id)))
	}
	r.expect("requests", "", r.hook("GET "+path+"/requests"), http.StatusOK, "[]")
	r.expect("redeliver an unknown request", "", r.hook("POST "+path+"/requests/"+absent+"/redeliver"), http.StatusNotFound, hookNotFound)
	for _, line := range []string{"PUT", "PATCH", "GET", "DELETE"} {
		q := r.hook(line + " /hooks/" + absent)
		if line == "PUT" || line == "PATCH" {
			q = q.with(`{"active":false}`)
		}
		r.expect(line+" of an unknown subscription", "", q, http.StatusNotFound, hookNotFound)
	}
	r.tooManyHooks()
}

// tooManyHooks makes active subscriptions until one is refused: the tenant may
// have some of its own.
func (r *run) tooManyHooks() {
	if r.leavesOut(fidelity.Public) {
		return
	}
	body := fmt.Sprintf(`{"url":%q,"events":[%q],"active":true}`, unreachable, hookEvent)
	for range mostActive {
		got := r.ask(r.hook("POST /hooks").with(body))
		if got.status != http.StatusCreated {
			break
		}
		defer r.delete(got.string("id"))
	}
	got := r.ask(r.hook("POST /hooks").with(body))
	if id := got.string("id"); id != "" {
		defer r.delete(id)
	}
	r.row("the eleventh active subscription", fidelity.Public, "422", got.seen(http.StatusUnprocessableEntity), got.status == http.StatusUnprocessableEntity)
	if got.status == http.StatusUnprocessableEntity {
		const full = `{"active":["limit of 10 active subscriptions reached"]}`
		r.row("the eleventh active subscription, body", fidelity.Chosen, full, got.text(), sameJSON(full, got.text()))
	}
}

// badHooks are bodies that are refused. url is what a body needs beside.
func (r *run) badHooks(name, line, url string) {
	for _, bad := range []struct {
		name, body string
		label      fidelity.Label
		says       string
	}{
		{"blank url", `{"url":""}`, fidelity.Stated, `{"url":["can't be blank"]}`},
		{"bad header", `{` + url + `"header":"no colon"}`, fidelity.Stated, `{"header":["colon separated key value pair"]}`},
		{"url of another kind", `{"url":"ftp://understudy-conform.invalid"}`, fidelity.Chosen, `{"url":["is invalid"]}`},
		{"bad event", `{` + url + `"events":["a:b:c"]}`, fidelity.Chosen, `{"events":["is invalid"]}`},
		{"active without events", `{` + url + `"events":[],"active":true}`, fidelity.Chosen, `{"events":["can't be blank"]}`},
	} {
		r.expectKept(name+", "+bad.name, bad.label, r.hook(line).with(bad.body), http.StatusUnprocessableEntity, bad.says)
	}
	if url != "" {
		r.expectKept(name+", no url", fidelity.Stated, r.hook(line).with(`{}`), http.StatusUnprocessableEntity, `{"url":["can't be blank"]}`)
	}
	r.expectKept(name+", malformed JSON", "", r.hook(line).with(`{"url":`), http.StatusBadRequest, `{"status":400,"error":"Bad Request"}`)
	r.expectKept(name+", a key twice", fidelity.Chosen, r.hook(line).with(`{"url":"`+unreachable+`","URL":"`+unreachable+`"}`), http.StatusBadRequest, `{"status":400,"error":"Bad Request"}`)
}

// expectKept is expect for what must not make a subscription; one that is made
// nevertheless is deleted.
func (r *run) expectKept(name string, label fidelity.Label, q question, status int, body string) {
	got := r.expect(name, label, q, status, body)
	if id := got.string("id"); q.method == http.MethodPost && got.status == http.StatusCreated && id != "" {
		r.drop(id)
	}
}

// drop deletes a subscription and compares the answer.
func (r *run) drop(id string) {
	got := r.delete(id)
	r.row("delete", fidelity.Public, "204", got.seen(http.StatusNoContent), got.status == http.StatusNoContent)
}

// delete deletes a subscription, even when the run was told to end.
func (r *run) delete(id string) reply {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 10*time.Second)
	defer cancel()
	last := *r
	last.ctx = ctx
	got := last.ask(r.hook("DELETE /hooks/" + id))
	if got.status != http.StatusNoContent {
		r.progress("  the subscription %s could not be deleted: please delete it", id)
	}
	return got
}

// lists tells whether the list has an element of the id.
func lists(list reply, id string) bool {
	var elements []struct {
		ID string `json:"id"`
	}
	json.Unmarshal(list.body, &elements) // what is no list has none
	for _, element := range elements {
		if element.ID == id {
			return true
		}
	}
	return false
}
