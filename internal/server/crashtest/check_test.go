//go:build linux

package crashtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/server/servertest"
)

// endLimit is the time in which all submissions must have ended and all events must have
// been delivered after the last fault. A delivery whose attempt failed is retried after
// 15 to 24 s, and again about as long after that.
const endLimit = 3 * time.Minute

// check checks that everything that was acknowledged still holds.
func (r *run) check() {
	ctx := context.Background()
	deadline := time.Now().Add(endLimit)
	r.lock(func() {}) // the clients have ended: what they have recorded no longer changes
	r.advanceFrozen(ctx)
	every(r.submitted, func(s *submission) { r.checkSubmission(ctx, s, deadline) })
	every(r.companies, func(one *company) {
		r.client(one.tenant).readCompany(ctx, one)
		r.awaitEvent(happening{one.tenant.Name, "company_submit:completed", one.txID}, deadline)
	})
	every(r.tenants, func(t *tenant) { r.checkTenant(ctx, t) })
	every(r.disposable, func(t *tenant) { r.checkTenant(ctx, t) })
	r.checkEvents()
}

// client returns a client of the tenant.
func (r *run) client(t *tenant) *client {
	return &client{run: r, random: r.newRandom(uint64(time.Now().UnixNano())), tenant: t}
}

// advanceFrozen moves frozen clocks until all submissions of their tenants have ended.
func (r *run) advanceFrozen(ctx context.Context) {
	for _, t := range r.tenants {
		if !t.frozen {
			continue
		}
		c := r.client(t)
		moved, ok := c.do(ctx, call{
			kind: "advance the clock by 10m", key: t.Name, line: "POST /tenants/" + t.Name + "/clock", control: true, body: `{"advance":"10m"}`,
		})
		if !ok {
			continue
		}
		if now := text(moved, "now"); now < t.clock {
			r.journal.fail(lost, t.Name, "the clock shows %s, and has shown %s", now, t.clock)
		}
		c.login(ctx, t)
	}
}

// checkSubmission checks one submission.
func (r *run) checkSubmission(ctx context.Context, s *submission, deadline time.Time) {
	c := r.client(s.tenant)
	if s.document.filename != "" && !s.replaced {
		r.checkFile(s)
	}
	if s.trigger == "" {
		c.poll(ctx, s)
		return
	}
	c.trigger(ctx, s)
	for {
		final, ok := c.poll(ctx, s)
		if !ok {
			return
		}
		if final {
			break
		}
		if time.Now().After(deadline) {
			r.journal.fail(notEnded, s.txID, "%s is %s", s.document.filename, s.status)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	end := "Completed"
	if !s.document.good {
		end = "Failed"
	}
	if s.status != end && !s.document.good { // a good document that failed is already a finding
		r.journal.fail(lost, s.txID, "%s is %s, want %s", s.document.filename, s.status, end)
	}
	c.read(ctx, s) // twice, and perhaps once before
	c.read(ctx, s)
	r.checkTransaction(ctx, c, s)
	for _, state := range []string{"submission_in_progress", "scheduled", "started", strings.ToLower(s.status)} {
		r.awaitEvent(happening{s.tenant.Name, "universal_submit:" + state, s.txID}, deadline)
	}
}

// checkTransaction compares the control API's view of the submission with what was
// acknowledged.
func (r *run) checkTransaction(ctx context.Context, c *client, s *submission) {
	response, ok := c.do(ctx, call{kind: "read the transaction", key: s.txID, line: "GET /tenants/" + s.tenant.Name + "/transactions/" + s.txID, control: true})
	if !ok {
		return
	}
	var shown struct {
		SHA256   string
		Timeline []struct{ Status string }
	}
	if err := json.Unmarshal([]byte(response.Body), &shown); err != nil {
		r.journal.fail(badResponse, s.txID, "the transaction: %v", err)
		return
	}
	if shown.SHA256 != s.document.sha256() {
		r.journal.fail(lost, s.txID, "the file's sha256 is %s, %s was acknowledged", shown.SHA256, s.document.sha256())
	}
	var states []string
	for _, moved := range shown.Timeline {
		states = append(states, moved.Status)
	}
	if want := []string{"Submission_in_progress", "Scheduled", "Started", s.status}; !slices.Equal(states, want) {
		r.journal.fail(backward, s.txID, "the timeline is %v, want %v", states, want)
	}
}

// checkFile checks that the object store has the file of the last acknowledged upload.
func (r *run) checkFile(s *submission) {
	paths, _ := filepath.Glob(filepath.Join(r.objects, "*", s.txID+"-*"))
	found := false
	for _, path := range paths {
		content, err := os.ReadFile(path)
		digest := sha256.Sum256(content)
		if err == nil && hex.EncodeToString(digest[:]) == s.document.sha256() {
			found = true
		}
	}
	if !found {
		r.journal.fail(lost, s.txID, "the object store has %d files of the submission, none with the sha256 %s", len(paths), s.document.sha256())
	}
	for range max(0, len(paths)-1) {
		r.journal.count("unused files")
	}
}

// awaitEvent waits until the event has been delivered.
func (r *run) awaitEvent(about happening, deadline time.Time) {
	for r.receiver.eventIDs(about) == 0 {
		if time.Now().After(deadline) {
			r.journal.fail(wrongEvent, about.txID, "%s was not delivered", about.name)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// checkEvents checks that no event was published twice.
func (r *run) checkEvents() {
	r.receiver.mu.Lock()
	defer r.receiver.mu.Unlock()
	finals := map[string]int{}
	for about, ids := range r.receiver.ids {
		if len(ids) != 1 && about.txID != "" {
			r.journal.fail(wrongEvent, about.txID, "%s has %d X-Request-Ids", about.name, len(ids))
		}
		if about.name == "universal_submit:completed" || about.name == "universal_submit:failed" {
			finals[about.txID]++
		}
	}
	for txID, n := range finals {
		if n != 1 {
			r.journal.fail(wrongEvent, txID, "%d final events", n)
		}
	}
}

// checkTenant checks that the tenant exists with its credentials, subscription and
// clock, or that it is deleted.
func (r *run) checkTenant(ctx context.Context, t *tenant) {
	c := r.client(t)
	response, ok := c.do(ctx, call{kind: "read the tenant", key: t.Name, line: "GET /tenants/" + t.Name, control: true, ends: []int{http.StatusNotFound}})
	if !ok {
		return
	}
	gone := response.Status == http.StatusNotFound
	if gone && !t.deleting || !gone && t.deleted {
		r.journal.fail(lost, t.Name, "the tenant has the status %d, and deleted is %t", response.Status, t.deleted)
	}
	if gone || !c.login(ctx, t) {
		return
	}
	if t.subscription != "" && !t.changing {
		id := text(servertest.Response{Body: t.subscription}, "id")
		shown, ok := c.do(ctx, call{kind: "read the subscription", key: t.Name, line: "GET /hooks/" + id})
		if ok && shown.Body != t.subscription {
			r.journal.fail(lost, t.Name, "the subscription is\n%s\n\t%s was acknowledged", shown.Body, t.subscription)
		}
	}
}
