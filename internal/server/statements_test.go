package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestStatementsOfCalls checks that no call runs more SQL statements than listed, begin and
// commit included. The client is cached, as it is in most calls.
func TestStatementsOfCalls(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	acme := s.Acme()
	ended := acme.Submit("a.txt", servertest.Letter)
	waiting, uploadURL := acme.Announce("b.txt")
	for _, c := range []struct {
		name string
		most int
		call func() servertest.Response
	}{
		{"token", 1, func() servertest.Response { return s.NewToken(s.Demo(0)) }},
		{"upload URL", 1, func() servertest.Response {
			return acme.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"c.txt"}`)
		}},
		{"upload", 2, func() servertest.Response { return s.Upload(uploadURL, "b.txt", servertest.Letter) }},
		{"trigger", 7, func() servertest.Response { return acme.Trigger(waiting) }},
		{"trigger again", 1, func() servertest.Response { return acme.Trigger(waiting) }},
		{"status", 1, func() servertest.Response { return acme.Status(ended) }},
		{"inquiry for the company", 4, func() servertest.Response {
			return acme.Do("GET /data/v2/acme-us-c0001/"+ended+"?idType=transaction", "")
		}},
		{"inquiry for locations", 4, func() servertest.Response {
			return acme.Do("GET /data/v2/acme-us-l0001/"+ended+"?idType=sov", "")
		}},
	} {
		statements.Take()
		c.call().Want(t, http.StatusOK)
		run := statements.Take()
		if len(run) > c.most {
			t.Errorf("%s: %d statements, want at most %d:\n%s", c.name, len(run), c.most, strings.Join(run, "\n"))
		}
	}
}

// TestStatementsOfSubmission checks how many SQL statements a submission runs from the
// upload URL to its end, if it does not wait before its states: begin, commit, and the
// statements of the background work included. Each step runs once, and no step looks for
// work without finding any. The polls of the background steps add statements, so the
// smallest number of several submissions counts. With a subscription, the statements that
// deliver its four events count too.
func TestStatementsOfSubmission(t *testing.T) {
	for _, c := range []struct {
		name      string
		subscribe bool
		most      int
	}{
		{"without a subscription", false, 16},
		{"with a subscription", true, 27},
	} {
		t.Run(c.name, func(t *testing.T) {
			statements := &servertest.Statements{Background: true}
			s := servertest.New(t, statements.Record(t), servertest.Background)
			tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
			if c.subscribe {
				tenant.Subscribe(servertest.NewReceiver(t).URL)
			}
			var least []string
			for n := range 10 {
				statements.Take()
				txID := tenant.SubmitFile(fmt.Sprintf("%d.txt", n), servertest.Letter)
				servertest.Until(t, "the submission is completed, and its events are delivered", func() bool {
					return servertest.Value[bool](s, `
						select status = 'Completed' and not exists (select from deliveries where state <> 'delivered')
						from submissions
						where tx_id = $1`, txID)
				})
				if run := statements.Take(); least == nil || len(run) < len(least) {
					least = run
				}
			}
			if len(least) > c.most {
				t.Errorf("%d statements, want at most %d:\n%s", len(least), c.most, strings.Join(least, "\n"))
			}
		})
	}
}
