package fault_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// unknownStatus is a call that is answered with 404 unless a fault acts on it.
const unknownStatus = "GET /universal/v2/universal-submit/status/none"

const notFoundBody = `{"message":"Transaction not found"}`

// send makes the call; a connection that was cut is status 0.
func send(c servertest.Client, line string) servertest.Response {
	method, path, _ := strings.Cut(line, " ")
	request, err := http.NewRequest(method, c.URL+path, strings.NewReader(`{"filename":"a.txt"}`))
	if err != nil {
		c.T.Error(err)
		return servertest.Response{}
	}
	request.GetBody = nil // so that the client does not resend it
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("X-Api-Key", c.Key)
	response, err := servertest.Try(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, request)
	if err != nil {
		return servertest.Response{}
	}
	return response
}

// counts returns how many calls the tenant's first fault matched and acted on.
func counts(t *testing.T, tenant *servertest.Tenant) string {
	t.Helper()
	list := tenant.Control("GET /faults", "").Want(t, http.StatusOK)
	first := list.Get(t, "faults").([]any)[0].(map[string]any)
	return fmt.Sprintf("%v %v", first["calls"], first["acted"])
}

// TestFaults checks each kind of fault, and that it acts on the calls of its own
// tenant alone.
func TestFaults(t *testing.T) {
	servertest.Proves(t,
		"Errors, webhooks: 500 internal server error",
		"Chosen, control API, faults: errors, latency and cut connections",
		"Chosen, control API, faults: times, every, probability and expires",
		"Chosen, bearer token and API key: internal error: 500")
	s := servertest.New(t)
	tenant, acme, globex := s.Tenant("acme"), s.Acme(), s.Globex()
	for _, test := range []struct {
		name, fault string
		line        string
		want        []int  // statuses of consecutive calls; 0 = connection cut
		body        string // of the last response
		counts      string // calls matched, and calls acted on
	}{
		{"route alone", `{"route":"GET /universal/v2/universal-submit/status/{tx_id}"}`, unknownStatus, []int{500, 500}, `{"message":"Internal server error"}`, "2 2"},
		{"webhook route", `{"route":"GET /hooks"}`, "GET /hooks", []int{500}, `{"status":500,"error":"Internal Server Error"}`, "1 1"},
		{"status", `{"route":"*","status":503,"times":1}`, unknownStatus, []int{503, 404}, notFoundBody, "2 1"},
		{"any method", `{"route":"/universal/v2/universal-submit/status/{tx_id}","status":429}`, unknownStatus, []int{429}, `{"message":"Too Many Requests"}`, "1 1"},
		{"one path", `{"route":"GET /universal/v2/universal-submit/status/none","status":502}`, unknownStatus, []int{502}, `{"message":"Bad Gateway"}`, "1 1"},
		{"another path", `{"route":"GET /universal/v2/universal-submit/status/some"}`, unknownStatus, []int{404}, notFoundBody, "0 0"},
		{"body", `{"route":"*","status":418,"body":{"b":1,"a":[null]}}`, unknownStatus, []int{418}, `{"b":1,"a":[null]}`, "1 1"},
		{"text", `{"route":"*","body":"<h1>no</h1>"}`, unknownStatus, []int{500}, `<h1>no</h1>`, "1 1"},
		{"delay", `{"route":"*","delay":"30ms"}`, unknownStatus, []int{404}, notFoundBody, "1 1"},
		{"drop", `{"route":"*","drop":true,"every":2}`, unknownStatus, []int{404, 0, 404, 0}, "", "4 2"},
		{"every third of the first four", `{"route":"*","every":3,"times":4}`, unknownStatus, []int{404, 404, 500, 404, 404, 404}, notFoundBody, "6 1"},
		{"probability 0", `{"route":"*","probability":0}`, unknownStatus, []int{404, 404}, notFoundBody, "2 0"},
		{"all paths below", `{"route":"GET /audit/v1/report/*","status":503}`, "GET /audit/v1/report/2026/1", []int{503}, `{"message":"Service Unavailable"}`, "1 1"},
		{"call with a body", `{"route":"` + servertest.GetUploadURL + `","status":503}`, servertest.GetUploadURL, []int{503}, `{"message":"Service Unavailable"}`, "1 1"},
	} {
		tenant.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
		id := tenant.Fault(test.fault)
		var last servertest.Response
		for i, want := range test.want {
			last = send(acme, test.line)
			if last.Status != want {
				t.Errorf("%s: call %d: response %d %s, want %d", test.name, i+1, last.Status, last.Body, want)
			}
			acted := last.Status != http.StatusNotFound || strings.Contains(test.fault, "delay")
			if last.Status != 0 && (last.Header.Get("X-Fault") == id) != acted {
				t.Errorf("%s: call %d: X-Fault %q", test.name, i+1, last.Header.Get("X-Fault"))
			}
		}
		if last.Body != test.body {
			t.Errorf("%s: body %s, want %s", test.name, last.Body, test.body)
		}
		globex.Do(unknownStatus, "").Want(t, http.StatusNotFound)
		if got := counts(t, tenant); got != test.counts {
			t.Errorf("%s: counts %s, want %s", test.name, got, test.counts)
		}
		newest := tenant.Journal("limit=1")[0]
		if last.Status != http.StatusNotFound && (len(newest.Faults) != 1 || newest.Faults[0] != id) {
			t.Errorf("%s: the journal names the faults %v, want %s", test.name, newest.Faults, id)
		}
	}
	// The handler does not run for a call to which a fault responds.
	if n := len(tenant.Journal("route=POST%20/universal/v2/universal-submit/file-upload-url&status=200")); n != 0 {
		t.Errorf("%d upload URLs issued, want 0", n)
	}
}

// TestFaultsActOldestFirst checks that faults act in the order of their creation,
// and that a call goes on after a fault that only delays it.
func TestFaultsActOldestFirst(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	tenant.Fault(`{"route":"*","delay":"1ms","times":3}`)
	tenant.Fault(`{"route":"GET /data/v2/{dp_id}/{tx_id}","status":503,"times":2}`)
	tenant.Fault(`{"route":"GET /data/v2/{dp_id}/{tx_id}","status":429,"times":1}`)
	for i, want := range []int{503, 503, 429, 404} {
		got := acme.DoUnchecked("GET /data/v2/acme-us-c0001/none?idType=sov", "").Want(t, want)
		if n := len(got.Header.Values("X-Fault")); n != []int{2, 2, 2, 0}[i] {
			t.Errorf("call %d: %d faults acted", i+1, n)
		}
	}
}

// TestFaultExpires checks that a fault expires by its tenant's own clock.
func TestFaultExpires(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: times, every, probability and expires")
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	first := tenant.Fault(`{"route":"*","expires":"10m"}`)
	tenant.Fault(`{"route":"*","status":502,"expires":"2026-03-02T09:20:00Z"}`)
	acme.DoUnchecked(unknownStatus, "").Want(t, http.StatusInternalServerError)
	s.Tenant("globex").Advance("1h")
	acme.DoUnchecked(unknownStatus, "").Want(t, http.StatusInternalServerError)
	advanced := tenant.Control("POST /clock", `{"advance":"11m"}`).Want(t, http.StatusOK)
	expired := map[string]any{"kind": "expired", "at": s.Shown(10 * time.Minute), "what": "fault", "fault_id": first}
	if diff := cmp.Diff([]any{expired}, advanced.Get(t, "effects")); diff != "" {
		t.Errorf("effects (- want, + got):\n%s", diff)
	}
	acme.DoUnchecked(unknownStatus, "").Want(t, http.StatusBadGateway)
	tenant.Advance("10m")
	acme.DoUnchecked(unknownStatus, "").Want(t, http.StatusNotFound)
}

// TestFaultOfAnotherServer checks that a fault which was created through another
// server acts within half a second.
func TestFaultOfAnotherServer(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	s.Replica().Tenant("acme").Fault(`{"route":"*","status":503}`)
	acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	s.Pass(500 * time.Millisecond)
	acme.DoUnchecked(unknownStatus, "").Want(t, http.StatusServiceUnavailable)
}

// TestInvalidFaults checks that the response to an invalid fault says what is
// wrong with it.
func TestInvalidFaults(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: listed and deleted")
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	for body, message := range map[string]string{
		`{}`: "route or delivery is required",
		`{"route":"*","delivery":"*","drop":true}`: "route and delivery: want one of them",
		`{"route":"*","reorder":true}`:             "duplicate, reorder, wrong_signature and truncate need delivery in place of route",
		`{"delivery":"a:b:c","drop":true}`:         "delivery: want a subject, subject:action or *",
		`{"delivery":"*"}`:                         "delivery: want duplicate, delay, reorder, wrong_signature, truncate or drop",
		`{"delivery":"*","status":503}`:            "status and body need route in place of delivery",
		`{"delivery":"*","duplicate":0}`:           "duplicate: want 1 to 100",
		`{"delivery":"*","duplicate":true}`:        "duplicate: true has the wrong type",
		`{"delivery":"*","delay":"31d"}`:           "delay: want a duration such as 250ms, at most 720h0m0s",
		`{"route":"GET /nowhere"}`:                 `unknown route \"GET /nowhere\"`,
		`{"route":"PUT /auth"}`:                    `unknown route \"PUT /auth\"`,
		`{"route":"/livez"}`:                       `unknown route \"/livez\"`,
		`{"route":"*","colour":1}`:                 `unknown field \"colour\"`,
		`{"route":"*","status":99}`:                "status: want 200 to 599",
		`{"route":"*","status":"503"}`:             `status: \"503\" has the wrong type`,
		`{"route":"*","delay":"61s"}`:              "delay: want a duration such as 250ms, at most 1m0s",
		`{"route":"*","drop":true,"status":500}`:   "drop: a dropped call has no status and no body",
		`{"route":"*","times":0}`:                  "times: want 1 or more",
		`{"route":"*","every":0}`:                  "every: want 1 or more",
		`{"route":"*","probability":1.5}`:          "probability: want 0 to 1",
		`{"route":"*","expires":"soon"}`:           "expires: want a duration such as 30s, or a time of RFC 3339",
	} {
		tenant.Control("POST /faults", body).Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
	}
	tenant.Control("DELETE /faults/"+servertest.Absent, "").Want(t, http.StatusNotFound)
	id := tenant.Fault(`{"route":"*"}`)
	s.Tenant("globex").Control("DELETE /faults/"+id, "").Want(t, http.StatusNotFound)
	tenant.Control("DELETE /faults/"+id, "").Want(t, http.StatusNoContent)
	s.Tenant("nobody").Control("GET /faults", "").Want(t, http.StatusNotFound)
}
