package console_test

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// TestOverviewTeaches opens a server on which nothing has happened, checks that the
// commands on the page work, and that what they do appears while the page is open.
func TestOverviewTeaches(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tab := consoletest.Open(t, s)
	tab.Go("/")
	tab.AwaitText("h2", "Nothing has been submitted yet")
	tab.AwaitText("#feed", "appear here as they happen")
	tab.Inspect("fresh")
	var commands []string
	tab.Eval(`() => [...document.querySelectorAll('.steps code')].map(e => e.textContent)`, &commands)
	if len(commands) != 3 || !strings.Contains(commands[0], "acme-client:acme-secret") {
		t.Fatalf("commands %q", commands)
	}
	submit := exec.Command("sh", "-euc", strings.Join(commands[:2], "\n")+"\necho $TX_ID")
	txID, err := submit.CombinedOutput()
	if err != nil || len(strings.TrimSpace(string(txID))) != 36 {
		t.Fatalf("the commands: %v\n%s", err, txID)
	}
	tab.AwaitText("#feed", "universal-submit/file")
	s.Settle()
	s.Tenant("acme").Advance("1m")
	tab.AwaitText("#feed", "Completed")
	tab.AwaitText("#numbers", "1")
	read := exec.Command("sh", "-euc", commands[0]+"\nTX_ID="+strings.TrimSpace(string(txID))+"\n"+commands[2])
	if out, err := read.CombinedOutput(); err != nil || !strings.Contains(string(out), "Foxglove Bakery LLC") {
		t.Errorf("the last command: %v\n%s", err, out)
	}
}

// TestOverviewHidesCredentials checks that a server which is shared shows no
// credentials.
func TestOverviewHidesCredentials(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) { o.Shared = true })
	page := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + "/?tenant=acme"}).Want(t, http.StatusOK)
	if strings.Contains(page.Body, "acme-secret") || !strings.Contains(page.Body, "CLIENT_SECRET") {
		t.Error("a shared server shows demo credentials")
	}
}

// TestOverviewAfterTraffic checks what the page shows of traffic: numbers, history, feed,
// findings and coverage.
func TestOverviewAfterTraffic(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"},"webhooks":"collect"}`)
	tenant.Subscribe("http://127.0.0.1:9")
	for _, filename := range []string{"letter.txt", "letter.fail.txt", "letter.review.txt"} {
		txID := tenant.Submit(filename, servertest.Letter)
		servertest.Until(t, "the submission ends", func() bool {
			state := tenant.Control("GET /transactions/"+txID, "").Text(t, "status")
			return state == "Completed" || state == "Failed"
		})
	}
	tenant.Do("GET /hooks?"+"a=%3Cimg%20src=x%3E", "").Want(t, http.StatusOK)
	tenant.Control("POST /events", `{"event":"quote_request:<b>","data":{}}`)
	tab := consoletest.Open(t, s)
	tab.Go("/?tenant=" + tenant.Name)
	tab.AwaitTrue(`() => document.querySelector('#chart-title')?.textContent.includes('2 completed, 1 failed')`)
	tab.AwaitTrue(`() => document.querySelectorAll('.chip.seen').length > 5 && document.querySelectorAll('.chip.never').length > 50`)
	tab.AwaitTrue(`() => document.querySelectorAll('.chart rect.done').length > 0`)
	tab.Inspect("traffic")
	tab.Click("#covered-hooks summary")
	tab.Click(".chart details summary")
	tab.Inspect("coverage")
	before := tab.Text("#numbers .big a[href$='/requests']")
	tenant.Do("GET /hooks", "").Want(t, http.StatusOK)
	tab.AwaitTrue(`before => document.querySelector("#numbers .big a[href$='/requests']").innerText != before`, before)
	tab.Await(".chart details[open] table") // what the visitor has opened stays open
	tab.Click(`#history-heading + .tabs a[href*="7d"]`)
	tab.AwaitTrue(`() => document.querySelector('#chart-title')?.textContent.includes('last 7d')`)
	tab.Click(`#feed .tabs a[href*="kind=state"]`)
	tab.AwaitTrue(`() => { const rows = [...document.querySelectorAll('#feed li .state')]; return document.querySelectorAll('#feed .feed li').length > 0 && !document.querySelector('#feed').innerText.includes('POST '); }`)
	tab.AwaitText("#feed", "letter.review.txt")
	if path := tab.Path(); !strings.Contains(path, "kind=state") || !strings.Contains(path, "window=7d") {
		t.Errorf("the URL %s does not have both filters", path)
	}
}
