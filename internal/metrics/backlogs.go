package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"understudy.example/internal/hooks"
	"understudy.example/internal/universal/timing"
)

const (
	backlogsCacheTTL = 5 * time.Second // so that scrapes, however many, cost the database little
	backlogsTimeout  = time.Second     // so that a database that hangs does not delay the other metrics
)

// backlogs collects numbers about the work that waits in the database, which all servers
// share.
type backlogs struct {
	Sources

	mu          sync.Mutex
	readAt      time.Time // by the process's clock
	up          bool      // the database responds
	submissions timing.Backlog
	deliveries  hooks.Backlog
	err         error // of reading the backlogs
}

var (
	databaseUp = prometheus.NewDesc("understudy_database_up",
		"Whether the database responds: 1 or 0.", nil, nil)
	submissionsInProgress = prometheus.NewDesc("understudy_submissions_in_progress",
		"Submissions of all servers that time moves to their next state, by their present state.", []string{"state"}, nil)
	submissionsWaiting = prometheus.NewDesc("understudy_submissions_waiting_for_object_store",
		"Submissions of all servers that wait until the object store is back.", nil, nil)
	submissionLag = prometheus.NewDesc("understudy_submission_due_lag_seconds",
		"How long the submission that has been due the longest has waited for a server.", nil, nil)
	deliveriesPending = prometheus.NewDesc("understudy_deliveries_pending",
		"Webhook deliveries of all servers that are not finished, including those that wait for a retry. At most 100,000 are counted.", nil, nil)
	deliveryLag = prometheus.NewDesc("understudy_delivery_due_lag_seconds",
		"How long the webhook delivery that has been due the longest has waited for a server.", nil, nil)
)

// Describe implements prometheus.Collector.
func (*backlogs) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{databaseUp, submissionsInProgress, submissionsWaiting, submissionLag, deliveriesPending, deliveryLag} {
		descs <- desc
	}
}

// Collect implements prometheus.Collector. While the database is away or slow, it collects
// only that.
func (b *backlogs) Collect(metrics chan<- prometheus.Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.readAt) >= backlogsCacheTTL {
		b.read()
		b.readAt = time.Now()
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	if b.up {
		gauge(databaseUp, 1)
	} else {
		gauge(databaseUp, 0)
	}
	if b.err != nil {
		return
	}
	for state, count := range b.submissions.ByState {
		gauge(submissionsInProgress, float64(count), state)
	}
	gauge(submissionsWaiting, float64(b.submissions.Parked))
	gauge(submissionLag, b.submissions.Lag.Seconds())
	gauge(deliveriesPending, float64(b.deliveries.Pending))
	gauge(deliveryLag, b.deliveries.Lag.Seconds())
}

// read reads the numbers. b.mu is held.
func (b *backlogs) read() {
	ctx, cancel := context.WithTimeout(context.Background(), backlogsTimeout)
	defer cancel()
	_, b.err = b.DB.Health.Exec(ctx, "select 1") // not delayed by other work, as the control API's pool can be
	if b.up = b.err == nil; !b.up {
		return
	}
	now := b.Now()
	if b.submissions, b.err = timing.ReadBacklog(ctx, b.DB.Control, now); b.err != nil {
		return
	}
	b.deliveries, b.err = hooks.ReadBacklog(ctx, b.DB.Control, now)
}
