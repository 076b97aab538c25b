package universal

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
)

// transition is the move of one submission from a state to another.
type transition struct {
	txID     uuid.UUID
	tenant   auth.Tenant
	from, to string
	attempt  *int       // the attempt that must still hold the submission; nil = any
	at       time.Time  // tenant's time at which the state is reached
	dueAt    *time.Time // real time at which the submission is due again; nil = it does not become due
	pacing   pacing     // set by the trigger
	trace    string     // traceparent of the submission; "" = the transition belongs to the span of the context
	result   result     // set by processing
}

// result is the result of processing a submission.
type result struct {
	extraction *string // JSON
	company    string  // name of the insured; "" if it is unknown
	search     *string // text that a search for the submission finds; nil = unchanged
	review     bool
	reports    reportIDs
	failure    *string
}

type reportIDs struct{ company, location *string }

// apply makes the transitions, at most one of each submission: it updates the
// submissions that are still in the state that they are to leave, and in the
// transitions' order adds an entry to their timelines and to the tenants' feeds
// and publishes an event for each. It returns the submissions that moved. now is
// real time. Every move of a submission goes through apply.
func apply(ctx context.Context, tx pgx.Tx, now time.Time, transitions ...transition) ([]submission, error) {
	updated, err := updateRows(ctx, tx, now, transitions)
	if err != nil || len(updated) == 0 {
		return nil, err
	}
	byID := map[uuid.UUID]submission{}
	for _, s := range updated {
		byID[s.TxID] = s
	}
	var made []transition
	var moved []submission
	for _, t := range transitions { // the update returns rows in any order
		if s, ok := byID[t.txID]; ok {
			spanCtx, span := tracing.Start(tracing.Continue(ctx, t.trace), "submission "+t.to, slog.Any("tx_id", t.txID), slog.String("tenant", t.tenant.Name))
			defer span.End()
			t.trace = tracing.Traceparent(spanCtx) // for its event
			made, moved = append(made, t), append(moved, s)
		}
	}
	if err := writeTimeline(ctx, tx, now, made); err != nil {
		return nil, err
	}
	if err := feed.AppendStates(ctx, tx, feedStates(made, moved)...); err != nil {
		return nil, err
	}
	return moved, hooks.Publish(ctx, tx, now, events(made, moved, now)...)
}

// updateRows locks the submissions' tenants, updates the submissions' rows, and returns
// the submissions that it updated.
func updateRows(ctx context.Context, tx pgx.Tx, now time.Time, transitions []transition) ([]submission, error) {
	n := len(transitions)
	owners, ids, from, to, attempts := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n), make([]string, n), make([]*int, n)
	at, due := make([]time.Time, n), make([]*time.Time, n)
	perState, startedWaits, finishedWaits := make([]*int, n), make([]time.Duration, n), make([]time.Duration, n)
	extractions, reviews, failures := make([]*string, n), make([]bool, n), make([]*string, n)
	names, searches := make([]string, n), make([]*string, n)
	companies, locations := make([]*string, n), make([]*string, n)
	traces := make([]string, n)
	for i, t := range transitions {
		owners[i] = t.tenant.ID
		ids[i], from[i], to[i], attempts[i], at[i], due[i] = t.txID, t.from, t.to, t.attempt, t.at, t.dueAt
		perState[i], startedWaits[i], finishedWaits[i] = t.pacing.perState, t.pacing.started, t.pacing.finished
		extractions[i], reviews[i], failures[i] = t.result.extraction, t.result.review, t.result.failure
		companies[i], locations[i] = t.result.reports.company, t.result.reports.location
		names[i], searches[i] = t.result.company, t.result.search
		if t.from == Pending {
			traces[i] = tracing.Traceparent(ctx)
		}
	}
	return storage.All[submission](ctx, tx, `
		update submissions s
		set status = t.to_state, due_at = t.due_at, lease_until = null,
			polls_in_state = case t.from_state when 'Pending' then 0 else 1 end, -- a poll that moves it shows the new state
			started_at = case t.from_state when 'Pending' then t.at else s.started_at end,
			polls_per_state = case t.from_state when 'Pending' then t.per_state else s.polls_per_state end,
			started_wait = case t.from_state when 'Pending' then t.started_wait else s.started_wait end,
			finished_wait = case t.from_state when 'Pending' then t.finished_wait else s.finished_wait end,
			finished_at = case when t.to_state in ('Completed', 'Failed') then t.at end,
			aged_from = case when t.to_state in ('Completed', 'Failed') then @now else s.aged_from end,
			extraction = e.extraction, parts = e.extraction -> 'parts', review = t.review, failure = t.failure,
			company = t.name, search = coalesce(t.search, s.search),
			c_report_id = t.company, l_report_id = t.locations,
			traceparent = case t.from_state when 'Pending' then nullif(t.trace, '') else s.traceparent end
		from lock_tenants(@owners) tenant, unnest(
				@ids::uuid[], @from::text[], @to::text[], @attempts::int[], @at::timestamptz[], @due::timestamptz[],
				@per_state::int[], @started_waits::interval[], @finished_waits::interval[],
				@extractions::text[], @reviews::bool[], @failures::text[], @names::text[], @searches::text[],
				@companies::text[], @locations::text[], @traces::text[]
			) t (
				id, from_state, to_state, attempt, at, due_at,
				per_state, started_wait, finished_wait,
				extraction, review, failure, name, search, company, locations, trace
			), lateral (select t.extraction::jsonb offset 0) e (extraction) -- parsed once
		where s.tx_id = t.id
		and s.tenant_id = tenant.id
		and s.status = t.from_state
		and s.attempt = coalesce(t.attempt, s.attempt)
		and s.object_key is not null
		returning `+submissionColumns,
		pgx.StrictNamedArgs{
			"now": now, "owners": storage.InLockOrder(owners), "ids": ids, "from": from, "to": to, "attempts": attempts, "at": at, "due": due,
			"per_state": perState, "started_waits": startedWaits, "finished_waits": finishedWaits,
			"extractions": extractions, "reviews": reviews, "failures": failures,
			"names": names, "searches": searches, "companies": companies, "locations": locations, "traces": traces,
		})
}

func writeTimeline(ctx context.Context, tx pgx.Tx, now time.Time, made []transition) error {
	ids, states, at := make([]uuid.UUID, len(made)), make([]string, len(made)), make([]time.Time, len(made))
	for i, t := range made {
		ids[i], states[i], at[i] = t.txID, t.to, t.at
	}
	if _, err := tx.Exec(ctx, `
		insert into submission_timeline (tx_id, status, at, real_at)
		select *, @now
		from unnest(@ids::uuid[], @states::text[], @at::timestamptz[])`,
		pgx.StrictNamedArgs{"now": now, "ids": ids, "states": states, "at": at}); err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	return nil
}

func feedStates(made []transition, moved []submission) []feed.State {
	type data struct {
		TxID     uuid.UUID `json:"tx_id"`
		Status   string    `json:"status"`
		Filename string    `json:"filename"`
	}
	entries := make([]feed.State, len(made))
	for i, t := range made {
		entries[i] = feed.State{
			TenantID: t.tenant.ID, At: t.at, Event: eventName(t.to), TxID: t.txID.String(), Data: data{t.txID, t.to, moved[i].Filename},
		}
	}
	return entries
}

// events returns the events of the transitions. The data of an event is the status
// response. Its time is now, even if the state counts as reached earlier.
func events(made []transition, moved []submission, now time.Time) []hooks.Event {
	published := make([]hooks.Event, len(made))
	for i, t := range made {
		published[i] = hooks.Event{
			Tenant: t.tenant,
			Name:   eventName(t.to),
			At:     t.tenant.Time(now),
			TxID:   t.txID.String(),
			Data:   newStatusBody(moved[i], t.tenant.Name, statusFor(t.tenant.Settings, t.to)),

			Traceparent: t.trace,
		}
	}
	return published
}

func eventName(state string) string { return "universal_submit:" + strings.ToLower(state) }
