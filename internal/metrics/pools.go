package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"understudy.example/internal/storage"
)

// pools collects the statistics of the connection pools.
type pools struct{ Sources }

// poolMetrics are the metrics of each connection pool.
var poolMetrics = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(storage.PoolStat) float64
}{
	{
		poolDesc("understudy_database_connections_busy", "Database connections that are in use."), prometheus.GaugeValue,
		func(s storage.PoolStat) float64 { return float64(s.AcquiredConns()) },
	},
	{
		poolDesc("understudy_database_connections_open", "Database connections that are open, in use or idle."), prometheus.GaugeValue,
		func(s storage.PoolStat) float64 { return float64(s.TotalConns()) },
	},
	{
		poolDesc("understudy_database_connections_limit", "Maximum number of database connections."), prometheus.GaugeValue,
		func(s storage.PoolStat) float64 { return float64(s.MaxConns()) },
	},
	{
		poolDesc("understudy_database_connection_acquires_total", "How often work has taken a connection from the pool."), prometheus.CounterValue,
		func(s storage.PoolStat) float64 { return float64(s.AcquireCount()) },
	},
	{
		poolDesc("understudy_database_connection_waits_total", "How often work had to wait for a connection, because none was idle."), prometheus.CounterValue,
		func(s storage.PoolStat) float64 { return float64(s.Waits) },
	},
	{
		poolDesc("understudy_database_connection_wait_seconds_total", "How long work has waited for connections in all."), prometheus.CounterValue,
		func(s storage.PoolStat) float64 { return s.Waited.Seconds() },
	},
	{
		poolDesc("understudy_database_connection_canceled_total", "How often work got no connection in time."), prometheus.CounterValue,
		func(s storage.PoolStat) float64 { return float64(s.CanceledAcquireCount()) },
	},
}

func poolDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, []string{"pool"}, nil)
}

// Describe implements prometheus.Collector.
func (pools) Describe(descs chan<- *prometheus.Desc) {
	for _, metric := range poolMetrics {
		descs <- metric.desc
	}
}

// Collect implements prometheus.Collector.
func (p pools) Collect(metrics chan<- prometheus.Metric) {
	stats := p.DB.Stats()
	if own := p.Dispatcher.PoolStat(); own != nil {
		stats["deliveries"] = storage.NewPoolStat(own, nil)
	}
	for name, stat := range stats {
		for _, metric := range poolMetrics {
			metrics <- prometheus.MustNewConstMetric(metric.desc, metric.kind, metric.read(stat), name)
		}
	}
}
