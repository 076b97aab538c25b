package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

const announceLine = "POST /universal/v2/universal-submit/file-upload-url"

// TestFaults: each kind of fault does what it says, to the tenant's calls alone.
func TestFaults(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme, globex := d.Acme(), d.Globex()
	unknown := "GET /universal/v2/universal-submit/status/none"
	for _, test := range []struct {
		name, fault string
		line        string
		want        []int // statuses of one call after the other; 0 = cut
		body        string
		count       string // calls and acted
	}{
		{"plain", `{"route":"GET /universal/v2/universal-submit/status/{tx_id}"}`, unknown, []int{500, 500}, `{"message":"Internal server error"}`, "2 2"},
		{"status", `{"route":"*","status":503,"times":1}`, unknown, []int{503, 404}, `{"message":"Transaction not found"}`, "2 1"},
		{"method-less", `{"route":"/universal/v2/universal-submit/status/{tx_id}","status":429}`, unknown, []int{429}, `{"message":"Too Many Requests"}`, "1 1"},
		{"one path", `{"route":"GET /universal/v2/universal-submit/status/none","status":502}`, unknown, []int{502}, `{"message":"Bad Gateway"}`, "1 1"},
		{"another path", `{"route":"GET /universal/v2/universal-submit/status/some"}`, unknown, []int{404}, `{"message":"Transaction not found"}`, "0 0"},
		{"body", `{"route":"*","status":418,"body":{"b":1,"a":[null]}}`, unknown, []int{418}, `{"b":1,"a":[null]}`, "1 1"},
		{"text", `{"route":"*","body":"<h1>no</h1>"}`, unknown, []int{500}, `<h1>no</h1>`, "1 1"},
		{"delay", `{"route":"*","delay":"30ms"}`, unknown, []int{404}, `{"message":"Transaction not found"}`, "1 1"},
		{"drop", `{"route":"*","drop":true,"every":2}`, unknown, []int{404, 0, 404, 0}, "", "4 2"},
		{"every third, of four", `{"route":"*","every":3,"times":4}`, unknown, []int{404, 404, 500, 404, 404, 404}, `{"message":"Transaction not found"}`, "6 1"},
		{"never", `{"route":"*","probability":0}`, unknown, []int{404, 404}, `{"message":"Transaction not found"}`, "2 0"},
		{"all below", `{"route":"GET /audit/v1/report/*","status":503}`, "GET /audit/v1/report/2026/1", []int{503}, `{"message":"Service Unavailable"}`, "1 1"},
		{"announce", `{"route":"` + announceLine + `","status":503}`, announceLine, []int{503}, `{"message":"Service Unavailable"}`, "1 1"},
	} {
		d.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
		id := d.Fault(test.fault)
		var last servertest.Response
		for i, want := range test.want {
			status, got := tryCall(acme, test.line)
			if status != want {
				t.Errorf("%s: call %d answered %d %s, want %d", test.name, i+1, status, got.Body, want)
			}
			acted := status != 404 || strings.Contains(test.fault, "delay")
			if status != 0 && (got.Header.Get("X-Fault") == id) != acted {
				t.Errorf("%s: X-Fault %q", test.name, got.Header.Get("X-Fault"))
			}
			last = got
		}
		if last.Body != test.body {
			t.Errorf("%s: body %s, want %s", test.name, last.Body, test.body)
		}
		globex.Do(unknown, "").Want(t, http.StatusNotFound)
		list := d.Control("GET /faults", "").Want(t, http.StatusOK)
		one := list.Get(t, "faults").([]any)[0].(map[string]any)
		if count := fmt.Sprintf("%v %v", one["calls"], one["acted"]); count != test.count {
			t.Errorf("%s: counts %s, want %s", test.name, count, test.count)
		}
		if newest := d.Journal("limit=1")[0]; test.want[len(test.want)-1] != 404 && (len(newest.Faults) != 1 || newest.Faults[0] != id) {
			t.Errorf("%s: journal names %v", test.name, newest.Faults)
		}
	}
	// Nothing was made by a call that a fault answered.
	if n := len(d.Journal("route=" + announceEscaped + "&status=200")); n != 0 {
		t.Errorf("%d addresses given", n)
	}
}

const announceEscaped = "POST%20/universal/v2/universal-submit/file-upload-url"

// tryCall makes the call; status 0 is a connection that was cut.
func tryCall(c servertest.Client, line string) (int, servertest.Response) {
	method, path, _ := strings.Cut(line, " ")
	request, err := http.NewRequest(method, c.Server.url+path, strings.NewReader(`{"filename":"a.txt"}`))
	if err != nil {
		c.T.Error(err)
	}
	request.GetBody = nil // so that the client does not try again
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("X-Api-Key", c.Key)
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, servertest.Response{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, servertest.Response{}
	}
	return response.StatusCode, servertest.Response{response.StatusCode, response.Header, string(body)}
}

// TestFaultsInTurn: faults made one after the other act one after the other,
// and one that delays lets the call go on.
func TestFaultsInTurn(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	d.Fault(`{"route":"*","delay":"1ms","times":3}`)
	d.Fault(`{"route":"GET /data/v2/{dp_id}/{tx_id}","status":503,"times":2}`)
	d.Fault(`{"route":"GET /data/v2/{dp_id}/{tx_id}","status":429,"times":1}`)
	for i, want := range []int{503, 503, 429, 404} {
		got := acme.DoUnchecked("GET /data/v2/acme-us-c0001/none?idType=sov", "").Want(t, want)
		if n := len(got.Header.Values("X-Fault")); n != []int{2, 2, 2, 0}[i] {
			t.Errorf("call %d: %d faults", i+1, n)
		}
	}
}

// TestFaultOfTokensAndUploads: calls without a bearer token have faults too.
func TestFaultOfTokensAndUploads(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	_, url := acme.Announce("a.txt")
	d.Fault(`{"route":"POST /auth/token","status":503,"times":1}`)
	d.Fault(`{"route":"PUT /file-transfer/upload-file","status":500,"times":1}`)
	login := servertest.Call{Line: "POST /auth/token?grant_type=client_credentials", Header: map[string]string{"Authorization": servertest.Basic("acme-client", "acme-secret")}}
	d.DoWith(http.DefaultClient, login).Want(t, http.StatusServiceUnavailable, `{"error":"temporarily_unavailable","error_description":"Service Unavailable"}`)
	d.DoWith(http.DefaultClient, login).Want(t, http.StatusOK)
	// A wrong secret meets no fault: it tells nothing.
	d.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
	d.Fault(`{"route":"*"}`)
	login.header = map[string]string{"Authorization": servertest.Basic("acme-client", "wrong")}
	d.DoWith(d.Server.client, login).Want(t, http.StatusUnauthorized)
	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", []byte("text")})
	put := servertest.Call{Line: "PUT " + url, Header: map[string]string{"Content-Type": kind}, Body: body}
	d.DoWith(http.DefaultClient, put).Want(t, http.StatusInternalServerError)
	d.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
	d.DoWith(http.DefaultClient, put).Want(t, http.StatusOK)
}

// TestFaultChance: the same seed decides the same, whatever runs at once.
func TestFaultChance(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	const calls = 50
	round := func(seed string, atOnce bool) (acted int) {
		d.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
		d.Fault(`{"route":"*","status":503,"probability":0.4,"seed":` + seed + `}`)
		var running sync.WaitGroup
		var mu sync.Mutex
		for i := range calls {
			one := func() {
				status, _ := tryCall(acme, fmt.Sprintf("GET /universal/v2/universal-submit/status/%d", i))
				mu.Lock()
				defer mu.Unlock()
				if status == 503 {
					acted++
				}
			}
			if atOnce {
				running.Go(one)
			} else {
				one()
			}
		}
		running.Wait()
		return acted
	}
	slow, fast, other := round(`"s"`, false), round(`"s"`, true), round("7", true)
	if slow != fast || slow < 8 || slow > 32 || other == 0 {
		t.Errorf("%d in turn, %d at once, %d of another seed", slow, fast, other)
	}
}

// TestFaultTimesAtOnce: of many calls at once exactly the first n meet it.
func TestFaultTimesAtOnce(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	d.Fault(`{"route":"*","times":7}`)
	var running sync.WaitGroup
	statuses := make([]int, 50)
	for i := range statuses {
		running.Go(func() { statuses[i], _ = tryCall(acme, "GET /universal/v2/universal-submit/status/none") })
	}
	running.Wait()
	faulty := 0
	for _, status := range statuses {
		if status == 500 {
			faulty++
		}
	}
	if faulty != 7 {
		t.Errorf("%d calls met it", faulty)
	}
}

// TestFaultExpires by the tenant's own clock.
func TestFaultExpires(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	unknown := "GET /universal/v2/universal-submit/status/none"
	first := d.Fault(`{"route":"*","expires":"10m"}`)
	d.Fault(`{"route":"*","status":502,"expires":"2026-03-02T09:20:00Z"}`)
	acme.DoUnchecked(unknown, "").Want(t, http.StatusInternalServerError)
	d.Tenant("globex").Control("POST /clock", `{"advance":"1h"}`).Want(t, http.StatusOK)
	acme.DoUnchecked(unknown, "").Want(t, http.StatusInternalServerError)
	moved := d.Control("POST /clock", `{"advance":"11m"}`).Want(t, http.StatusOK)
	ended := map[string]any{"kind": "expired", "at": d.Now().Add(10*time.Minute).Format("2006-01-02T15:04:05.000000") + "+00:00", "what": "fault", "fault_id": first}
	if diff := cmp.Diff([]any{ended}, moved.Get(t, "effects")); diff != "" {
		t.Errorf("effects %s", diff)
	}
	acme.DoUnchecked(unknown, "").Want(t, http.StatusBadGateway)
	d.Control("POST /clock", `{"advance":"10m"}`).Want(t, http.StatusOK)
	acme.DoUnchecked(unknown, "").Want(t, http.StatusNotFound)
}

// TestFaultDelay is real time, ends when the client leaves, and does not eat
// up the time that the answer has.
func TestFaultDelay(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	d.Fault(`{"route":"*","delay":"60s"}`)
	servertest.Until(t, "all is answered", func() bool { return d.App.Requests.InFlight() == 0 })
	ctx, leave := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, "GET", d.Server.url+"/universal/v2/universal-submit/status/none", nil)
	request.Header.Set("Authorization", "Bearer "+acme.Token)
	left := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request)
		left <- err
	}()
	servertest.Until(t, "it is held", func() bool { return d.App.Requests.InFlight() == 1 })
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatalf("it ended with %v", err)
	}
	var calls []servertest.JournalEntry
	servertest.Until(t, "it ends without its client", func() bool {
		calls = d.Journal("route=/universal/v2/universal-submit/status/%7Btx_id%7D")
		return len(calls) == 1
	})
	if calls[0].Status != nil || len(calls[0].Faults) != 1 {
		t.Errorf("journal has %+v", calls[0])
	}
}

// TestFaultElsewhere: a fault that another server was told of acts within half
// a second.
func TestFaultElsewhere(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	unknown := "GET /universal/v2/universal-submit/status/none"
	acme.Do(unknown, "").Want(t, http.StatusNotFound)
	d.Exec(`insert into faults (id, tenant_id, route, status, created_at)
		select gen_random_uuid(), id, '*', 503, created_at from tenants where name = 'acme'`)
	acme.Do(unknown, "").Want(t, http.StatusNotFound)
	d.Pass(500 * time.Millisecond)
	acme.DoUnchecked(unknown, "").Want(t, http.StatusServiceUnavailable)
}

// TestFaultRefused: what can't be is named.
func TestFaultRefused(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	for body, message := range map[string]string{
		`{}`:                                     "route is required",
		`{"route":"GET /nowhere"}`:               `unknown route \"GET /nowhere\"`,
		`{"route":"PUT /auth"}`:                  `unknown route \"PUT /auth\"`,
		`{"route":"/livez"}`:                     `unknown route \"/livez\"`,
		`{"route":"*","colour":1}`:               `unknown field \"colour\"`,
		`{"route":"*","status":99}`:              "status: want 200 to 599",
		`{"route":"*","status":"503"}`:           `status: \"503\" is not of the right type`,
		`{"route":"*","delay":"61s"}`:            "delay: want a duration such as 250ms, at most 1m0s",
		`{"route":"*","drop":true,"status":500}`: "drop: a dropped call has no status and no body",
		`{"route":"*","times":0}`:                "times: want 1 or more",
		`{"route":"*","every":0}`:                "every: want 1 or more",
		`{"route":"*","probability":1.5}`:        "probability: want 0 to 1",
		`{"route":"*","expires":"soon"}`:         "expires: want a duration such as 30s, or a time of RFC 3339",
	} {
		d.Control("POST /faults", body).Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
	}
	d.Control("DELETE /faults/01a1fc26-00eb-7d14-a123-9d7f6c598342", "").Want(t, http.StatusNotFound)
	id := d.Fault(`{"route":"*"}`)
	d.Tenant("globex").Control("DELETE /faults/"+id, "").Want(t, http.StatusNotFound)
	d.Control("DELETE /faults/"+id, "").Want(t, http.StatusNoContent)
	d.Tenant("nobody").Control("GET /faults", "").Want(t, http.StatusNotFound)
}
