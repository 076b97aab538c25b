package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// logLines returns the lines of a log in the JSON format that have the message.
func logLines(t *testing.T, output, message string) []map[string]any {
	t.Helper()
	var found []map[string]any
	for text := range strings.Lines(output) {
		if !strings.HasPrefix(text, "{") {
			continue // the welcome message
		}
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("log line %s: %v", text, err)
		}
		if line["msg"] == message {
			found = append(found, line)
		}
	}
	return found
}

// TestLogInJSON checks the lines of a server that logs JSON: one that it is ready, and
// one for each request except the checks of its health. The attributes name the tenant,
// the client, and the address of the client behind a trusted proxy.
func TestLogInJSON(t *testing.T) {
	t.Parallel()
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir(), "--log-format=json", "TRUSTED_PROXIES=127.0.0.0/8")
	s := p.Server()
	if ready := logLines(t, p.Output.String(), "ready"); len(ready) != 1 || ready[0]["api"] != p.API || ready[0]["control"] != p.ControlURL {
		t.Errorf("ready lines %v, want one with the URLs %s and %s", ready, p.API, p.ControlURL)
	}
	s.Do(servertest.Call{Line: "GET /livez"}).Want(t, http.StatusOK)
	s.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
	acme := s.Acme()
	id := s.Do(servertest.Call{
		Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: acme.Token, Key: "acme-api-key",
		Header: map[string]string{"X-Forwarded-For": "198.51.100.1, 203.0.113.7"},
	}).Want(t, http.StatusNotFound).Header.Get("X-Request-Id")

	var line map[string]any
	servertest.Until(t, "the request is logged", func() bool {
		for _, request := range logLines(t, p.Output.String(), "request") {
			if path := request["path"]; path == "/livez" || path == "/readyz" {
				t.Fatalf("log line of a health check at level info: %v", request)
			}
			if request["request_id"] == id {
				line = request
			}
		}
		return line != nil
	})
	if seconds, ok := line["duration"].(float64); !ok || seconds <= 0 || seconds > 60 {
		t.Errorf("duration %v, want seconds", line["duration"])
	}
	for name, want := range map[string]any{
		"level": "INFO", "method": "GET", "status": 404.0, "tenant": "acme", "client_id": "acme-client", "remote_address": "203.0.113.7",
	} {
		if line[name] != want {
			t.Errorf("%s: got %v, want %v", name, line[name], want)
		}
	}
}

// TestLogFormatAndLevel checks the format of each profile, that the flag takes
// precedence, and the level.
func TestLogFormatAndLevel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		profile, format, level string
		want                   string // beginning of the line
	}{
		{"local", "", "", "time="},
		{"uat", "", "info", `{"time"`},
		{"uat", "text", "warn", "time="},
		{"local", "json", "debug", `{"time"`},
	} {
		var output bytes.Buffer
		c := server.Config{Profile: test.profile, LogOptions: server.LogOptions{LogFormat: test.format, LogLevel: test.level}}
		logger := c.NewLogger(&output)
		logger.Warn("a line", "duration", 1500*time.Millisecond)
		if !strings.HasPrefix(output.String(), test.want) {
			t.Errorf("%+v: %s, want %s…", test, output.String(), test.want)
		}
		if got, want := logger.Enabled(t.Context(), slog.LevelInfo), test.level != "warn"; got != want {
			t.Errorf("%+v: lines at level info: %v, want %v", test, got, want)
		}
		if got, want := logger.Enabled(t.Context(), slog.LevelDebug), test.level == "debug"; got != want {
			t.Errorf("%+v: lines at level debug: %v, want %v", test, got, want)
		}
	}
}

// TestRemoteAddress checks which address counts as the client's. A client can send any
// X-Forwarded-For, so only the addresses that trusted proxies appended count.
func TestRemoteAddress(t *testing.T) {
	t.Parallel()
	options := server.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}
	for _, test := range []struct {
		from, forwarded, want string
	}{
		{"203.0.113.7:1234", "", "203.0.113.7"},
		{"[::ffff:203.0.113.7]:1234", "", "203.0.113.7"},
		{"203.0.113.7:1234", "198.51.100.1", "203.0.113.7"}, // not a proxy
		{"10.0.0.1:1234", "", "10.0.0.1"},
		{"10.0.0.1:1234", "198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1234", "192.0.2.1, 198.51.100.1", "198.51.100.1"}, // the client sent the first
		{"10.0.0.1:1234", "198.51.100.1, 10.0.0.2", "198.51.100.1"},  // two proxies
		{"10.0.0.1:1234", "192.0.2.1,198.51.100.1:999", "198.51.100.1"},
		{"[fd00::1]:1234", "[2001:db8::1]:999", "2001:db8::1"},
		{"10.0.0.1:1234", "2001:db8::1", "2001:db8::1"},
		{"10.0.0.1:1234", "198.51.100.1, nonsense", "10.0.0.1"},
		{"10.0.0.1:1234", "10.0.0.3, 10.0.0.2", "10.0.0.3"}, // a client among the proxies
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.from
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := options.RemoteAddress(r); got != test.want {
			t.Errorf("from %s, X-Forwarded-For %q: got %s, want %s", test.from, test.forwarded, got, test.want)
		}
	}
}
