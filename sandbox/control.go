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

// tenantPath returns the path of a resource of the tenant. The suffix is empty
// for the tenant itself, or begins with a slash.
func (s *Sandbox) tenantPath(suffix string) string {
	return "/tenants/" + url.PathEscape(s.TenantName) + suffix
}

// callControl calls the control API with in as the JSON body, unless in is nil,
// and unmarshals the response into out, unless out is nil. If the call fails,
// so does the test.
func (s *Sandbox) callControl(method, path string, in, out any) {
	s.t.Helper()
	response, err := s.server.call(s.context(), method, path, in)
	if err == nil {
		err = response.Decode(out)
	}
	if err != nil {
		s.t.Fatalf("understudy: %s %s: %v", method, path, err)
	}
}

// Now returns the current time of the tenant's clock.
func (s *Sandbox) Now() time.Time {
	s.t.Helper()
	var clock struct{ Now time.Time }
	s.callControl(http.MethodGet, s.tenantPath("/clock"), nil, &clock)
	return clock.Now
}

// Advance moves the tenant's clock forward by d, which must be positive. The
// clock can be at most ten years ahead of real time. Advance waits until
// everything that becomes due in that period is done, and returns what happened,
// in order.
func (s *Sandbox) Advance(d time.Duration) []Effect {
	s.t.Helper()
	return s.moveClock(map[string]any{"advance": d.String()})
}

// SetClock moves the tenant's clock forward to the time at, and otherwise
// works like Advance. The clock cannot be moved back.
func (s *Sandbox) SetClock(at time.Time) []Effect {
	s.t.Helper()
	return s.moveClock(map[string]any{"set": at.Format(time.RFC3339Nano)})
}

// Freeze stops the tenant's clock: timestamps stay the same, and nothing
// expires or becomes due, however much real time passes. Advance and SetClock
// still move the clock.
func (s *Sandbox) Freeze() {
	s.t.Helper()
	s.moveClock(map[string]any{"frozen": true})
}

// Unfreeze lets the tenant's clock run on from the time that it shows.
func (s *Sandbox) Unfreeze() {
	s.t.Helper()
	s.moveClock(map[string]any{"frozen": false})
}

func (s *Sandbox) moveClock(change map[string]any) []Effect {
	s.t.Helper()
	var moved struct{ Effects []Effect }
	s.callControl(http.MethodPost, s.tenantPath("/clock"), change, &moved)
	s.dropCachedToken()
	return moved.Effects
}

// Settings returns all settings of the tenant.
func (s *Sandbox) Settings() Settings {
	s.t.Helper()
	var settings Settings
	s.callControl(http.MethodGet, s.tenantPath("/settings"), nil, &settings)
	return settings
}

// Usage returns what the tenant stores at present, which quotas in its settings limit.
func (s *Sandbox) Usage() Usage {
	s.t.Helper()
	var tenant struct {
		Usage Usage `json:"usage"`
	}
	s.callControl(http.MethodGet, s.tenantPath(""), nil, &tenant)
	return tenant.Usage
}

// UpdateSettings changes the settings that are set in change, and returns all
// settings of the tenant. The changes take effect at once, but a submission that
// has been triggered keeps its pacing.
func (s *Sandbox) UpdateSettings(change Settings) Settings {
	s.t.Helper()
	var settings Settings
	s.callControl(http.MethodPatch, s.tenantPath("/settings"), change, &settings)
	return settings
}

// SetOutcome defines the outcome of matching submissions and companies from now
// on. It replaces an outcome with an equal Match. If several outcomes match, the
// newest applies.
func (s *Sandbox) SetOutcome(outcome Outcome) {
	s.t.Helper()
	s.callControl(http.MethodPut, s.tenantPath("/outcomes"), outcome, nil)
}

// Outcomes returns the tenant's outcomes, newest first.
func (s *Sandbox) Outcomes() []Outcome {
	s.t.Helper()
	var found struct{ Outcomes []Outcome }
	s.callControl(http.MethodGet, s.tenantPath("/outcomes"), nil, &found)
	return found.Outcomes
}

// RemoveOutcome deletes the outcome with an equal Match.
func (s *Sandbox) RemoveOutcome(match Match) {
	s.t.Helper()
	query := url.Values{}
	for name, value := range map[string]string{"filename": match.Filename, "sha256": match.SHA256, "company_name": match.CompanyName} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		s.t.Fatal("understudy: RemoveOutcome: the match is empty; ClearOutcomes deletes all outcomes")
	}
	s.callControl(http.MethodDelete, s.tenantPath("/outcomes?"+query.Encode()), nil, nil)
}

// ClearOutcomes deletes all outcomes of the tenant.
func (s *Sandbox) ClearOutcomes() {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/outcomes"), nil, nil)
}

// AddFault makes matching calls or webhook deliveries of the tenant fail from now on.
// It returns the fault with its ID.
func (s *Sandbox) AddFault(fault Fault) Fault {
	s.t.Helper()
	var created Fault
	s.callControl(http.MethodPost, s.tenantPath("/faults"), fault, &created)
	return created
}

// Faults returns the tenant's faults, in the order in which they are tried, with
// the number of calls that each has affected.
func (s *Sandbox) Faults() []Fault {
	s.t.Helper()
	var found struct{ Faults []Fault }
	s.callControl(http.MethodGet, s.tenantPath("/faults"), nil, &found)
	return found.Faults
}

// RemoveFault deletes the fault with this ID.
func (s *Sandbox) RemoveFault(id string) {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/faults/"+url.PathEscape(id)), nil, nil)
}

// ClearFaults deletes all faults of the tenant.
func (s *Sandbox) ClearFaults() {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/faults"), nil, nil)
}

// Await waits for the first event that matches, and returns it at once if it has
// already happened. The event is "subject:action", such as
// "universal_submit:completed", or "subject" for any action, "call", "delivery",
// or "*" for any event. Unless txID is "", the event must belong to that
// transaction. The timeout is in real time, at most one minute. When it expires,
// the test fails and shows the events that happened instead.
func (s *Sandbox) Await(event, txID string, timeout time.Duration) Event {
	s.t.Helper()
	return s.AwaitAfter("", event, txID, timeout)
}

// AwaitAfter is like Await, but ignores events up to and including the one with
// this Cursor.
func (s *Sandbox) AwaitAfter(cursor, event, txID string, timeout time.Duration) Event {
	s.t.Helper()
	query := url.Values{"event": {event}, "within": {timeout.String()}}
	if txID != "" {
		query.Set("tx_id", txID)
	}
	if cursor != "" {
		query.Set("after", cursor)
	}
	response, err := s.server.call(s.context(), http.MethodGet, s.tenantPath("/await?"+query.Encode()), nil)
	if err == nil && response.Status == http.StatusRequestTimeout {
		s.t.Fatalf("understudy: no event %s within %v; events seen instead:\n%s", event, timeout, formatSeen(response.Body))
	}
	var found Event
	if err == nil {
		err = response.Decode(&found)
	}
	if err != nil {
		s.t.Fatalf("understudy: await %s: %v", event, err)
	}
	return found
}

// formatSeen returns the events that the response to a timed-out wait lists, one
// per line.
func formatSeen(body []byte) string {
	var timedOut struct{ Seen []Event }
	if err := json.Unmarshal(body, &timedOut); err != nil {
		return err.Error()
	}
	var lines strings.Builder
	for _, e := range timedOut.Seen {
		fmt.Fprintf(&lines, "  %s %s %s %s\n", e.At.Format(time.TimeOnly), e.Name, e.TxID, e.Data)
	}
	if lines.Len() == 0 {
		return "  none"
	}
	return lines.String()
}

// Requests returns the tenant's calls of the API that match the filter, newest
// first. The server keeps the newest 10,000 calls of a tenant, at most 50 MiB.
func (s *Sandbox) Requests(filter RequestFilter) []Request {
	s.t.Helper()
	query := filter.query()
	var all []Request
	for {
		var page struct {
			Requests []Request
			Before   string
		}
		s.callControl(http.MethodGet, s.tenantPath("/requests?"+query.Encode()), nil, &page)
		all = append(all, page.Requests...)
		if page.Before == "" || filter.Limit > 0 && len(all) >= filter.Limit {
			return all
		}
		query.Set("before", page.Before)
		if filter.Limit > 0 {
			query.Set("limit", strconv.Itoa(min(1000, filter.Limit-len(all))))
		}
	}
}

// Request returns the call whose response had this X-Request-Id header.
func (s *Sandbox) Request(id string) Request {
	s.t.Helper()
	var found Request
	s.callControl(http.MethodGet, s.tenantPath("/requests/"+url.PathEscape(id)), nil, &found)
	return found
}

// Transactions returns the tenant's submissions with this status, such as
// "Failed", or with any status if it is "". It returns the newest 1,000, newest
// first, without Timeline and Extraction.
func (s *Sandbox) Transactions(status string) []Transaction {
	s.t.Helper()
	query := url.Values{"limit": {"1000"}}
	if status != "" {
		query.Set("status", status)
	}
	var found struct{ Transactions []Transaction }
	s.callControl(http.MethodGet, s.tenantPath("/transactions?"+query.Encode()), nil, &found)
	return found.Transactions
}

// Transaction returns a submission with its Timeline and Extraction.
func (s *Sandbox) Transaction(txID string) Transaction {
	s.t.Helper()
	var found Transaction
	s.callControl(http.MethodGet, s.tenantPath("/transactions/"+url.PathEscape(txID)), nil, &found)
	return found
}

// TransactionOutcome returns the result of a completed submission as an outcome of the
// same file. SetOutcome accepts it, unchanged or with corrected values.
func (s *Sandbox) TransactionOutcome(txID string) Outcome {
	s.t.Helper()
	var found Outcome
	s.callControl(http.MethodGet, s.tenantPath("/transactions/"+url.PathEscape(txID)+"/outcome"), nil, &found)
	return found
}

// Inquiry returns the response of the data inquiry of a version, from 1 to 5, for a
// completed submission.
func (s *Sandbox) Inquiry(version int, packageID, txID string) json.RawMessage {
	s.t.Helper()
	query := url.Values{"version": {strconv.Itoa(version)}, "package": {packageID}}
	var found json.RawMessage
	s.callControl(http.MethodGet, s.tenantPath("/transactions/"+url.PathEscape(txID)+"/inquiry?"+query.Encode()), nil, &found)
	return found
}

// Document returns the beginning of what was read from a part of the submission's
// document, up to 256 KiB; part 0 is the file itself.
func (s *Sandbox) Document(txID string, part int) DocumentWindow {
	s.t.Helper()
	var found DocumentWindow
	s.callControl(http.MethodGet, s.tenantPath("/transactions/"+url.PathEscape(txID)+"/document?part="+strconv.Itoa(part)), nil, &found)
	return found
}

// DeleteTransaction deletes a submission with its file, report, timeline, events
// and deliveries. The calls that were made for it remain in Requests.
func (s *Sandbox) DeleteTransaction(txID string) {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/transactions/"+url.PathEscape(txID)), nil, nil)
}

// Deliveries returns the tenant's webhook deliveries with their attempts, newest
// first.
func (s *Sandbox) Deliveries() []Delivery {
	s.t.Helper()
	var all []Delivery
	for path := s.tenantPath("/deliveries"); ; {
		var page struct {
			Deliveries []Delivery
			Before     string
		}
		s.callControl(http.MethodGet, path, nil, &page)
		all = append(all, page.Deliveries...)
		if page.Before == "" {
			return all
		}
		path = s.tenantPath("/deliveries?before=" + url.QueryEscape(page.Before))
	}
}

// Redeliver sends the event of the delivery with this RequestID again. It
// creates a new delivery and returns the RequestID of that.
func (s *Sandbox) Redeliver(requestID string) string {
	s.t.Helper()
	var created struct {
		RequestID string `json:"request_id"`
	}
	s.callControl(http.MethodPost, s.tenantPath("/deliveries/"+url.PathEscape(requestID)+"/redeliver"), nil, &created)
	return created.RequestID
}

// FireEvent publishes an event, named "subject:action", to the tenant's webhook
// subscriptions, in the same way as the events of the service. data is encoded
// as JSON; nil means {}.
func (s *Sandbox) FireEvent(event string, data any) FiredEvent {
	s.t.Helper()
	body := map[string]any{"event": event}
	if data != nil {
		body["data"] = data
	}
	var fired FiredEvent
	s.callControl(http.MethodPost, s.tenantPath("/events"), body, &fired)
	return fired
}

// Reset deletes everything that belongs to the tenant, such as submissions,
// outcomes, faults and added data packages, and resets its clock and settings to
// the defaults, including settings made by WithSettings, except IDSeed. Its
// credentials and access tokens remain valid.
func (s *Sandbox) Reset() {
	s.t.Helper()
	s.callControl(http.MethodPost, s.tenantPath("/reset"), nil, nil)
	s.dropCachedToken()
}
