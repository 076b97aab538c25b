package metrics

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.yaml.in/yaml/v3"
)

var metricName = regexp.MustCompile(`\bunderstudy_[a-z0-9_]+`)

// names returns the names of all metrics of our own.
func names(t *testing.T) []string {
	t.Helper()
	descs := make(chan *prometheus.Desc)
	go func() {
		New(Sources{}).registry.Describe(descs)
		close(descs)
	}()
	var all []string
	for desc := range descs {
		name := regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(desc.String())[1]
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue // of the Go runtime and of the process, as in all Go programs
		}
		if !strings.HasPrefix(name, "understudy_") {
			t.Errorf("%s does not start with understudy_", name)
		}
		all = append(all, name)
	}
	return all
}

// TestMetricsAreDocumented compares the metrics with the table in docs/monitoring.md.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(understudy_\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, row[1])
	}
	all := names(t)
	for _, name := range all {
		if !slices.Contains(documented, name) {
			t.Errorf("docs/monitoring.md does not have %s", name)
		}
	}
	for _, name := range documented {
		if !slices.Contains(all, name) {
			t.Errorf("docs/monitoring.md has %s, which does not exist", name)
		}
	}
}

// TestDashboardAndAlertsUseMetricsThatExist checks the names of metrics in the files for
// Grafana and Prometheus, and in the text of docs/monitoring.md.
func TestDashboardAndAlertsUseMetricsThatExist(t *testing.T) {
	t.Parallel()
	all := names(t)
	for _, file := range []string{"grafana-dashboard.json", "alerts.yml", "monitoring.md"} {
		text, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		used := metricName.FindAllString(string(text), -1)
		if len(used) == 0 {
			t.Errorf("docs/%s uses no metric", file)
		}
		for _, name := range used {
			ofHistogram := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			if !slices.Contains(all, name) && !(strings.HasSuffix(ofHistogram, "_seconds") && slices.Contains(all, ofHistogram)) {
				t.Errorf("docs/%s uses %s, which does not exist", file, name)
			}
		}
	}
}

// TestNamesFollowTheConventions checks the names and help texts with the linter of
// Prometheus.
func TestNamesFollowTheConventions(t *testing.T) {
	t.Parallel()
	m := New(Sources{})
	m.Request("api", "/hooks", http.MethodGet, http.StatusOK, time.Second)
	m.Ended("failed", "time")
	m.Extracted(time.Second, "time")
	for _, collector := range []prometheus.Collector{m.requests, m.requestDuration, m.submissionsEnded, m.extractionDuration, m.extractionFailures, m.attempts, m.attemptDuration} {
		problems, err := testutil.CollectAndLint(collector)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}
}

// TestCountingRequestsDoesNotAllocate checks that counting adds nothing to the work of
// the garbage collector.
func TestCountingRequestsDoesNotAllocate(t *testing.T) {
	m := New(Sources{})
	count := func() {
		m.Request("api", "/universal/v2/universal-submit/status/{tx_id}", http.MethodGet, http.StatusNotFound, time.Millisecond)
	}
	count()
	if allocations := testing.AllocsPerRun(1000, count); allocations != 0 {
		t.Errorf("%v allocations per request, want 0", allocations)
	}
}

// TestLabelsAreBounded checks that labels have a limited number of values, whatever the
// clients and the worker processes send.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	m := New(Sources{})
	m.Request("api", "", "BREW", 0, time.Second)
	m.Ended("failed", "acme-secret")
	m.Extracted(time.Second, "acme-secret")
	for _, want := range []float64{
		testutil.ToFloat64(m.requests.WithLabelValues("api", "unknown", "other", "none")),
		testutil.ToFloat64(m.submissionsEnded.WithLabelValues("failed", "other")),
		testutil.ToFloat64(m.extractionFailures.WithLabelValues("other")),
	} {
		if want != 1 {
			t.Errorf("counted %v times, want once", want)
		}
	}
}

// TestDashboardAndAlertsAreWellFormed checks that Grafana and Prometheus can read the
// files.
func TestDashboardAndAlertsAreWellFormed(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Title  string
		Panels []struct{ Targets []struct{ Expr string } }
	}
	text, err := os.ReadFile("../../docs/grafana-dashboard.json")
	if err == nil {
		err = json.Unmarshal(text, &dashboard)
	}
	if err != nil || dashboard.Title == "" || len(dashboard.Panels) == 0 {
		t.Errorf("dashboard %+v, %v", dashboard, err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr, For string }
		}
	}
	text, err = os.ReadFile("../../docs/alerts.yml")
	if err == nil {
		err = yaml.Unmarshal(text, &rules)
	}
	if err != nil || len(rules.Groups) != 1 || len(rules.Groups[0].Rules) != 3 {
		t.Fatalf("rules %+v, %v, want three", rules, err)
	}
	for _, rule := range rules.Groups[0].Rules {
		if rule.Alert == "" || rule.Expr == "" || rule.For == "" {
			t.Errorf("rule %+v is incomplete", rule)
		}
	}
}
