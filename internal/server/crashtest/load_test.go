//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"understudy.example/internal/server/servertest"
)

// submission is a submission, as far as its steps were acknowledged.
type submission struct {
	tenant   *tenant
	txID     string
	document document // of the last acknowledged upload
	replaced bool     // a client has begun to upload another one
	trigger  string   // response to the trigger; "" before
	status   string   // that was shown last
	report   string   // that was read first, without the fields that differ in each inquiry
}

// company is an acknowledged company submit.
type company struct {
	tenant         *tenant
	txID, reportID string
	report         string
}

// startClients starts two clients of each tenant whose clock runs, one of each other
// tenant, and one that makes and deletes tenants. They work until ctx ends.
func (r *run) startClients(ctx context.Context) {
	for i, t := range r.tenants {
		stream := uint64(10 + 2*i)
		if t.frozen {
			r.startClient(ctx, stream, t, (*client).submitAndAdvance)
			continue
		}
		r.startClient(ctx, stream, t, (*client).work)
		r.startClient(ctx, stream+1, t, (*client).work)
	}
	r.startClient(ctx, 2, r.tenants[0], (*client).administer)
}

// startClient starts a client that repeats a flow of calls until ctx ends.
func (r *run) startClient(ctx context.Context, stream uint64, t *tenant, flow func(*client, context.Context)) {
	c := &client{run: r, random: r.newRandom(stream), tenant: t}
	r.clients.Go(func() {
		for ctx.Err() == nil {
			flow(c, ctx)
			pause(ctx, time.Duration(50+c.random.IntN(150))*time.Millisecond)
		}
	})
}

// work is the flow of most clients.
func (c *client) work(ctx context.Context) {
	if c.random.IntN(4) == 0 {
		c.submitCompany(ctx)
		return
	}
	if s, ok := c.submit(ctx, c.newDocument(c.random)); ok && c.random.IntN(2) == 0 {
		c.follow(ctx, s)
	}
}

// announce gets the URL for the upload of a document, and returns its path and query.
func (c *client) announce(ctx context.Context, d document) (s *submission, uploadPath string, ok bool) {
	name, _ := json.Marshal(map[string]string{"filename": d.filename})
	announced, ok := c.do(ctx, call{kind: "get an upload URL", line: servertest.GetUploadURL, body: string(name)})
	if !ok {
		return nil, "", false
	}
	s = &submission{tenant: c.tenant, txID: text(announced, "tx_id")}
	c.journal.write(s.txID, "get an upload URL: %s", announced.Body)
	c.mu.Lock()
	c.submitted = append(c.submitted, s)
	c.mu.Unlock()
	uploadURL, err := url.Parse(text(announced, "upload_url"))
	if err != nil {
		c.journal.fail(badResponse, s.txID, "the upload URL: %v", err)
		return s, "", false
	}
	return s, uploadURL.RequestURI(), true
}

// submit announces, uploads and triggers a document. One in ten is uploaded after
// another one, which it replaces.
func (c *client) submit(ctx context.Context, d document) (*submission, bool) {
	s, uploadPath, ok := c.announce(ctx, d)
	if !ok {
		return s, false
	}
	if c.random.IntN(10) == 0 {
		draft := d
		draft.content = append([]byte("draft "), d.content...)
		if !c.upload(ctx, s, uploadPath, draft) {
			return s, false
		}
	}
	if !c.upload(ctx, s, uploadPath, d) {
		return s, false
	}
	return s, c.trigger(ctx, s)
}

// upload uploads the document to the URL.
func (c *client) upload(ctx context.Context, s *submission, path string, d document) bool {
	contentType, body := servertest.Form(c.t, servertest.Part{Name: "file", Filename: d.filename, Content: d.content})
	c.lock(func() { s.replaced = true })
	_, ok := c.do(ctx, call{
		kind: "upload sha256 " + d.sha256()[:12], point: uploading, key: s.txID, line: "PUT " + path, half: true, body: body,
		header: map[string]string{"Content-Type": contentType, "Authorization": "", "X-Api-Key": ""},
	})
	if ok {
		c.lock(func() { s.document, s.replaced = d, false })
	}
	return ok
}

// lock calls do, which changes the record of what was acknowledged, under the lock.
func (r *run) lock(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// trigger triggers processing. Every later trigger must have the same response.
func (c *client) trigger(ctx context.Context, s *submission) bool {
	response, ok := c.do(ctx, call{
		kind: "trigger", point: triggering, key: s.txID, line: "POST /universal/v2/universal-submit/file/" + s.txID,
	})
	if !ok {
		return false
	}
	if s.trigger != "" && s.trigger != response.Body {
		c.journal.fail(lost, s.txID, "a repeated trigger responds %s, not %s", response.Body, s.trigger)
	}
	c.lock(func() { s.trigger = response.Body })
	return true
}

// order is the order of the states that a submission goes through.
var order = map[string]int{"": 0, "Pending": 0, "Submission_in_progress": 1, "Scheduled": 2, "Started": 3, "Completed": 4, "Failed": 4}

// poll reads the status once and reports whether it is final.
func (c *client) poll(ctx context.Context, s *submission) (final, ok bool) {
	response, ok := c.do(ctx, call{kind: "status", shows: "status", key: s.txID, line: "GET /universal/v2/universal-submit/status/" + s.txID})
	if !ok {
		return false, false
	}
	status := text(response, "status")
	before, after := order[s.status], order[status]
	if after < before || before == 4 && s.status != status {
		c.journal.fail(backward, s.txID, "%s after %s", status, s.status)
	}
	if s.trigger != "" && after == 0 {
		c.journal.fail(lost, s.txID, "%s after the trigger was acknowledged", status)
	}
	if status == "Failed" && s.document.good && s.status != status {
		c.journal.fail(goodFailed, s.txID, "%s: %s", s.document.filename, c.failure(ctx, s))
	}
	c.lock(func() { s.status = status })
	return after == 4, true
}

// failure returns the reason of a failure, from the control API.
func (c *client) failure(ctx context.Context, s *submission) string {
	response, _ := c.do(ctx, call{kind: "reason", key: s.txID, line: "GET /tenants/" + s.tenant.Name + "/transactions/" + s.txID, control: true})
	return text(response, "failure")
}

// follow polls until the submission has ended, and reads its report.
func (c *client) follow(ctx context.Context, s *submission) {
	for ctx.Err() == nil {
		final, ok := c.poll(ctx, s)
		if !ok {
			return
		}
		if final {
			c.read(ctx, s)
			return
		}
		pause(ctx, 40*time.Millisecond)
	}
}

// submitAndAdvance submits a document to the tenant with the frozen clock and moves the
// clock past its end. The move returns only when the submission has ended.
func (c *client) submitAndAdvance(ctx context.Context) {
	s, ok := c.submit(ctx, c.newDocument(c.random))
	if !ok {
		return
	}
	path := "/tenants/" + c.tenant.Name + "/clock"
	now, ok := c.do(ctx, call{kind: "read the clock", key: c.tenant.Name, line: "GET " + path, control: true})
	if !ok {
		return
	}
	at, err := time.Parse(time.RFC3339Nano, text(now, "now"))
	if err != nil {
		c.journal.fail(badResponse, c.tenant.Name, "the clock: %v", err)
		return
	}
	target := at.Add(4*time.Minute + time.Second).Format(time.RFC3339Nano)
	moved, ok := c.do(ctx, call{
		kind: "advance the clock to " + target, point: movingClock, key: c.tenant.Name, line: "POST " + path, control: true, body: `{"set":"` + target + `"}`,
	})
	if !ok {
		return
	}
	c.tenant.mu.Lock()
	c.tenant.clock = text(moved, "now")
	c.tenant.mu.Unlock()
	if !c.login(ctx, c.tenant) { // the token expires by the tenant's clock
		return
	}
	if final, ok := c.poll(ctx, s); ok && !final {
		c.journal.fail(lost, s.txID, "the clock was advanced to %s, past the end of the submission, which is %s", target, s.status)
	}
}

// administer makes tenants and deletes some of them, and changes subscriptions.
func (c *client) administer(ctx context.Context) {
	if !c.changeSubscription(ctx) {
		return
	}
	made, ok := (&client{run: c.run, random: c.random}).makeTenant(ctx, immediate)
	if !ok {
		return
	}
	c.lock(func() { c.disposable = append(c.disposable, made) })
	if c.random.IntN(2) == 0 {
		c.lock(func() { made.deleting = true })
		if _, ok := c.do(ctx, call{
			kind: "delete the tenant", key: made.Name, line: "DELETE /tenants/" + made.Name, control: true, ends: []int{http.StatusNotFound},
		}); ok {
			c.lock(func() { made.deleted = true })
		}
	}
}

// changeSubscription changes the tenant's second subscription.
func (c *client) changeSubscription(ctx context.Context) bool {
	c.tenant.mu.Lock()
	id := text(servertest.Response{Body: c.tenant.subscription}, "id")
	c.tenant.changing = true
	c.tenant.mu.Unlock()
	changed, ok := c.do(ctx, call{
		kind: "change a subscription", point: subscribing, key: c.tenant.Name, line: "PATCH /hooks/" + id,
		body: fmt.Sprintf(`{"events":["quote_request:change_%d"],"active":%t}`, c.random.IntN(1000), c.random.IntN(2) == 0),
	})
	if ok {
		c.tenant.mu.Lock()
		c.tenant.subscription, c.tenant.changing = changed.Body, false
		c.tenant.mu.Unlock()
	}
	return ok
}
