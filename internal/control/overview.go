package control

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/journal"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
	"understudy.example/internal/universal/tally"
)

// historyWindow is the history that an overview shows: a number of periods and their
// width.
type historyWindow struct {
	periods int
	width   time.Duration
}

// historyWindows are the values of the parameter window.
var historyWindows = map[string]historyWindow{
	"1h":  {60, time.Minute},
	"24h": {48, 30 * time.Minute},
	"7d":  {56, 3 * time.Hour},
}

// overviewBody is the response of Overview.
type overviewBody struct {
	Now          api.Time          `json:"now"`
	LastActivity api.Time          `json:"last_activity"`
	Submissions  submissionsSum    `json:"submissions"`
	History      historyBody       `json:"history"`
	Deliveries   deliveriesSum     `json:"deliveries"`
	Calls        int               `json:"calls"` // in the journal
	Findings     []journal.Finding `json:"findings"`
}

type submissionsSum struct {
	Total       int            `json:"total"`
	States      map[string]int `json:"states"` // every state
	StoredBytes int64          `json:"stored_bytes"`
}

type historyBody struct {
	Window  string       `json:"window"`
	Period  float64      `json:"period_secs"`
	Periods []periodBody `json:"periods"` // oldest first
}

type periodBody struct {
	At        api.Time `json:"at"`
	Completed int      `json:"completed"`
	Failed    int      `json:"failed"`
}

type deliveriesSum struct {
	Total        int            `json:"total"`
	States       map[string]int `json:"states"`
	Retrying     int            `json:"retrying"`
	SuccessShare *float64       `json:"success_share"` // null if no attempt has ended
}

// maxNewestCalls is the largest value of the parameter newest_calls.
const maxNewestCalls = 10_000

// Overview is `GET /tenants/{t}/overview`: counts of everything that a tenant has. With
// the parameter newest_calls, only that many of the newest calls are checked for
// findings.
func Overview(db storage.DB, submissions *tally.Counter, webhooks *hooks.Counter, now func() time.Time) api.Handler {
	journals := journal.NewSummaries(now)
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx := r.Context()
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		window, newest := "1h", 0
		err = api.ReadQuery(r.URL.Query(), map[string]func(string) bool{
			"window": func(value string) (ok bool) { window = value; _, ok = historyWindows[value]; return ok },
			"newest_calls": func(value string) bool {
				newest, err = strconv.Atoi(value)
				return err == nil && newest >= 1 && newest <= maxNewestCalls
			},
		})
		if err != nil {
			return err
		}
		at := tenant.Time(now())
		width, periods := historyWindows[window].width, historyWindows[window].periods
		from := at.Truncate(width).Add(-time.Duration(periods-1) * width) // the last period has begun
		states, err1 := submissions.States(ctx, db, tenant.ID)
		ended, err2 := submissions.Ended(ctx, db, tenant.ID, from, width, periods)
		deliveries, err3 := webhooks.Deliveries(ctx, db, tenant.ID)
		calls, found, err4 := journals.Summarise(ctx, db, tenant.ID, newest)
		last, err5 := lastActivity(ctx, db, []uuid.UUID{tenant.ID})
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			return err
		}
		body := overviewBody{
			Now: api.Time(at), LastActivity: last[tenant.ID], Submissions: sumSubmissions(states),
			History:    historyBody{window, width.Seconds(), newPeriods(ended, from, width)},
			Deliveries: sumDeliveries(deliveries), Calls: calls, Findings: found,
		}
		return api.Write(w, http.StatusOK, body)
	}
}

func sumSubmissions(counts []tally.StateCount) submissionsSum {
	sum := submissionsSum{States: map[string]int{}}
	for _, state := range universal.States {
		sum.States[state] = 0
	}
	for _, c := range counts {
		sum.Total += c.Submissions
		sum.States[c.Status] += c.Submissions
		sum.StoredBytes += c.StoredBytes
	}
	return sum
}

func newPeriods(ended []tally.EndedCount, from time.Time, width time.Duration) []periodBody {
	periods := make([]periodBody, len(ended))
	for i, e := range ended {
		periods[i] = periodBody{api.Time(from.Add(time.Duration(i) * width)), e.Completed, e.Failed}
	}
	return periods
}

func sumDeliveries(counts []hooks.DeliveryCounts) deliveriesSum {
	sum := deliveriesSum{States: map[string]int{"pending": 0, "delivered": 0, "dead": 0, "dropped": 0, "collected": 0}}
	for _, c := range counts {
		sum.Total += c.Total()
		sum.Retrying += c.Retrying
		sum.States["pending"] += c.Pending
		sum.States["delivered"] += c.Delivered
		sum.States["dead"] += c.Dead
		sum.States["dropped"] += c.Dropped
		sum.States["collected"] += c.Collected
	}
	if tried := sum.States["delivered"] + sum.Retrying + sum.States["dead"]; tried > 0 {
		share := math.Floor(10000*float64(sum.States["delivered"])/float64(tried)) / 10000 // never 1 if one has failed
		sum.SuccessShare = &share
	}
	return sum
}
