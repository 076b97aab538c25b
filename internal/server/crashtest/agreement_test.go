//go:build linux

package crashtest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

const (
	// agreeLimit is the time within which a change that one server has made takes effect
	// on the others.
	agreeLimit = time.Second
	// busyLimit is the limit in `go test`, where other tests run at the same time.
	busyLimit = 30 * time.Second
)

// TestTeamAgrees makes each call of a submission at another server than the one before,
// triggers a submission 200 times at once, and checks that a change that one server makes
// takes effect on all servers.
func TestTeamAgrees(t *testing.T) {
	t.Parallel()
	r := newRun(t)
	databaseURL := r.startTeam()
	r.addTenants()
	for range teamSize {
		r.spreadSubmission()
		r.nodes = append(r.nodes[1:], r.nodes[0])
	}
	r.triggerAtOnce(databaseURL)
	for _, agree := range []func(*team){
		(*team).agreeOnSettings, (*team).agreeOnClock, (*team).agreeOnFaults, (*team).agreeOnOutcomes,
		(*team).agreeOnRevocation, (*team).agreeOnJournal, (*team).agreeOnDeliveries,
	} {
		agree(r.newTeam())
	}
	r.finish(func() {})
	r.wantServedByAll()
}

// at returns a client of the tenant that calls the server.
func (r *run) at(n *node, t *tenant) *client {
	c := r.client(t)
	c.only = n
	return c
}

// spreadSubmission makes each call of a submission at another server.
func (r *run) spreadSubmission() {
	r.t.Helper()
	ctx, d, tenant := r.t.Context(), r.goodDocument(), r.tenants[1]
	s, uploadPath, ok := r.at(r.nodes[0], tenant).announce(ctx, d)
	if !ok || !r.at(r.nodes[1], tenant).upload(ctx, s, uploadPath, d) || !r.at(r.nodes[2], tenant).trigger(ctx, s) {
		r.t.Fatal(r.journal.report())
	}
	for _, n := range r.nodes {
		r.at(n, tenant).follow(ctx, s)
	}
}

// goodDocument returns a document that can be read.
func (r *run) goodDocument() document {
	for {
		if d := r.newDocument(r.random); d.good {
			return d
		}
	}
}

// triggerAtOnce triggers a submission 200 times at once, and checks that all responses
// are the same and that it is processed once.
func (r *run) triggerAtOnce(databaseURL string) {
	r.t.Helper()
	const times = 200
	ctx, d, tenant := r.t.Context(), r.goodDocument(), r.tenants[0]
	c := r.client(tenant)
	s, uploadPath, ok := c.announce(ctx, d)
	if !ok || !c.upload(ctx, s, uploadPath, d) {
		r.t.Fatal(r.journal.report())
	}
	var triggers sync.WaitGroup
	var responses [times]string
	begin := make(chan struct{})
	for i := range times {
		triggers.Go(func() {
			<-begin
			response, err := r.client(tenant).attempt(call{line: "POST /universal/v2/universal-submit/file/" + s.txID})
			responses[i] = fmt.Sprint(response.Status, " ", response.Body, err)
		})
	}
	close(begin)
	triggers.Wait()
	c.trigger(ctx, s)
	for _, response := range responses {
		if want := fmt.Sprint(http.StatusOK, " ", s.trigger, error(nil)); response != want {
			r.t.Fatalf("one of %d triggers responds %s, want %s", times, response, want)
		}
	}
	c.follow(ctx, s)
	db, err := storage.Open(ctx, databaseURL, teamEnvironment)
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	var attempts, reports int
	if err := db.QueryRow(ctx, `
		select attempt, (select count(*) from reports r where r.tx_id = s.tx_id::text)
		from submissions s
		where tx_id = $1`, s.txID).Scan(&attempts, &reports); err != nil || attempts != 1 || reports != 1 {
		r.t.Errorf("processed %d times, %d reports, %v; want 1 and 1", attempts, reports, err)
	}
}

// team is a tenant at all servers.
type team struct {
	*run
	tenant *tenant
}

// newTeam makes a tenant whose submissions do not wait, with a subscription to their events.
func (r *run) newTeam() *team {
	r.t.Helper()
	made, ok := r.client(nil).makeTenant(r.t.Context(), immediate)
	if !ok || !r.client(made).subscribe(r.t.Context(), r.receiver.URL+"/"+made.Name, "universal_submit") {
		r.t.Fatal(r.journal.report())
	}
	return &team{r, made}
}

// change makes a call of the control API, below the tenant's path, at one of the servers.
func (m *team) change(server int, line, body string) servertest.Response {
	m.t.Helper()
	method, path, _ := strings.Cut(line, " ")
	response, ok := m.at(m.nodes[server], m.tenant).do(m.t.Context(), call{
		kind: line, key: m.tenant.Name, line: method + " /tenants/" + m.tenant.Name + path, body: body, control: true,
	})
	if !ok {
		m.t.Fatal(m.journal.report())
	}
	return response
}

// agree waits until the condition holds at each server, for a client that calls only
// that.
func (m *team) agree(what string, holds func(*client) bool) {
	m.t.Helper()
	limit := busyLimit
	if _, long := teamRounds(m.t); long {
		limit = agreeLimit
	}
	begun := time.Now()
	for _, n := range m.nodes {
		c := m.at(n, m.tenant)
		for !holds(c) {
			if time.Since(begun) > limit {
				m.t.Errorf("%s: not on %s within %v", what, n.name, limit)
				return
			}
			pause(m.t.Context(), 5*time.Millisecond)
		}
	}
	m.tally.note("%s: on all servers after %.2f s", what, time.Since(begun).Seconds())
}

// submitAndFollow submits a document and waits until it has ended.
func (m *team) submitAndFollow(server int, d document) *submission {
	m.t.Helper()
	c := m.at(m.nodes[server], m.tenant)
	s, ok := c.submit(m.t.Context(), d)
	if !ok {
		m.t.Fatal(m.journal.report())
	}
	c.follow(m.t.Context(), s)
	return s
}

const statusLine = "GET /universal/v2/universal-submit/status/"

// statusOf makes a status call once.
func (c *client) statusOf(txID string) servertest.Response {
	response, _ := c.attempt(call{line: statusLine + txID})
	return response
}

func (m *team) agreeOnSettings() {
	s := m.submitAndFollow(0, m.goodDocument())
	for server, vocabulary := range []string{`"polling"`, "null"} {
		m.change(server, "PATCH /settings", `{"status_vocabulary":`+vocabulary+`}`)
		want := []string{"Succeeded", "Completed"}[server]
		m.agree("setting status_vocabulary="+vocabulary, func(c *client) bool { return text(c.statusOf(s.txID), "status") == want })
	}
}

// agreeOnClock moves a tenant's clock past the age at which upload URLs expire.
func (m *team) agreeOnClock() {
	_, uploadPath, ok := m.at(m.nodes[0], m.tenant).announce(m.t.Context(), m.goodDocument())
	if !ok {
		m.t.Fatal(m.journal.report())
	}
	contentType, body := servertest.Form(m.t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
	m.change(1, "POST /clock", `{"advance":"6m"}`)
	m.agree("clock", func(c *client) bool {
		response, _ := c.attempt(call{line: "PUT " + uploadPath, body: body, header: map[string]string{"Content-Type": contentType}})
		return response.Status == http.StatusForbidden
	})
}

func (m *team) agreeOnFaults() {
	s := m.submitAndFollow(0, m.goodDocument())
	m.change(2, "POST /faults", `{"route":"GET /universal/v2/universal-submit/status/{tx_id}","status":503}`)
	m.agree("fault", func(c *client) bool { return c.statusOf(s.txID).Status == http.StatusServiceUnavailable })
	m.change(0, "DELETE /faults", "")
	m.agree("no fault", func(c *client) bool { return c.statusOf(s.txID).Status == http.StatusOK })
}

// agreeOnOutcomes checks that an outcome applies to the next submission, whichever server
// processes it.
func (m *team) agreeOnOutcomes() {
	m.change(1, "PUT /outcomes", `{"match":{"filename":"*"},"status":"Failed"}`)
	for server := range m.nodes {
		d := m.goodDocument()
		d.good = false // because of the outcome
		if s := m.submitAndFollow(server, d); s.status != "Failed" {
			m.t.Errorf("with an outcome, a submission at %s is %s, want Failed", m.nodes[server].name, s.status)
		}
	}
	m.change(2, "DELETE /outcomes", "")
	for server := range m.nodes {
		m.submitAndFollow(server, m.goodDocument())
	}
}

func (m *team) agreeOnRevocation() {
	m.change(0, "POST /clients", `{"client_id":"`+m.tenant.Name+`-reader","client_secret":"reader-secret","permissions":["::universal/v2/universal-submit:get"]}`)
	s := m.submitAndFollow(0, m.goodDocument())
	reader := &tenant{Name: m.tenant.Name, ClientID: m.tenant.Name + "-reader", ClientSecret: "reader-secret", apiKey: m.tenant.apiKey}
	if !m.at(m.nodes[1], reader).login(m.t.Context(), reader) {
		m.t.Fatal(m.journal.report())
	}
	asReader := func(c *client) int {
		c.tenant = reader
		return c.statusOf(s.txID).Status
	}
	m.agree("new client", func(c *client) bool { return asReader(c) == http.StatusOK })
	m.change(2, "DELETE /clients/"+reader.ClientID, "")
	m.agree("revocation", func(c *client) bool { return asReader(c) == http.StatusUnauthorized })
}

func (m *team) agreeOnJournal() {
	for _, n := range m.nodes {
		unknown := m.at(n, m.tenant).statusOf(servertest.Absent)
		id := unknown.Header.Get("X-Request-Id")
		m.agree("journal of "+n.name, func(c *client) bool {
			listed, err := c.attempt(call{line: "GET /tenants/" + m.tenant.Name + "/requests", control: true})
			return err == nil && strings.Contains(listed.Body, id)
		})
	}
}

// agreeOnDeliveries checks that all servers show the same deliveries, and that a change
// of the subscription affects deliveries of all servers.
func (m *team) agreeOnDeliveries() {
	ctx, event := m.t.Context(), "quote_request:made"
	created, ok := m.at(m.nodes[0], m.tenant).createSubscription(ctx, m.receiver.URL+"/before", "quote_request")
	if !ok {
		m.t.Fatal(m.journal.report())
	}
	id := text(servertest.Response{Body: created}, "id")
	fireEverywhere := func(receiver string) {
		for server := range m.nodes {
			m.change(server, "POST /events", `{"event":"`+event+`","data":{}}`)
		}
		servertest.Until(m.t, "the events are delivered to "+receiver, func() bool {
			return m.receiver.eventIDs(happening{receiver, event, ""}) == teamSize
		})
	}
	fireEverywhere("before")
	var shown string
	m.agree("deliveries", func(c *client) bool {
		list, err := c.attempt(call{line: "GET /hooks/" + id + "/requests"})
		if shown == "" && strings.Count(list.Body, `"response_status":200`) == teamSize {
			shown = list.Body
		}
		return err == nil && shown != "" && list.Body == shown
	})
	if _, ok := m.at(m.nodes[1], m.tenant).do(ctx, call{
		kind: "change the subscription", line: "PATCH /hooks/" + id, body: `{"url":"` + m.receiver.URL + `/after"}`,
	}); !ok {
		m.t.Fatal(m.journal.report())
	}
	pause(ctx, agreeLimit) // from then on, no server sends to the old URL
	fireEverywhere("after")
}
