// Package tracing records traces with OpenTelemetry and sends them to a collector. Other
// packages start spans with Start, which does nothing unless the context has a tracer, so
// a server without tracing has no costs. A row stores the span that work continues later
// as a traceparent (W3C Trace Context); "" is no span.
package tracing

import (
	"context"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer records spans. A nil Tracer records nothing.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

type tracerKey struct{}

// In returns a context in which Start records spans.
func (t *Tracer) In(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// Span is a piece of work. A nil Span is not recorded.
type Span struct{ span trace.Span }

// Start starts a span in the context's current span. The attributes have the names of
// log fields.
func Start(ctx context.Context, name string, attributes ...slog.Attr) (context.Context, *Span) {
	return start(ctx, name, trace.SpanKindInternal, attributes...)
}

// StartSending is Start for a request to another service.
func StartSending(ctx context.Context, name string, attributes ...slog.Attr) (context.Context, *Span) {
	return start(ctx, name, trace.SpanKindClient, attributes...)
}

func start(ctx context.Context, name string, kind trace.SpanKind, attributes ...slog.Attr) (context.Context, *Span) {
	t, ok := ctx.Value(tracerKey{}).(*Tracer)
	if !ok {
		return ctx, nil
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind))
	started := &Span{span}
	started.Set(attributes...)
	return ctx, started
}

// Set sets attributes of the span.
func (s *Span) Set(attributes ...slog.Attr) {
	if s == nil || !s.span.IsRecording() {
		return
	}
	for _, a := range attributes {
		s.span.SetAttributes(attribute.String(a.Key, a.Value.String()))
	}
}

// Fail marks the span as failed, with the reason.
func (s *Span) Fail(reason string) {
	if s != nil {
		s.span.SetStatus(codes.Error, reason)
	}
}

// End ends the span.
func (s *Span) End() {
	if s != nil {
		s.span.End()
	}
}

// StartCall starts the span of a call, in the client's span if the call has a header
// traceparent. The context is that of the request.
func (t *Tracer) StartCall(r *http.Request) (context.Context, *Span) {
	if t == nil {
		return r.Context(), nil
	}
	ctx := format.Extract(t.In(r.Context()), propagation.HeaderCarrier(r.Header))
	return start(ctx, r.Method, trace.SpanKindServer)
}

// EndCall ends the span of a call. The route is its pattern; "" if there is none. The
// status is 0 if there was no response.
func (s *Span) EndCall(method, route string, status int) {
	if s == nil {
		return
	}
	if route != "" {
		s.span.SetName(method + " " + route)
	}
	s.span.SetAttributes(
		attribute.String("http.request.method", method), attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
	if status == 0 || status >= http.StatusInternalServerError {
		s.Fail("")
	}
	s.span.End()
}

// format is the form of spans in headers and rows.
var format propagation.TraceContext

// Traceparent returns the current span in the form in which rows and requests to other
// services carry it; "" if there is none.
func Traceparent(ctx context.Context) string {
	if _, ok := ctx.Value(tracerKey{}).(*Tracer); !ok {
		return ""
	}
	carrier := propagation.MapCarrier{}
	format.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// Continue returns a context whose current span is the one that Traceparent returned,
// perhaps in another process.
func Continue(ctx context.Context, traceparent string) context.Context {
	if _, ok := ctx.Value(tracerKey{}).(*Tracer); !ok || traceparent == "" {
		return ctx
	}
	return format.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
}

// TraceID returns the id of the current trace; "" if there is none.
func TraceID(ctx context.Context) string {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		return span.TraceID().String()
	}
	return ""
}
