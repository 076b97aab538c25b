package sandbox

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Overview is what a tenant has, in numbers.
type Overview struct {
	Now         time.Time        `json:"now"` // the tenant's time
	Submissions SubmissionCounts `json:"submissions"`
	History     History          `json:"history"`
	Deliveries  DeliveryCounts   `json:"deliveries"`
	Calls       int              `json:"calls"` // that the server keeps
	Findings    []Finding        `json:"findings"`
}

// SubmissionCounts counts a tenant's submissions.
type SubmissionCounts struct {
	Total       int            `json:"total"`
	States      map[string]int `json:"states"`       // by state; every state is there
	StoredBytes int64          `json:"stored_bytes"` // size of the files
}

// History counts the submissions that reached a final state, by periods.
type History struct {
	Window     string   `json:"window"`      // "1h", "24h" or "7d"
	PeriodSecs float64  `json:"period_secs"` // length of a period in seconds
	Periods    []Period `json:"periods"`     // oldest first
}

// Period is a period of a History.
type Period struct {
	At        time.Time `json:"at"` // its start
	Completed int       `json:"completed"`
	Failed    int       `json:"failed"`
}

// DeliveryCounts counts a tenant's webhook deliveries.
type DeliveryCounts struct {
	Total        int            `json:"total"`
	States       map[string]int `json:"states"`        // by state; every state is there
	Retrying     int            `json:"retrying"`      // pending ones of which an attempt has begun
	SuccessShare *float64       `json:"success_share"` // delivered ones among those that are delivered, retrying or dead; nil if there are none
}

// Overview returns the tenant's numbers. window is the length of the history: "1h",
// "24h", "7d", or "" for one hour.
func (s *Sandbox) Overview(window string) Overview {
	s.t.Helper()
	path := "/overview"
	if window != "" {
		path += "?window=" + url.QueryEscape(window)
	}
	var found Overview
	s.callControl(http.MethodGet, s.tenantPath(path), nil, &found)
	return found
}

// Seen is how often something happened to a tenant. The times are zero if it never did.
type Seen struct {
	Count   int64
	FirstAt time.Time
	LastAt  time.Time
}

// Coverage is what the tenant's clients and receivers have seen so far, and with a
// Count of 0, what they have not seen.
type Coverage struct {
	Operations map[string]Seen         // by method and path, as in the OpenAPI document
	Statuses   map[string]map[int]Seen // by operation and status; every documented one is there
	States     map[string]Seen         // by final state: Completed, Failed, Review_required
	Events     map[string]Seen         // by "subject:action": those that were published to a subscription
}

// Coverage returns what the tenant's clients have exercised since the tenant was
// created or reset.
func (s *Sandbox) Coverage() Coverage {
	s.t.Helper()
	type seen struct {
		Operation string       `json:"operation"`
		Status    int          `json:"status"`
		State     string       `json:"state"`
		Event     string       `json:"event"`
		Count     int64        `json:"count"`
		FirstAt   optionalTime `json:"first_at"`
		LastAt    optionalTime `json:"last_at"`
	}
	var found struct {
		Operations []struct {
			seen
			Statuses []seen `json:"statuses"`
		} `json:"operations"`
		States []seen `json:"states"`
		Events []seen `json:"events"`
	}
	s.callControl(http.MethodGet, s.tenantPath("/coverage"), nil, &found)
	convert := func(one seen) Seen { return Seen{one.Count, time.Time(one.FirstAt), time.Time(one.LastAt)} }
	coverage := Coverage{map[string]Seen{}, map[string]map[int]Seen{}, map[string]Seen{}, map[string]Seen{}}
	for _, operation := range found.Operations {
		coverage.Operations[operation.Operation] = convert(operation.seen)
		coverage.Statuses[operation.Operation] = map[int]Seen{}
		for _, status := range operation.Statuses {
			coverage.Statuses[operation.Operation][status.Status] = convert(status)
		}
	}
	for _, state := range found.States {
		coverage.States[state.State] = convert(state)
	}
	for _, event := range found.Events {
		coverage.Events[event.Event] = convert(event)
	}
	return coverage
}

// Feed returns the newest entries of the tenant's feed, at most limit (up to 1000),
// newest first: those of a kind ("state", "call" or "delivery"), or all if it is "".
func (s *Sandbox) Feed(kind string, limit int) []Event {
	s.t.Helper()
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if kind != "" {
		query.Set("kind", kind)
	}
	var page struct{ Entries []Event }
	s.callControl(http.MethodGet, s.tenantPath("/feed?"+query.Encode()), nil, &page)
	return page.Entries
}
