package universal_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/universal"
)

// stateRecord is a state as the timeline, the feed or an event records it.
type stateRecord struct {
	Event, Status string
	At            time.Time
}

// records are what was written about the states of one submission.
type records struct{ Timeline, Feed, Events []stateRecord }

// recordsOf reads the records of the submission, in the order in which they were
// written.
func recordsOf(t *testing.T, s *servertest.Server, txID string) records {
	t.Helper()
	read := func(sql string) []stateRecord {
		t.Helper()
		rows, err := s.DB.Query(context.Background(), sql, txID)
		if err != nil {
			t.Fatal(err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[stateRecord])
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			found[i].At = found[i].At.UTC()
		}
		return found
	}
	return records{
		Timeline: read(`
			select '', status, at
			from submission_timeline
			where tx_id = $1
			order by at, array_position('{Submission_in_progress,Scheduled,Started,Completed,Failed}', status)`),
		Feed: read(`
			select event, data ->> 'status', at
			from feed
			where tx_id = $1
			and data ->> 'tx_id' = $1
			order by seq`),
		Events: read(`
			select event, body ->> 'event' || ' ' || (body #>> '{data,status}'), created_at
			from (select id, event, convert_from(body, 'UTF8')::json as body, created_at from events) e
			where body #>> '{data,tx_id}' = $1
			order by id`),
	}
}

// move is a state that a submission reached, and how long before the move it reached the
// state.
type move struct {
	to    string
	early time.Duration
}

// TestTransitionsAreRecordedOnce checks, for everything that moves a submission,
// that one timeline entry, one feed entry and one event are written for each state that it
// reaches, in order, and that they agree.
func TestTransitionsAreRecordedOnce(t *testing.T) {
	servertest.Proves(t,
		"Chosen, events and delivery: the data of a submission's event is its status response",
		"Chosen, events and delivery: an event is written with the change that it reports",
		"Chosen, control API, settings: pacing: immediate")
	const clock, immediate, polls = `{}`, `{"pacing":{"mode":"immediate"}}`, `{"pacing":{"mode":"polls","per_state":1}}`
	announce := func(c servertest.Client) string {
		txID, url := c.Announce("a.txt")
		c.Upload(url, "a.txt", servertest.Letter).Want(c.T, http.StatusOK)
		return txID
	}
	submit := func(c servertest.Client) string { return c.SubmitFile("a.txt", servertest.Letter) }
	advance := func(c servertest.Client, _ string) {
		c.T.Helper()
		if _, err := universal.Advance(context.Background(), c.DB, c.Now()); err != nil {
			c.T.Fatal(err)
		}
	}
	trigger := func(c servertest.Client, txID string) { c.Trigger(txID).Want(c.T, http.StatusOK) }
	poll := func(c servertest.Client, txID string) { c.Status(txID).Want(c.T, http.StatusOK) }
	process := func(c servertest.Client, _ string) {
		c.T.Helper()
		if _, err := c.App.Processor().Process(context.Background()); err != nil {
			c.T.Fatal(err)
		}
	}
	started := func(filename string) func(servertest.Client) string {
		return func(c servertest.Client) string {
			txID := c.SubmitFile(filename, servertest.Letter)
			advance(c, txID)
			advance(c, txID)
			return txID
		}
	}
	for _, c := range []struct {
		name, settings string
		prepare        func(servertest.Client) (txID string)
		wait           time.Duration // before the move
		move           func(c servertest.Client, txID string)
		want           []move
	}{
		{name: "trigger", settings: clock, prepare: announce, move: trigger, want: []move{{to: "Submission_in_progress"}}},
		{name: "trigger without waits", settings: immediate, prepare: announce, move: trigger, want: []move{
			{to: "Submission_in_progress"}, {to: "Scheduled"}, {to: "Started"},
		}},
		{name: "advance", settings: clock, prepare: submit, wait: 500 * time.Millisecond, move: advance, want: []move{{to: "Scheduled"}}},
		{name: "late advance", settings: clock, prepare: submit, wait: 3 * time.Second, move: advance, want: []move{{"Scheduled", 2500 * time.Millisecond}, {"Started", 1500 * time.Millisecond}}},
		{name: "advance again", settings: clock, prepare: func(c servertest.Client) string {
			txID := submit(c)
			c.Pass(500 * time.Millisecond)
			advance(c, txID)
			return txID
		}, wait: time.Second, move: advance, want: []move{{to: "Started"}}},
		{name: "poll", settings: polls, prepare: func(c servertest.Client) string {
			txID := submit(c)
			poll(c, txID) // shows the first state
			return txID
		}, move: poll, want: []move{{to: "Scheduled"}}},
		{name: "poll again", settings: polls, prepare: func(c servertest.Client) string {
			txID := submit(c)
			poll(c, txID)
			poll(c, txID)
			return txID
		}, move: poll, want: []move{{to: "Started"}}},
		{name: "process", settings: immediate, prepare: started("a.txt"), move: process, want: []move{{to: "Completed"}}},
		{name: "process to failure", settings: immediate, prepare: started("a.fail.txt"), move: process, want: []move{{to: "Failed"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := servertest.New(t)
			tenant := s.NewTenant(c.settings)
			const offset = time.Hour
			tenant.Advance("1h") // the tenant's time differs from the real time
			tenant.Do("POST /hooks", `{"active":true,"url":"http://127.0.0.1:9","events":["*"]}`).Want(t, http.StatusCreated)
			txID := c.prepare(tenant.Client)
			before := recordsOf(t, s, txID)
			s.Pass(c.wait)

			c.move(tenant.Client, txID)
			got := recordsOf(t, s, txID)

			want, now := before, s.Now().Add(offset)
			var event, last string
			for _, reached := range c.want {
				event, last = "universal_submit:"+strings.ToLower(reached.to), reached.to
				want.Timeline = append(want.Timeline, stateRecord{"", last, now.Add(-reached.early)})
				want.Feed = append(want.Feed, stateRecord{event, last, now.Add(-reached.early)})
				want.Events = append(want.Events, stateRecord{event, event + " " + last, now})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("records (- want, + got):\n%s", diff)
			}
			if status := servertest.Value[string](s, "select status from submissions where tx_id = $1", txID); status != last {
				t.Errorf("status %s, want %s", status, last)
			}
			// The data of the event is the status response.
			data := servertest.Value[string](s, `
				select convert_from(body, 'UTF8')::json ->> 'data'
				from events
				where event = $1`, event)
			if c.settings == polls {
				return // reading the status would move the submission again
			}
			if status := tenant.Status(txID).Want(t, http.StatusOK); !sameJSON(t, status.Body, data) {
				t.Errorf("event data %s, want %s", data, status.Body)
			}
		})
	}
}

// sameJSON reports whether both texts hold the same JSON value.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var values [2]any
	for i, text := range []string{a, b} {
		if err := json.Unmarshal([]byte(text), &values[i]); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return cmp.Equal(values[0], values[1])
}
