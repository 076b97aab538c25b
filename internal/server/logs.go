package server

import (
	"io"
	"log/slog"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
	"understudy.example/internal/tracing"
)

// LogOptions are the options of the log.
type LogOptions struct {
	LogFormat string `env:"LOG_FORMAT" enum:",text,json" default:"" help:"Format of the log: text or json. If not set, it is text in the profile local and json in uat."`
	LogLevel  string `env:"LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Lowest level of the lines that are logged: debug, info, warn or error."`
}

// newLogger returns a logger that writes to w in the configured format.
func (c *Config) newLogger(w io.Writer) *slog.Logger {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "warn": slog.LevelWarn, "error": slog.LevelError}
	options := &slog.HandlerOptions{Level: levels[c.LogLevel]} // info if it is not in the map
	if c.LogFormat == "json" || c.LogFormat == "" && c.uat() {
		options.ReplaceAttr = durationInSeconds
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// durationInSeconds makes the JSON format write durations in seconds. Otherwise they
// would be in nanoseconds.
func durationInSeconds(_ []string, attribute slog.Attr) slog.Attr {
	if attribute.Value.Kind() == slog.KindDuration {
		attribute.Value = slog.Float64Value(attribute.Value.Duration().Seconds())
	}
	return attribute
}

// isMonitoring reports whether monitoring systems repeat the request all the time.
func isMonitoring(r *http.Request) bool {
	switch r.URL.Path {
	case "/livez", "/readyz", "/metrics":
		return true
	}
	return false
}

// logRequest logs the line of a request. The details are those of its response. The
// lines of monitoring systems are at level debug.
func (o *Options) logRequest(r *http.Request, record *call.Record, details ...slog.Attr) {
	ctx, logger, level := r.Context(), slog.Default(), slog.LevelInfo
	if isMonitoring(r) {
		level = slog.LevelDebug
	}
	if !logger.Enabled(ctx, level) {
		return
	}
	mask := api.Mask
	if record.Mask != nil {
		mask = func(text string) string { return record.Mask(api.Mask(text)) }
	}
	attributes := make([]slog.Attr, 0, 16)
	attributes = append(attributes, slog.String("method", r.Method), slog.String("path", api.LoggedPath(r.URL.Path, mask)))
	attributes = append(attributes, details...)
	attributes = append(attributes, slog.String("remote_address", o.remoteAddress(r)))
	if record.TenantName != "" {
		attributes = append(attributes, slog.String("tenant", record.TenantName))
	}
	if record.ClientID != "" {
		attributes = append(attributes, slog.String("client_id", record.ClientID))
	}
	if record.ControlToken != "" {
		attributes = append(attributes, slog.String("control_token", record.ControlToken))
	}
	if trace := tracing.TraceID(ctx); trace != "" {
		attributes = append(attributes, slog.String("trace_id", trace))
	}
	if record.Reason != "" {
		attributes = append(attributes, slog.String("reason", mask(record.Reason)))
	}
	logger.LogAttrs(ctx, level, "request", attributes...)
}
