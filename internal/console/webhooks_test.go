package console_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// TestSubscribeAndRedeliver makes a subscription, sees its delivery fail, and redelivers
// it once the receiver works, all on the pages.
func TestSubscribeAndRedeliver(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	var works atomic.Bool
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		if !works.Load() {
			http.Error(w, "<b>not today</b>", http.StatusTeapot)
		}
	})
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/acme/webhooks")
	tab.Inspect("empty")
	tab.Expect("status of 422")
	tab.Fill("#h-url", "nowhere")
	tab.Click("form.card button")
	tab.AwaitText("#notice", "url: is invalid")
	tab.Fill("#h-url", receiver.URL)
	tab.Fill("#h-name", "Billing")
	tab.Fill("#h-secret", "s3cret")
	tab.Fill("#h-events", "quote_request")
	tab.Click("form.card button")
	tab.AwaitText("#subscriptions", "Billing")

	tab.Go("/tenants/acme/webhooks?view=test")
	tab.Inspect("tools")
	tab.Fill("#event", "quote_request:made")
	tab.Fill("#data", `{"tx_id":"tx-1"}`)
	tab.Click("form[action$='/events'] button")
	tab.AwaitText("#result", "Event sent to 1 subscription")

	tab.Go("/tenants/acme/webhooks")
	tab.AwaitText("#deliveries", "418")
	tab.Inspect("failed")
	tab.Click("#deliveries tbody a")
	tab.AwaitText("#delivery", "Attempt 1: 418")
	tab.AwaitText("#delivery", "<b>not today</b>")
	tab.AwaitText("#delivery", "X-Signature")
	tab.Inspect("delivery")
	works.Store(true)
	tab.Click("form[action$='/redeliver'] button")
	tab.AwaitText("#result", "delivered again")
	tab.Click("#result a")
	tab.AwaitText("h1 + .state", "Delivered")
	tab.AwaitText("#delivery", "redelivery")

	tab.Go("/tenants/acme/webhooks?state=delivered&event=quote_request")
	var rows int
	tab.Eval(`() => document.querySelectorAll('#deliveries tbody tr').length`, &rows)
	if rows != 1 {
		t.Errorf("%d deliveries pass the filter, want 1", rows)
	}
	tab.Go("/tenants/acme/webhooks?state=collected")
	tab.AwaitText("#deliveries", "No delivery matches")
}

// TestSubscriptionPage changes and deletes a subscription that was made in the console,
// and shows one of the API without forms.
func TestSubscriptionPage(t *testing.T) {
	s := servertest.New(t)
	acme := s.Tenant("acme")
	own := acme.Control("POST /hooks", `{"url":"http://127.0.0.1:9/own","events":["*"],"header":"X-Key: k3y-value","secret":"s3cret-value","active":true}`).
		Want(t, http.StatusCreated).Text(t, "id")
	foreign := s.Acme().Subscribe("http://127.0.0.1:9/api")
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/acme/webhooks/" + own)
	tab.Inspect("own")
	for _, secret := range []string{"k3y-value", "s3cret-value"} {
		var shown bool
		tab.Eval(`secret => document.documentElement.outerHTML.includes(secret)`, &shown, secret)
		if shown {
			t.Errorf("the page contains %s", secret)
		}
	}
	tab.Fill("#h-name", "Renamed")
	tab.Click("[type=checkbox][name='active:bool']")
	tab.Click("form.card button")
	tab.AwaitText("h1", "Renamed")
	tab.AwaitText(".head .state", "Inactive")
	changed := acme.Control("GET /hooks/"+own, "").Want(t, http.StatusOK)
	if changed.Text(t, "header") != "X-Key: ***" || changed.Get(t, "has_secret") != true || changed.Get(t, "active") != false {
		t.Errorf("after the change: %s", changed.Body)
	}
	tab.Click("summary.danger")
	tab.Click("details button")
	tab.AwaitText("h1", "Webhooks")
	acme.Control("GET /hooks/"+own, "").Want(t, http.StatusNotFound)

	tab.Go("/tenants/acme/webhooks/" + foreign)
	tab.AwaitText("main", "read-only here")
	tab.Inspect("api")
	var forms int
	tab.Eval(`() => document.querySelectorAll('main form').length`, &forms)
	if forms > 0 {
		t.Errorf("the page of a subscription of the API has %d forms", forms)
	}
}

// TestReceiverTools probes a receiver and checks a signature.
func TestReceiverTools(t *testing.T) {
	s := servertest.New(t)
	receiver := servertest.NewReceiver(t) // it accepts everything
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/acme/webhooks?view=test")
	tab.Fill("#probe-url", receiver.URL)
	tab.Fill("#probe-secret", "s3cret")
	tab.Click("form[action$='/probe'] button")
	tab.AwaitText("#result", "The receiver does not pass")
	tab.AwaitText("#result", "Wrongly accepted")
	tab.Inspect("probed")
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write([]byte("{}"))
	right := hex.EncodeToString(mac.Sum(nil))
	for header, want := range map[string]string{"sha256=" + right: "The signature is valid", right: "prefix sha256= is missing", "sha256=" + strings.ToUpper(right): "upper case"} {
		tab.Go("/tenants/acme/webhooks?view=test")
		tab.Fill("#s-body", "{}")
		tab.Fill("#s-header", header)
		tab.Fill("#s-secret", "s3cret")
		tab.Click("form[action$='/signature'] button")
		tab.AwaitText("#result", want)
	}
	tab.Inspect("signature")
}
