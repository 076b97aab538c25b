package universal

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
	"understudy.example/internal/universal/pacing"
)

// transition is the move of one submission from a state to another, which can pass other
// states.
type transition struct {
	txID     uuid.UUID
	tenant   auth.Tenant
	filename string
	from     string
	reached  []reached    // the states after from, in order; the submission stays in the last one
	held     *claimed     // the attempt that must still hold the submission; nil = any
	dueAt    *time.Time   // real time at which the submission is due again; nil = it does not become due
	lease    *time.Time   // real time until which the transaction claims the submission; nil = it does not
	pacing   pacing.Times // stored by the trigger
	trace    string       // traceparent of the submission; "" = the transition belongs to the span of the context
	result   result       // set by processing
}

// reached is a state that a submission reaches.
type reached struct {
	state string
	at    time.Time // tenant's time
}

// to returns the state in which the transition leaves the submission.
func (t transition) to() string {
	if len(t.reached) == 0 {
		return t.from
	}
	return t.reached[len(t.reached)-1].state
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
// and publishes an event for each state that they reach. It returns the submissions that
// moved, and what is due after the commit. now is real time. Every move of a submission
// goes through apply.
func apply(ctx context.Context, tx pgx.Tx, now time.Time, transitions ...transition) ([]movedRow, Work, error) {
	updated, err := updateRows(ctx, tx, now, transitions)
	if err != nil || len(updated) == 0 {
		return nil, Work{}, err
	}
	byID := map[uuid.UUID]movedRow{}
	for _, s := range updated {
		byID[s.TxID] = s
	}
	var made []transition
	var moved []movedRow
	var events []hooks.Event
	for _, t := range transitions { // the update returns rows in any order
		s, ok := byID[t.txID]
		if !ok {
			continue
		}
		made, moved = append(made, t), append(moved, s)
		for _, r := range t.reached {
			spanCtx, span := tracing.Start(tracing.Continue(ctx, t.trace), "submission "+r.state, slog.Any("tx_id", t.txID), slog.String("tenant", t.tenant.Name))
			defer span.End()
			if s.Subscribed || t.tenant.Settings.IDSeed != nil { // with a seed, each event takes an id, even without subscriptions
				events = append(events, t.event(r, s.submission, now, tracing.Traceparent(spanCtx)))
			}
		}
	}
	deliveries, err := hooks.PublishDue(ctx, tx, now, events...)
	return moved, workAfter(made, moved, deliveries), err
}

// movedRow is a submission that a transition has moved.
type movedRow struct {
	submission
	Size         *int64
	Attempt      int
	OpenAttempts int
	Crashes      int
	Postponed    time.Duration
	Traceparent  *string
	Subscribed   bool // its tenant has active subscriptions
}

// claimed returns the claim of the submission that the transition has made.
func (m movedRow) claimed(t transition) *claimed {
	return &claimed{
		TxID: m.TxID, TenantID: m.TenantID, Filename: m.Filename, ObjectKey: *m.ObjectKey, Size: *m.Size, SHA256: m.SHA256,
		DueAt: *t.dueAt, Attempt: m.Attempt, OpenAttempts: m.OpenAttempts, Crashes: m.Crashes, Postponed: m.Postponed, Traceparent: m.Traceparent, Clock: t.tenant.Clock,
	}
}

// updateRows locks the submissions' tenants, updates the submissions' rows with their
// timelines, adds to the feeds, and returns the submissions that it updated.
func updateRows(ctx context.Context, tx pgx.Tx, now time.Time, transitions []transition) ([]movedRow, error) {
	n := len(transitions)
	owners, ids, from, to, attempts := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n), make([]string, n), make([]*int, n)
	keys := make([]*string, n)
	firstAt, lastAt, due, leases := make([]time.Time, n), make([]time.Time, n), make([]*time.Time, n), make([]*time.Time, n)
	perState, startedWaits, finishedWaits := make([]*int, n), make([]time.Duration, n), make([]time.Duration, n)
	extractions, reviews, failures := make([]*string, n), make([]bool, n), make([]*string, n)
	names, searches := make([]string, n), make([]*string, n)
	companies, locations := make([]*string, n), make([]*string, n)
	traces := make([]string, n)
	scheduledAt, processingAt := make([]*time.Time, n), make([]*time.Time, n)
	var entries []feed.State
	for i, t := range transitions {
		owners[i] = t.tenant.ID
		ids[i], from[i], to[i], due[i] = t.txID, t.from, t.to(), t.dueAt
		leases[i] = t.lease
		if t.held != nil {
			attempts[i], keys[i] = &t.held.Attempt, &t.held.ObjectKey
		}
		firstAt[i], lastAt[i] = t.reached[0].at, t.reached[len(t.reached)-1].at
		for _, r := range t.reached {
			entries = append(entries, t.entry(r))
			switch r.state {
			case Scheduled:
				scheduledAt[i] = &r.at
			case Started:
				processingAt[i] = &r.at
			}
		}
		perState[i], startedWaits[i], finishedWaits[i] = t.pacing.PerState, t.pacing.Started, t.pacing.Finished
		extractions[i], reviews[i], failures[i] = t.result.extraction, t.result.review, t.result.failure
		companies[i], locations[i] = t.result.reports.company, t.result.reports.location
		names[i], searches[i] = t.result.company, t.result.search
		if t.from == Pending {
			traces[i] = tracing.Traceparent(ctx)
		}
	}
	args, err := feed.StateArgs(entries...)
	if err != nil {
		return nil, err
	}
	maps.Copy(args, pgx.StrictNamedArgs{
		"now": now, "owners": storage.InLockOrder(owners), "ids": ids, "from": from, "to": to, "attempts": attempts, "keys": keys,
		"first_at": firstAt, "last_at": lastAt, "due": due, "leases": leases, "scheduled_at": scheduledAt, "processing_at": processingAt,
		"per_state": perState, "started_waits": startedWaits, "finished_waits": finishedWaits,
		"extractions": extractions, "reviews": reviews, "failures": failures,
		"names": names, "searches": searches, "companies": companies, "locations": locations, "traces": traces,
	})
	return storage.All[movedRow](ctx, tx, `
		with moved as (
			update submissions s
			set status = t.to_state, due_at = t.due_at, lease_until = t.lease_until,
				attempt = s.attempt + (t.lease_until is not null)::int, open_attempts = s.open_attempts + (t.lease_until is not null)::int,
				polls_in_state = case t.from_state when 'Pending' then 0 else 1 end, -- a poll that moves it shows the new state
				started_at = case t.from_state when 'Pending' then t.first_at else s.started_at end,
				polls_per_state = case t.from_state when 'Pending' then t.per_state else s.polls_per_state end,
				started_wait = case t.from_state when 'Pending' then t.started_wait else s.started_wait end,
				finished_wait = case t.from_state when 'Pending' then t.finished_wait else s.finished_wait end,
				finished_at = case when t.to_state in ('Completed', 'Failed') then t.last_at end,
				triggered_real_at = case t.from_state when 'Pending' then @now else s.triggered_real_at end,
				scheduled_at = coalesce(t.scheduled_at, s.scheduled_at),
				scheduled_real_at = case when t.scheduled_at is null then s.scheduled_real_at else @now end,
				processing_at = coalesce(t.processing_at, s.processing_at),
				processing_real_at = case when t.processing_at is null then s.processing_real_at else @now end,
				finished_real_at = case when t.to_state in ('Completed', 'Failed') then @now end,
				aged_from = case when t.to_state in ('Completed', 'Failed') then @now else s.aged_from end,
				extraction = e.extraction, parts = e.extraction -> 'parts', review = t.review, failure = t.failure,
				company = t.name, search = coalesce(t.search, s.search),
				c_report_id = t.company, l_report_id = t.locations,
				traceparent = case t.from_state when 'Pending' then nullif(t.trace, '') else s.traceparent end
			from lock_tenants(@owners) tenant, unnest(
					@ids::uuid[], @from::text[], @to::text[], @attempts::int[], @keys::text[], @first_at::timestamptz[], @last_at::timestamptz[], @due::timestamptz[], @leases::timestamptz[],
					@scheduled_at::timestamptz[], @processing_at::timestamptz[],
					@per_state::int[], @started_waits::interval[], @finished_waits::interval[],
					@extractions::text[], @reviews::bool[], @failures::text[], @names::text[], @searches::text[],
					@companies::text[], @locations::text[], @traces::text[]
				) t (
					id, from_state, to_state, attempt, object_key, first_at, last_at, due_at, lease_until,
					scheduled_at, processing_at,
					per_state, started_wait, finished_wait,
					extraction, review, failure, name, search, company, locations, trace
				), lateral (select t.extraction::jsonb offset 0) e (extraction) -- parsed once
			where s.tx_id = t.id
			and s.tenant_id = tenant.id
			and s.status = t.from_state
			and s.attempt = coalesce(t.attempt, s.attempt)
			and s.object_key = coalesce(t.object_key, s.object_key) -- null is not equal to itself
			returning `+submissionColumns+`, s.size, s.attempt, s.open_attempts, s.crashes, s.postponed, s.traceparent
		)
		select *, has_subscribers(tenant_id) as subscribed
		from moved
		where (
			select append_states(
				array_agg(f.tenant_id order by position), array_agg(f.at order by position), array_agg(f.event order by position),
				array_agg(f.tx_id order by position), array_agg(f.data order by position)
			)
			from unnest(@tenants::uuid[], @at::timestamptz[], @events::text[], @tx_ids::text[], @data::text[])
				with ordinality f (tenant_id, at, event, tx_id, data, position)
			join moved on moved.tx_id = f.tx_id::uuid
		)`, args)
}

// entry returns the entry of the feed for a state that the submission reaches.
func (t transition) entry(r reached) feed.State {
	type data struct {
		TxID     uuid.UUID `json:"tx_id"`
		Status   string    `json:"status"`
		Filename string    `json:"filename"`
	}
	return feed.State{
		TenantID: t.tenant.ID, At: r.at, Event: eventName(r.state), TxID: t.txID.String(), Data: data{t.txID, r.state, t.filename},
	}
}

// event returns the event of a state that the submission reached. The data of an event is
// the status response. Its time is now, even if the state counts as reached earlier.
func (t transition) event(r reached, moved submission, now time.Time, trace string) hooks.Event {
	return hooks.Event{
		Tenant: t.tenant,
		Name:   eventName(r.state),
		At:     t.tenant.Time(now),
		TxID:   t.txID.String(),
		Data:   newStatusBody(moved, t.tenant.Name, statusFor(t.tenant.Settings, r.state)),

		Traceparent: trace,
	}
}

func eventName(state string) string { return "universal_submit:" + strings.ToLower(state) }
