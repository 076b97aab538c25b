package server_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// span is a span that a spanCollector received.
type span struct{ trace, id, parent string }

// spanCollector receives spans as OTLP over HTTP.
type spanCollector struct {
	*servertest.Receiver
	mu       sync.Mutex
	spans    map[string]span // by name; the last one
	services map[string]bool
}

func newSpanCollector(t *testing.T) *spanCollector {
	c := &spanCollector{spans: map[string]span{}, services: map[string]bool{}}
	c.Receiver = servertest.NewUnstartedReceiver(t)
	c.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var export otlp.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &export)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		c.add(&export)
	})
	c.Start()
	return c
}

func (c *spanCollector) add(export *otlp.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range export.ResourceSpans {
		for _, attribute := range resource.Resource.Attributes {
			if attribute.Key == "service.name" {
				c.services[attribute.Value.GetStringValue()] = true
			}
		}
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans[s.Name] = span{hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId), hex.EncodeToString(s.ParentSpanId)}
			}
		}
	}
}

// await waits for the span with the name, and returns it.
func (c *spanCollector) await(t *testing.T, name string) (found span) {
	t.Helper()
	servertest.Until(t, "there is a span "+name, func() (ok bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		found, ok = c.spans[name]
		return ok
	})
	return found
}

const (
	clientTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan   = "00f067aa0ba902b7"
	traceparent  = "00-" + clientTrace + "-" + clientSpan + "-01"
	triggerRoute = "POST /universal/v2/universal-submit/file/{tx_id}"
)

// triggerTraced submits a file, with a traceparent in the call that triggers it.
func triggerTraced(t *testing.T, acme servertest.Client) {
	t.Helper()
	txID, url := acme.Announce("a.txt")
	acme.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	acme.Server.Do(servertest.Call{
		Line: "POST /universal/v2/universal-submit/file/" + txID, Token: acme.Token, Key: acme.Key, Header: map[string]string{"Traceparent": traceparent},
	}).Want(t, http.StatusOK)
}

// TestTraceOfASubmission checks the trace from the call that triggers a submission to the
// delivery of its last event, through the rows that carry it.
func TestTraceOfASubmission(t *testing.T) {
	t.Parallel()
	spans, receiver := newSpanCollector(t), servertest.NewReceiver(t)
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir(),
		"OTEL_EXPORTER_OTLP_ENDPOINT="+spans.URL, "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_SERVICE_NAME=understudy-test")
	acme := p.Server().Acme()
	acme.Subscribe(receiver.URL, `"events":["universal_submit:completed"]`)
	triggerTraced(t, acme)
	delivered := receiver.Await(t, 1)[0]

	call := spans.await(t, triggerRoute)
	process, completed := spans.await(t, "process submission"), spans.await(t, "submission Completed")
	delivery := spans.await(t, "delivery attempt")
	for name, parent := range map[string]string{
		triggerRoute:                        clientSpan,
		"submission Submission_in_progress": call.id,
		"submission Scheduled":              call.id,
		"submission Started":                call.id,
		"process submission":                call.id,
		"extract document":                  process.id,
		"submission Completed":              process.id,
		"delivery attempt":                  completed.id,
	} {
		if got := spans.await(t, name); got.trace != clientTrace || got.parent != parent {
			t.Errorf("%s: trace %s, parent %s, want trace %s, parent %s", name, got.trace, got.parent, clientTrace, parent)
		}
	}
	if got, want := delivered.Header.Get("Traceparent"), "00-"+clientTrace+"-"+delivery.id+"-01"; got != want {
		t.Errorf("the receiver got traceparent %s, want %s", got, want)
	}
	spans.mu.Lock()
	defer spans.mu.Unlock()
	if !spans.services["understudy-test"] || len(spans.services) != 1 {
		t.Errorf("services %v, want that of OTEL_SERVICE_NAME", spans.services)
	}
}

// TestWithoutTracing checks that nothing of a client's trace is stored or passed on while
// tracing is off.
func TestWithoutTracing(t *testing.T) {
	s := servertest.New(t)
	receiver := servertest.NewReceiver(t)
	acme := s.Acme()
	acme.Subscribe(receiver.URL)
	triggerTraced(t, acme)
	s.RunDispatcher()
	if got, sent := receiver.Await(t, 1)[0].Header["Traceparent"]; sent {
		t.Errorf("the receiver got traceparent %s, want none", got)
	}
	if n := servertest.Value[int](s, "select (select count(traceparent) from submissions) + (select count(traceparent) from events)"); n != 0 {
		t.Errorf("%d rows have a traceparent, want none", n)
	}
}

// TestCollectorIsAway checks that the server works and stops while the collector of the
// traces is unreachable.
func TestCollectorIsAway(t *testing.T) {
	t.Parallel()
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir(),
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_BSP_SCHEDULE_DELAY=1", "OTEL_EXPORTER_OTLP_TIMEOUT=100")
	acme := p.Server().Acme()
	acme.Announce("a.txt")
	servertest.Until(t, "the lost spans are logged", func() bool { return strings.Contains(p.Output.String(), "traces could not be sent") })
	for range 20 {
		acme.Announce("a.txt")
	}
	p.Cmd.Process.Signal(syscall.SIGTERM)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if lines := strings.Count(p.Output.String(), "traces could not be sent"); lines > 2 { // the second one when it stops
		t.Errorf("%d lines about lost spans, want at most 2", lines)
	}
}
