package control

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/fidelity"
	"understudy.example/internal/hooks"
	"understudy.example/internal/journal"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
	"understudy.example/internal/universal/tally"
)

// seenBody is how often something has happened. first_at and last_at are empty if it
// has never happened.
type seenBody struct {
	Count   int64    `json:"count"`
	FirstAt api.Time `json:"first_at"`
	LastAt  api.Time `json:"last_at"`
}

// add counts more of the same.
func (s *seenBody) add(count int64, first, last time.Time) {
	if count == 0 {
		return
	}
	if s.Count == 0 || first.Before(time.Time(s.FirstAt)) {
		s.FirstAt = api.Time(first)
	}
	if s.Count == 0 || last.After(time.Time(s.LastAt)) {
		s.LastAt = api.Time(last)
	}
	s.Count += count
}

type operationSeen struct {
	Operation string `json:"operation"` // method and path, as in the OpenAPI document
	seenBody
	Statuses []statusSeen `json:"statuses"` // in ascending order
}

type statusSeen struct {
	Status     int  `json:"status"` // 0 = no response
	Documented bool `json:"documented"`
	seenBody
}

type stateSeen struct {
	State string `json:"state"`
	seenBody
}

type eventSeen struct {
	Event string `json:"event"` // subject:action
	seenBody
}

// Coverage is `GET /tenants/{t}/coverage`: which operations, statuses, final states and
// events the tenant's clients and receivers have seen so far, and which never.
func Coverage(db storage.DB, submissions *tally.Counter, webhooks *hooks.Counter) api.Handler {
	type response struct {
		Operations []operationSeen `json:"operations"`
		States     []stateSeen     `json:"states"`
		Events     []eventSeen     `json:"events"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		calls, err1 := journal.OperationCounts(r.Context(), db, tenant.ID)
		states, err2 := submissions.States(r.Context(), db, tenant.ID)
		events, err3 := webhooks.Events(r.Context(), db, tenant.ID)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, response{operationsSeen(calls), statesSeen(states), eventsSeen(events)})
	}
}

// operationsSeen returns every operation of the emulated service, in the order of
// its routes.
func operationsSeen(counts []journal.OperationCount) []operationSeen {
	var seen []operationSeen
	for i, rt := range route.API { // fidelity lists them first, in the same order
		operation := operationSeen{Operation: rt.Documented()}
		for _, documented := range fidelity.All.Operations[i].Responses {
			operation.Statuses = append(operation.Statuses, statusSeen{Status: documented.Status, Documented: true})
		}
		for _, c := range counts {
			if c.Operation != rt.Pattern() {
				continue
			}
			operation.add(c.Calls, c.FirstAt, c.LastAt)
			at := slices.IndexFunc(operation.Statuses, func(s statusSeen) bool { return s.Status == c.Status })
			if at < 0 {
				at = len(operation.Statuses)
				operation.Statuses = append(operation.Statuses, statusSeen{Status: c.Status})
			}
			operation.Statuses[at].add(c.Calls, c.FirstAt, c.LastAt)
		}
		slices.SortFunc(operation.Statuses, func(a, b statusSeen) int { return a.Status - b.Status })
		seen = append(seen, operation)
	}
	return seen
}

// reviewRequired is the final state that only version 4 shows.
const reviewRequired = "Review_required"

// statesSeen returns every final state of a submission.
func statesSeen(counts []tally.StateCount) []stateSeen {
	seen := []stateSeen{{State: universal.Completed}, {State: universal.Failed}, {State: reviewRequired}}
	for _, c := range counts {
		for i := range seen[:2] {
			if n := c.Submissions - c.Reviews; seen[i].State == c.Status && n > 0 {
				seen[i].add(int64(n), *c.FirstAt, *c.LastAt)
			}
		}
		if c.Status == universal.Completed && c.Reviews > 0 {
			seen[2].add(int64(c.Reviews), *c.FirstReviewAt, *c.LastReviewAt)
		}
	}
	return seen
}

// eventsSeen returns every event that the emulator publishes, and the other ones that
// were published to subscriptions.
func eventsSeen(counts []hooks.EventCount) []eventSeen {
	var seen []eventSeen
	for _, event := range journal.EmulatedEvents() {
		seen = append(seen, eventSeen{Event: event})
	}
	for _, c := range counts {
		at := slices.IndexFunc(seen, func(s eventSeen) bool { return s.Event == c.Event })
		if at < 0 {
			at = len(seen)
			seen = append(seen, eventSeen{Event: c.Event})
		}
		seen[at].add(c.Events, c.FirstAt, c.LastAt)
	}
	return seen
}
