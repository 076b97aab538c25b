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
	hookFields = "id:uuid active:boolean confirmed:boolean events:array config:object owner_id:uuid tenant_id:uuid created_at:time updated_at:time"
	// unreachableURL has a host name that never resolves: .invalid is reserved
	// by RFC 2606.
	unreachableURL = "https://understudy-conform.invalid/events"
	// hookEvent is an event that no call of a run publishes.
	hookEvent    = "application_form:understudy_conform"
	hookNotFound = `{"status":404,"error":"Not Found"}`
	maxActive    = 10 // active subscriptions per tenant
)

// hooks creates, updates, reads, lists and deletes a subscription.
func (r *run) hooks() {
	if r.token == "" {
		r.skip("webhooks", "no access token")
		return
	}
	body := fmt.Sprintf(`{"url":%q,"events":[%q],"header":"X-Conform: yes","secret":"understudy conform"}`, unreachableURL, hookEvent)
	created := r.expect("create", "", r.hooksRequest("POST /hooks").withJSON(body), http.StatusCreated, "")
	id := created.stringValue("id")
	if id == "" {
		return
	}
	defer r.expectDelete(id)
	r.checkShape("subscription", fidelity.Stated, created.value(), hookFields)
	r.checkShape("subscription, config", fidelity.Stated, created.value("config"), "url:text secret:text header:text")
	for _, field := range []struct{ name, want, got string }{
		{"active", "false", fmt.Sprint(created.value("active"))},
		{"confirmed", "false", fmt.Sprint(created.value("confirmed"))},
		{"events", "[" + hookEvent + "]", fmt.Sprint(created.value("events"))},
		{"url", unreachableURL, created.stringValue("config", "url")},
		{"header", "X-Conform: yes", created.stringValue("config", "header")},
		{"secret", "", created.stringValue("config", "secret")},
	} {
		r.recordEqual("create, "+field.name, fidelity.Stated, field.want, field.got)
	}

	path := "/hooks/" + id
	activated := r.expect("update by PATCH", "", r.hooksRequest("PATCH "+path).withJSON(`{"active":true}`), http.StatusOK, "")
	deactivated := r.expect("update by PUT", "", r.hooksRequest("PUT "+path).withJSON(`{"active":false}`), http.StatusOK, "")
	r.recordEqual("update by PATCH, active", fidelity.Stated, "true", fmt.Sprint(activated.value("active")))
	r.recordEqual("update by PUT, active", fidelity.Stated, "false", fmt.Sprint(deactivated.value("active")))
	r.recordEqual("update, omitted field is unchanged", fidelity.Stated, "X-Conform: yes", deactivated.stringValue("config", "header"))
	r.invalidSubscriptions("create", "POST /hooks", fmt.Sprintf(`"url":%q,`, unreachableURL))
	r.invalidSubscriptions("update", "PUT "+path, "")

	r.expect("read", "", r.hooksRequest("GET "+path), http.StatusOK, "")
	list := r.expect("list", "", r.hooksRequest("GET /hooks"), http.StatusOK, "")
	if list.status == http.StatusOK {
		r.recordEqual("list, contains the subscription", fidelity.Public, "true", fmt.Sprint(containsID(list, id)))
	}
	r.expect("requests", "", r.hooksRequest("GET "+path+"/requests"), http.StatusOK, "[]")
	r.expect("redeliver an unknown request", "", r.hooksRequest("POST "+path+"/requests/"+unknownID+"/redeliver"), http.StatusNotFound, hookNotFound)
	cleared := r.expect("update, null header", "", r.hooksRequest("PATCH "+path).withJSON(`{"header":null}`), http.StatusOK, "")
	r.recordEqual("update, null header is cleared", fidelity.Chosen, "", cleared.stringValue("config", "header"))
	ignored := r.expect("update, key in another case", fidelity.Chosen, r.hooksRequest("PATCH "+path).withJSON(`{"Url":"https://understudy-conform.invalid/other"}`), http.StatusOK, "")
	r.recordEqual("update, key in another case is ignored", fidelity.Chosen, unreachableURL, ignored.stringValue("config", "url"))
	for _, method := range []string{"PUT", "PATCH", "GET", "DELETE"} {
		req := r.hooksRequest(method + " /hooks/" + unknownID)
		if method == "PUT" || method == "PATCH" {
			req = req.withJSON(`{"active":false}`)
		}
		r.expect(method+" an unknown subscription", "", req, http.StatusNotFound, hookNotFound)
	}
	r.activeLimit()
}

// activeLimit checks the limit on active subscriptions. It creates them until
// one is rejected, because the tenant may have some already.
func (r *run) activeLimit() {
	if r.excludes(fidelity.Public) {
		return
	}
	body := fmt.Sprintf(`{"url":%q,"events":[%q],"active":true}`, unreachableURL, hookEvent)
	for range maxActive {
		got := r.send(r.hooksRequest("POST /hooks").withJSON(body))
		if got.status != http.StatusCreated {
			break
		}
		defer r.deleteSubscription(got.stringValue("id"))
	}
	got := r.send(r.hooksRequest("POST /hooks").withJSON(body))
	if id := got.stringValue("id"); id != "" {
		defer r.deleteSubscription(id)
	}
	r.record("eleventh active subscription", fidelity.Public, "422", got.describe(http.StatusUnprocessableEntity), got.status == http.StatusUnprocessableEntity)
	if got.status == http.StatusUnprocessableEntity {
		const limitReached = `{"active":["limit of 10 active subscriptions reached"]}`
		r.record("eleventh active subscription, body", fidelity.Chosen, limitReached, got.bodyText(), sameJSON(limitReached, got.bodyText()))
	}
}

// invalidSubscriptions sends bodies that must be rejected. urlField is the JSON
// text that makes a body with other fields complete, or "" if url is optional.
func (r *run) invalidSubscriptions(name, line, urlField string) {
	for _, invalid := range []struct {
		name, body string
		label      fidelity.Label
		want       string // the response body
	}{
		{"blank url", `{"url":""}`, fidelity.Stated, `{"url":["can't be blank"]}`},
		{"invalid header", `{` + urlField + `"header":"no colon"}`, fidelity.Stated, `{"header":["colon separated key value pair"]}`},
		{"empty header", `{` + urlField + `"header":""}`, fidelity.Chosen, `{"header":["colon separated key value pair"]}`},
		{"header that the server sets", `{` + urlField + `"header":"X-Signature: mine"}`, fidelity.Chosen, `{"header":["colon separated key value pair"]}`},
		{"url with user info", `{"url":"https://user@understudy-conform.invalid"}`, fidelity.Chosen, `{"url":["is invalid"]}`},
		{"url of cloud metadata", `{"url":"http://169.254.169.254/"}`, fidelity.Chosen, `{"url":["is not allowed"]}`},
		{"url with an unsupported scheme", `{"url":"ftp://understudy-conform.invalid"}`, fidelity.Chosen, `{"url":["is invalid"]}`},
		{"invalid event", `{` + urlField + `"events":["a:b:c"]}`, fidelity.Chosen, `{"events":["is invalid"]}`},
		{"active without events", `{` + urlField + `"events":[],"active":true}`, fidelity.Chosen, `{"events":["can't be blank"]}`},
	} {
		r.expectNotCreated(name+", "+invalid.name, invalid.label, r.hooksRequest(line).withJSON(invalid.body), http.StatusUnprocessableEntity, invalid.want)
	}
	if urlField != "" {
		r.expectNotCreated(name+", url in another case", fidelity.Chosen, r.hooksRequest(line).withJSON(`{"Url":"`+unreachableURL+`"}`), http.StatusUnprocessableEntity, `{"url":["can't be blank"]}`)
		r.expectNotCreated(name+", missing url", fidelity.Stated, r.hooksRequest(line).withJSON(`{}`), http.StatusUnprocessableEntity, `{"url":["can't be blank"]}`)
	}
	r.expectNotCreated(name+", malformed JSON", "", r.hooksRequest(line).withJSON(`{"url":`), http.StatusBadRequest, `{"status":400,"error":"Bad Request"}`)
	r.expectNotCreated(name+", duplicate key", fidelity.Chosen, r.hooksRequest(line).withJSON(`{"url":"`+unreachableURL+`","url":"`+unreachableURL+`"}`), http.StatusBadRequest, `{"status":400,"error":"Bad Request"}`)
}

// expectNotCreated is like expect, for a request that must not create a
// subscription. If it creates one, the subscription is deleted.
func (r *run) expectNotCreated(name string, label fidelity.Label, req request, status int, body string) {
	got := r.expect(name, label, req, status, body)
	if id := got.stringValue("id"); req.method == http.MethodPost && got.status == http.StatusCreated && id != "" {
		r.expectDelete(id)
	}
}

// expectDelete deletes a subscription and checks the response.
func (r *run) expectDelete(id string) {
	got := r.deleteSubscription(id)
	r.record("delete", fidelity.Public, "204", got.describe(http.StatusNoContent), got.status == http.StatusNoContent)
}

// deleteSubscription deletes a subscription, even if the run's context is done.
func (r *run) deleteSubscription(id string) response {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 10*time.Second)
	defer cancel()
	uncancelled := *r
	uncancelled.ctx = ctx
	got := uncancelled.send(r.hooksRequest("DELETE /hooks/" + id))
	if got.status != http.StatusNoContent {
		r.progressf("  failed to delete subscription %s: delete it manually", id)
	}
	return got
}

// containsID reports whether the response is a JSON array with an element of
// this ID.
func containsID(list response, id string) bool {
	var elements []struct {
		ID string `json:"id"`
	}
	json.Unmarshal(list.body, &elements) // on an error there are no elements
	for _, element := range elements {
		if element.ID == id {
			return true
		}
	}
	return false
}
