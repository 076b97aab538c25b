package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// path is that of something of the tenant.
func (s *Sandbox) path(of string) string { return "/tenants/" + url.PathEscape(s.Tenant) + of }

// do calls the control API, and reads the answer into out unless that is nil.
// It fails the test when the call fails.
func (s *Sandbox) do(method, path string, in, out any) {
	s.t.Helper()
	got, err := s.server.call(s.t.Context(), method, path, in)
	if err == nil {
		err = got.refusal()
	}
	if err == nil && out != nil {
		err = unmarshal(got.body, out)
	}
	if err != nil {
		s.t.Fatalf("understudy: %s %s: %v", method, path, err)
	}
}

func unmarshal(body []byte, out any) error {
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%w, in: %s", err, body)
	}
	return nil
}

// Now is the tenant's time.
func (s *Sandbox) Now() time.Time {
	s.t.Helper()
	var clock struct{ Now time.Time }
	s.do(http.MethodGet, s.path("/clock"), nil, &clock)
	return clock.Now
}

// Advance moves the tenant's time forward, by more than nothing and at most
// ten years in all. It waits until all that falls due on the way is done, and
// returns what happened, in order.
func (s *Sandbox) Advance(by time.Duration) []Effect {
	s.t.Helper()
	var moved struct{ Effects []Effect }
	s.do(http.MethodPost, s.path("/clock"), map[string]string{"advance": by.String()}, &moved)
	s.forgetToken()
	return moved.Effects
}

// Settings are the tenant's settings, each of them.
func (s *Sandbox) Settings() Settings {
	s.t.Helper()
	var now Settings
	s.do(http.MethodGet, s.path("/settings"), nil, &now)
	return now
}

// ChangeSettings changes those settings that are given, and returns all. They
// are in effect at once. A submission keeps the pacing that it was triggered at.
func (s *Sandbox) ChangeSettings(change Settings) Settings {
	s.t.Helper()
	var now Settings
	s.do(http.MethodPatch, s.path("/settings"), change, &now)
	return now
}

// SetOutcome says what a matching submission or company yields from now on. It
// takes the place of an outcome with the same Match; of several that match, the
// newest counts.
func (s *Sandbox) SetOutcome(outcome Outcome) {
	s.t.Helper()
	s.do(http.MethodPut, s.path("/outcomes"), outcome, nil)
}

// Outcomes are the tenant's outcomes, newest first.
func (s *Sandbox) Outcomes() []Outcome {
	s.t.Helper()
	var found struct{ Outcomes []Outcome }
	s.do(http.MethodGet, s.path("/outcomes"), nil, &found)
	return found.Outcomes
}

// DropOutcomes drops all outcomes of the tenant.
func (s *Sandbox) DropOutcomes() {
	s.t.Helper()
	s.do(http.MethodDelete, s.path("/outcomes"), nil, nil)
}

// Fault has calls of the tenant go wrong from now on. It returns the fault as
// it was made, with its ID.
func (s *Sandbox) Fault(fault Fault) Fault {
	s.t.Helper()
	var made Fault
	s.do(http.MethodPost, s.path("/faults"), fault, &made)
	return made
}

// Faults are the tenant's faults, in the order in which they are asked, with
// how often they acted.
func (s *Sandbox) Faults() []Fault {
	s.t.Helper()
	var found struct{ Faults []Fault }
	s.do(http.MethodGet, s.path("/faults"), nil, &found)
	return found.Faults
}

// EndFault ends one fault.
func (s *Sandbox) EndFault(id string) {
	s.t.Helper()
	s.do(http.MethodDelete, s.path("/faults/"+url.PathEscape(id)), nil, nil)
}

// EndFaults ends all faults of the tenant.
func (s *Sandbox) EndFaults() {
	s.t.Helper()
	s.do(http.MethodDelete, s.path("/faults"), nil, nil)
}

// Await waits until the event happens, or has happened: "subject:action", such
// as "universal_submit:completed", a "subject", "call", "delivery", or "*". A
// txID that is not "" says of which transaction. It waits for a minute of real
// time at most; when nothing comes within the time given, the test fails and
// shows what came instead.
func (s *Sandbox) Await(event, txID string, within time.Duration) Event {
	s.t.Helper()
	return s.AwaitAfter("", event, txID, within)
}

// AwaitAfter is Await for what happens after an event, which its Cursor names.
func (s *Sandbox) AwaitAfter(cursor, event, txID string, within time.Duration) Event {
	s.t.Helper()
	query := url.Values{"event": {event}, "within": {within.String()}}
	if txID != "" {
		query.Set("tx_id", txID)
	}
	if cursor != "" {
		query.Set("after", cursor)
	}
	got, err := s.server.call(s.t.Context(), http.MethodGet, s.path("/await?"+query.Encode()), nil)
	if err == nil && got.status == http.StatusRequestTimeout {
		s.t.Fatalf("understudy: no %s within %v. Seen instead:\n%s", event, within, seen(got.body))
	}
	var found Event
	if err == nil {
		err = got.refusal()
	}
	if err == nil {
		err = unmarshal(got.body, &found)
	}
	if err != nil {
		s.t.Fatalf("understudy: await %s: %v", event, err)
	}
	return found
}

// seen tells what came in place of what was waited for, a line for each.
func seen(body []byte) string {
	var vain struct{ Seen []Event }
	if err := unmarshal(body, &vain); err != nil {
		return err.Error()
	}
	var lines strings.Builder
	for _, e := range vain.Seen {
		fmt.Fprintf(&lines, "  %s %s %s %s\n", e.At.Format(time.TimeOnly), e.Event, e.TxID, e.Data)
	}
	if lines.Len() == 0 {
		return "  nothing"
	}
	return lines.String()
}

// Requests are the tenant's calls of the API that match, newest first: those
// that are kept, which are 10,000 and 50 MB at most.
func (s *Sandbox) Requests(wanted Filter) []Request {
	s.t.Helper()
	query := wanted.query()
	var all []Request
	for {
		var page struct {
			Requests []Request
			Before   string
		}
		s.do(http.MethodGet, s.path("/requests?"+query.Encode()), nil, &page)
		all = append(all, page.Requests...)
		if page.Before == "" || wanted.Limit > 0 && len(all) >= wanted.Limit {
			return all
		}
		query.Set("before", page.Before)
		if wanted.Limit > 0 {
			query.Set("limit", strconv.Itoa(min(1000, wanted.Limit-len(all))))
		}
	}
}

// Request is the call whose answer had this X-Request-Id.
func (s *Sandbox) Request(id string) Request {
	s.t.Helper()
	var found Request
	s.do(http.MethodGet, s.path("/requests/"+url.PathEscape(id)), nil, &found)
	return found
}

// Findings are what the tenant's clients do and should not; none is best.
func (s *Sandbox) Findings() []Finding {
	s.t.Helper()
	var found struct{ Findings []Finding }
	s.do(http.MethodGet, s.path("/findings"), nil, &found)
	return found.Findings
}

// Transactions are the newest 1,000 submissions of a status, such as "Failed";
// of any when it is "". Newest first, without timeline and extraction.
func (s *Sandbox) Transactions(status string) []Transaction {
	s.t.Helper()
	query := url.Values{"limit": {"1000"}}
	if status != "" {
		query.Set("status", status)
	}
	var found struct{ Transactions []Transaction }
	s.do(http.MethodGet, s.path("/transactions?"+query.Encode()), nil, &found)
	return found.Transactions
}

// Transaction is a submission with its timeline and what was read.
func (s *Sandbox) Transaction(txID string) Transaction {
	s.t.Helper()
	var found Transaction
	s.do(http.MethodGet, s.path("/transactions/"+url.PathEscape(txID)), nil, &found)
	return found
}

// Deliveries are the tenant's webhook deliveries with their attempts, newest
// first.
func (s *Sandbox) Deliveries() []Delivery {
	s.t.Helper()
	var all []Delivery
	for path := s.path("/deliveries"); ; {
		var page struct {
			Deliveries []Delivery
			Before     string
		}
		s.do(http.MethodGet, path, nil, &page)
		all = append(all, page.Deliveries...)
		if page.Before == "" {
			return all
		}
		path = s.path("/deliveries?before=" + url.QueryEscape(page.Before))
	}
}

// Redeliver sends a delivery's event again, as a delivery of its own, whose
// RequestID it returns.
func (s *Sandbox) Redeliver(requestID string) string {
	s.t.Helper()
	var made struct {
		RequestID string `json:"request_id"`
	}
	s.do(http.MethodPost, s.path("/deliveries/"+url.PathEscape(requestID)+"/redeliver"), nil, &made)
	return made.RequestID
}

// FireEvent sends an event, "subject:action", to the tenant's subscriptions as
// its own events are sent. data is anything that JSON can hold; nil is {}.
func (s *Sandbox) FireEvent(event string, data any) {
	s.t.Helper()
	body := map[string]any{"event": event}
	if data != nil {
		body["data"] = data
	}
	s.do(http.MethodPost, s.path("/events"), body, nil)
}

// Reset makes the tenant as good as new, clock and settings too. Its credentials
// and tokens stay good.
func (s *Sandbox) Reset() {
	s.t.Helper()
	s.do(http.MethodPost, s.path("/reset"), nil, nil)
	s.forgetToken()
}
