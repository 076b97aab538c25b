package tracing

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// failingExporter loses all spans.
type failingExporter struct{}

func (failingExporter) ExportSpans(context.Context, []sdk.ReadOnlySpan) error {
	return errors.New("connection refused")
}

func (failingExporter) Shutdown(context.Context) error { return nil }

// TestLostSpansAreLoggedRarely checks that repeated errors of the exporter are one line.
func TestLostSpansAreLoggedRarely(t *testing.T) {
	var output bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&output, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	exporter := &loggingExporter{SpanExporter: failingExporter{}}
	for range 10 {
		if err := exporter.ExportSpans(t.Context(), make([]sdk.ReadOnlySpan, 3)); err != nil {
			t.Error(err)
		}
	}
	if lines := strings.Count(output.String(), "\n"); lines != 1 || !strings.Contains(output.String(), "count=3") || exporter.lost != 27 {
		t.Errorf("%d lines and %d spans since, want 1 and 27: %s", lines, exporter.lost, output.String())
	}
}

// TestOff checks that nothing is recorded without a tracer, whatever the client sends,
// and at no cost.
func TestOff(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	tracer, err := FromEnvironment(t.Context())
	if tracer != nil || err != nil {
		t.Fatalf("tracer %v, %v, want none", tracer, err)
	}
	tracer.Close()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if allocations := testing.AllocsPerRun(100, func() {
		ctx, span := tracer.StartCall(r)
		ctx, inner := Start(tracer.In(Continue(ctx, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")), "inner")
		if Traceparent(ctx) != "" || TraceID(ctx) != "" {
			t.Error("there is a span, want none")
		}
		inner.Fail("failed")
		inner.End()
		span.EndCall(http.MethodGet, "/", http.StatusOK)
	}); allocations != 0 {
		t.Errorf("%v allocations, want 0", allocations)
	}
}
