package server_test

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/control"
	"understudy.example/internal/server/servertest"
)

// scrape returns the metrics of the server by name and labels.
func scrape(t *testing.T, s *servertest.Server) map[string]float64 {
	t.Helper()
	response, err := http.Get(strings.TrimSuffix(s.ControlURL, "/control/v1") + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", response.StatusCode, err, text)
	}
	metrics := map[string]float64{}
	for _, line := range regexp.MustCompile(`(?m)^(\w+(?:\{.*\})?) (\S+)$`).FindAllStringSubmatch(string(text), -1) {
		if metrics[line[1]], err = strconv.ParseFloat(line[2], 64); err != nil {
			t.Fatal(err)
		}
	}
	return metrics
}

// TestMetrics checks the metrics after submissions with each outcome and deliveries that
// succeed and fail.
func TestMetrics(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	good := servertest.NewReceiver(t)
	bad := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	acme.Subscribe(good.URL, `"events":["universal_submit:completed"]`)
	acme.Subscribe(bad.URL, `"events":["universal_submit:failed"]`)
	for _, filename := range []string{"a.txt", "a.review.txt", "a.fail.txt"} {
		acme.Submit(filename, servertest.Letter)
	}
	acme.Submit("nothing.pdf", []byte("%PDF-1.4 and nothing more"))
	triggered := acme.SubmitFile("a.txt", servertest.Letter)
	acme.Status(triggered).Want(t, http.StatusOK)
	s.Do(servertest.Call{Line: "GET /acme-secret"}).Want(t, http.StatusForbidden)
	s.RunDispatcher()
	good.Await(t, 2)
	bad.Await(t, 2)

	var metrics map[string]float64
	servertest.Until(t, "the attempts are counted", func() bool {
		metrics = scrape(t, s)
		return metrics[`understudy_delivery_attempts_total{result="delivered"}`] == 2 && metrics[`understudy_delivery_attempts_total{result="status_4xx"}`] == 2
	})
	status := `listener="api",method="GET",route="/universal/v2/universal-submit/status/{tx_id}"`
	for name, want := range map[string]float64{
		`understudy_http_requests_total{` + status + `,status="200"}`:                              1,
		`understudy_http_request_duration_seconds_count{` + status + `}`:                           1,
		`understudy_http_requests_total{listener="api",method="GET",route="unknown",status="403"}`: 1,
		`understudy_submissions_ended_total{cause="",outcome="completed"}`:                         1,
		`understudy_submissions_ended_total{cause="",outcome="review"}`:                            1,
		`understudy_submissions_ended_total{cause="filename",outcome="failed"}`:                    1,
		`understudy_submissions_ended_total{cause="damaged",outcome="failed"}`:                     1,
		`understudy_extraction_duration_seconds_count`:                                             3,
		`understudy_extraction_failures_total{cause="damaged"}`:                                    1,
		`understudy_submissions_in_progress{state="Submission_in_progress"}`:                       1,
		`understudy_submissions_in_progress{state="Started"}`:                                      0,
		`understudy_delivery_attempt_duration_seconds_count`:                                       4,
		`understudy_journal_lost_calls_total`:                                                      0,
		`understudy_object_written_bytes_total`:                                                    float64(4*len(servertest.Letter) + 25),
		`understudy_object_read_bytes_total`:                                                       float64(2*len(servertest.Letter) + 25),
		`understudy_large_responses_limit_bytes`:                                                   40 << 20,
		`understudy_database_up`:                                                                   1,
		`understudy_database_connections_limit{pool="health"}`:                                     1,
		`understudy_worker_processes_limit`:                                                        4,
		`understudy_submissions_waiting_for_object_store`:                                          0,
	} {
		if got, found := metrics[name]; got != want || !found {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if metrics[`understudy_database_connection_acquires_total{pool="submissions"}`] == 0 || metrics["go_goroutines"] == 0 || metrics["process_start_time_seconds"] == 0 {
		t.Errorf("metrics of the connections, of Go or of the process are missing: %v", metrics)
	}
	for name := range metrics {
		if strings.Contains(name, "acme") || strings.Contains(name, triggered) {
			t.Errorf("%s has a label that a client chooses", name)
		}
	}
}

// TestMetricsOfTheBacklog checks the metrics of submissions and deliveries that are late.
func TestMetricsOfTheBacklog(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	acme.Subscribe("http://127.0.0.1:1")
	acme.SubmitFile("a.txt", servertest.Letter)
	s.Pass(time.Minute)
	metrics := scrape(t, s)
	for name, want := range map[string]float64{
		"understudy_submission_due_lag_seconds": 59.5, // it was due 0.5 s after the trigger
		"understudy_deliveries_pending":         1,
		"understudy_delivery_due_lag_seconds":   60,
	} {
		if got := metrics[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestMetricsWithoutDatabase checks that the other metrics are there while the database
// is unreachable.
func TestMetricsWithoutDatabase(t *testing.T) {
	outage := &servertest.Outage{}
	s := servertest.New(t, outage.Option(t))
	outage.Active.Store(true)
	metrics := scrape(t, s)
	if up, found := metrics["understudy_database_up"]; up != 0 || !found {
		t.Errorf("understudy_database_up is %v, want 0", up)
	}
	if _, found := metrics["understudy_deliveries_pending"]; found {
		t.Error("there are metrics of the database, want none")
	}
	if metrics["understudy_worker_processes_limit"] == 0 {
		t.Error("metrics of the process are missing")
	}
}

// TestMetricsNeedTheControlToken checks that the metrics have the guard of the control
// API, and that the API listener does not have them.
func TestMetricsNeedTheControlToken(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Access = control.Access{Tokens: []control.Token{{Name: "default", Value: "t0ken"}}}
	})
	url := strings.TrimSuffix(s.ControlURL, "/control/v1") + "/metrics"
	for token, want := range map[string]int{"": http.StatusUnauthorized, "other": http.StatusUnauthorized, "t0ken": http.StatusOK} {
		s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + url, Token: token}).Want(t, want)
	}
	request := s.Request(servertest.Call{Line: "GET " + url, Token: "t0ken"})
	request.Host = "rebound.example"
	response, err := servertest.Try(http.DefaultClient, request)
	if err != nil {
		t.Fatal(err)
	}
	response.Want(t, http.StatusForbidden)
	s.Do(servertest.Call{Line: "GET /metrics"}).Want(t, http.StatusForbidden, `{"message":"Missing Authentication Token"}`)
}
