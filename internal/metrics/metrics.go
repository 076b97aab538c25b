// Package metrics counts and measures the work of a server and serves the numbers in the
// format of Prometheus. It owns the names of all metrics. Other packages do not know
// Prometheus: they call a method of Metrics through an interface or a function, or have a
// method Stats, which is called when the metrics are read.
//
// No label contains a tenant, a client, or anything else that a client chooses, so the
// number of time series is limited.
package metrics

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"understudy.example/internal/hooks"
)

// Metrics are the metrics of one server.
type Metrics struct {
	registry *prometheus.Registry

	requests        *prometheus.CounterVec
	requestDuration *prometheus.HistogramVec

	submissionsEnded   *prometheus.CounterVec
	extractionDuration prometheus.Histogram
	extractionFailures *prometheus.CounterVec

	attempts        *prometheus.CounterVec
	attemptDuration prometheus.Histogram
}

// New returns the metrics of a server that has the sources.
func New(sources Sources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_http_requests_total", Help: "Requests that have ended.",
		}, []string{"listener", "route", "method", "status"}),
		requestDuration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "understudy_http_request_duration_seconds", Help: "Duration of requests.", Buckets: prometheus.DefBuckets,
		}, []string{"listener", "route", "method"}),
		submissionsEnded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_submissions_ended_total", Help: "Submissions that this server has ended.",
		}, []string{"outcome", "cause"}),
		extractionDuration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "understudy_extraction_duration_seconds", Help: "Duration of the extraction of a document in a worker process.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60},
		}),
		extractionFailures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_extraction_failures_total", Help: "Extractions that have failed.",
		}, []string{"cause"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_delivery_attempts_total", Help: "Attempts to send a webhook delivery.",
		}, []string{"result"}),
		attemptDuration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "understudy_delivery_attempt_duration_seconds", Help: "Duration of attempts to send a webhook delivery.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}),
	}
	m.registry.MustRegister(
		m.requests, m.requestDuration, m.submissionsEnded, m.extractionDuration, m.extractionFailures, m.attempts, m.attemptDuration,
		buildInfo(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(sources.collectors()...)
	return m
}

// Handler returns the handler of GET /metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request counts a request that has ended. The route is its pattern without the method,
// such as /hooks/{hook_id}; "" if no route matches. The status is 0 if there was no
// response.
func (m *Metrics) Request(listener, route, method string, status int, took time.Duration) {
	if route == "" {
		route = "unknown"
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(listener, route, method, statusText(status)).Inc()
	m.requestDuration.WithLabelValues(listener, route, method).Observe(took.Seconds())
}

// statusTexts are the texts of all statuses, so that no request allocates one.
var statusTexts = func() (texts [600]string) {
	for status := range texts {
		texts[status] = strconv.Itoa(status)
	}
	return texts
}()

func statusText(status int) string {
	if status < 100 || status >= len(statusTexts) {
		return "none"
	}
	return statusTexts[status]
}

// Ended implements universal.Observer.
func (m *Metrics) Ended(outcome, cause string) {
	m.submissionsEnded.WithLabelValues(outcome, knownCause(cause)).Inc()
}

// causes are the values of the label cause. Worker processes report some of them, and
// their reports are not trusted.
var causes = []string{
	"", "empty", "unsupported", "password", "damaged", "limit", // found by the parsers
	"time", "memory", "nesting", "result", "crash", "panic", // of the worker process
	"filename", "outcome", "interrupted", "file_missing", "object_store", "error",
}

func knownCause(cause string) string {
	if slices.Contains(causes, cause) {
		return cause
	}
	return "other"
}

// Extracted implements universal.Observer.
func (m *Metrics) Extracted(took time.Duration, cause string) {
	m.extractionDuration.Observe(took.Seconds())
	if cause != "" {
		m.extractionFailures.WithLabelValues(knownCause(cause)).Inc()
	}
}

// Attempted counts an attempt to send a delivery.
func (m *Metrics) Attempted(outcome hooks.Outcome) {
	result := outcome.Failure
	switch {
	case outcome.Succeeded():
		result = "delivered"
	case result == "":
		result = "status_" + statusText(outcome.Status)[:1] + "xx"
	}
	m.attempts.WithLabelValues(result).Inc()
	m.attemptDuration.Observe(outcome.Duration.Seconds())
}

// buildInfo is a metric that is always 1, and whose labels describe the program.
func buildInfo() prometheus.Collector {
	labels := prometheus.Labels{"version": "", "revision": "", "go_version": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		labels["version"] = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				labels["revision"] = setting.Value
			}
		}
	}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "understudy_build_info", Help: "Always 1. The labels describe the program.", ConstLabels: labels,
	}, func() float64 { return 1 })
}
