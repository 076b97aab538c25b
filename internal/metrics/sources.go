package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks"
	"understudy.example/internal/journal"
	"understudy.example/internal/storage"
	"understudy.example/internal/worker"
)

// Sources are the parts of a server whose numbers are read when the metrics are.
type Sources struct {
	DB         *storage.Pools
	Objects    *storage.Store
	Workers    *worker.Pool
	Dispatcher *hooks.Dispatcher
	Journal    *journal.Journal
	Budget     *api.Budget      // for large responses
	Bodies     *api.Budget      // for request bodies
	InFlight   func() int       // requests
	Now        func() time.Time // real time
}

// collectors returns the collectors of all sources.
func (s Sources) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		pools{s},
		&backlogs{Sources: s},

		gauge("understudy_http_requests_in_flight", "Requests in flight, without those of /livez, /readyz and /metrics.",
			func() float64 { return float64(s.InFlight()) }),

		gauge("understudy_worker_processes_busy", "Worker processes that extract a document.",
			func() float64 { return float64(s.Workers.Stats().Busy) }),
		gauge("understudy_worker_processes_idle", "Worker processes that wait for a document.",
			func() float64 { return float64(s.Workers.Stats().Idle) }),
		gauge("understudy_worker_processes_limit", "Maximum number of worker processes.",
			func() float64 { return float64(s.Workers.Size()) }),

		gauge("understudy_deliveries_in_flight", "Webhook deliveries that this server is sending.",
			func() float64 { return float64(s.Dispatcher.InFlight()) }),

		counter("understudy_journal_lost_calls_total", "Calls that could not be recorded in the journal.",
			func() float64 { return float64(s.Journal.Stats().Lost) }),
		gauge("understudy_journal_queued_calls", "Calls that are not written to the journal yet.",
			func() float64 { return float64(s.Journal.Stats().Queued) }),
		gauge("understudy_journal_queued_bytes", "Size of the calls in the queue of the journal.",
			func() float64 { return float64(s.Journal.Stats().QueuedBytes) }),
		gauge("understudy_journal_lag_seconds", "How long the oldest call that is not written to the journal has waited.",
			func() float64 { return s.Journal.Stats().Lag.Seconds() }),

		counter("understudy_object_written_bytes_total", "Bytes of files that were written to the object store.",
			func() float64 { return float64(s.Objects.Stats().WrittenBytes) }),
		counter("understudy_object_read_bytes_total", "Bytes of files that were read from the object store.",
			func() float64 { return float64(s.Objects.Stats().ReadBytes) }),
		counter("understudy_object_write_errors_total", "Files that the object store failed to write.",
			func() float64 { return float64(s.Objects.Stats().WriteErrors) }),
		counter("understudy_object_read_errors_total", "Reads of files that the object store failed.",
			func() float64 { return float64(s.Objects.Stats().ReadErrors) }),

		gauge("understudy_large_responses_bytes", "Memory that large responses use.",
			func() float64 { return float64(s.Budget.Used()) }),
		gauge("understudy_large_responses_limit_bytes", "Maximum memory that large responses use.",
			func() float64 { return float64(s.Budget.Total()) }),
		gauge("understudy_request_bodies_bytes", "Memory that large request bodies use.",
			func() float64 { return float64(s.Bodies.Used()) }),
		gauge("understudy_request_bodies_limit_bytes", "Maximum memory that large request bodies use.",
			func() float64 { return float64(s.Bodies.Total()) }),
	}
}

func gauge(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
}

func counter(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
}
