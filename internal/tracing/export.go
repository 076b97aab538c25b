package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// serviceName is the service.name of the spans, unless OTEL_SERVICE_NAME sets another.
const serviceName = "understudy"

// closeTimeout is how long Close waits for the collector.
const closeTimeout = 2 * time.Second

// FromEnvironment returns a tracer that sends spans to the collector that the standard
// variables of OpenTelemetry name, with OTLP over HTTP. It returns nil if they name none.
func FromEnvironment(ctx context.Context) (*Tracer, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" ||
		os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	described, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", serviceName)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(&loggingExporter{SpanExporter: exporter}), sdk.WithResource(described))
	return &Tracer{provider, provider.Tracer("understudy.example")}, nil
}

// Close sends the spans that have ended, and waits for the collector at most
// closeTimeout.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		slog.Warn("traces could not be sent", "err", err)
	}
}

// logInterval is the least time between two lines about spans that could not be sent.
const logInterval = 5 * time.Minute

// loggingExporter logs errors of the exporter, but rarely: a collector that is away must
// not fill the log. The spans are lost.
type loggingExporter struct {
	sdk.SpanExporter

	mu       sync.Mutex
	loggedAt time.Time
	lost     int // spans, since the last line
}

// ExportSpans implements sdktrace.SpanExporter.
func (e *loggingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost += len(spans)
	if time.Since(e.loggedAt) >= logInterval {
		slog.WarnContext(ctx, "traces could not be sent", "count", e.lost, "err", err)
		e.loggedAt, e.lost = time.Now(), 0
	}
	return nil
}
