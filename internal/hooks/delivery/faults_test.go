package delivery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// shownAttempt is an attempt as the control API shows it.
type shownAttempt struct {
	DeliveryID string `json:"delivery_id"`
	EventID    string
	Event      string
	Attempt    int
	Status     int
	Failure    string
	Faults     []string
}

// attempts returns the attempts of all deliveries of the tenant, starting with the
// oldest delivery.
func attempts(tenant *servertest.Tenant) (all []shownAttempt) {
	tenant.T.Helper()
	var page struct {
		Deliveries []struct {
			EventID  string `json:"event_id"`
			State    string
			Attempts []shownAttempt
		}
	}
	list := tenant.Control("GET /deliveries", "").Want(tenant.T, http.StatusOK)
	if err := json.Unmarshal([]byte(list.Body), &page); err != nil {
		tenant.T.Fatal(err)
	}
	slices.Reverse(page.Deliveries)
	for _, d := range page.Deliveries {
		for _, a := range d.Attempts {
			a.EventID = d.EventID
			all = append(all, a)
		}
	}
	return all
}

// fire fires an event and returns its id.
func fire(tenant *servertest.Tenant, event string) string {
	tenant.T.Helper()
	return tenant.Control("POST /events", `{"event":"`+event+`"}`).Want(tenant.T, http.StatusOK).Text(tenant.T, "event_id")
}

// TestFaultsOnDeliveries checks, for each fault, the requests that the receiver gets
// and the attempts that are shown, and that the event is delivered in the end.
func TestFaultsOnDeliveries(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: deliveries: duplicate, delay, reorder, wrong_signature, truncate, drop")
	t.Parallel()
	for name, test := range map[string]struct {
		fault   string
		status  int    // of the receiver's responses
		want    string // attempts: status, failure and faults
		correct []bool // whether each request that was received is whole and correctly signed
	}{
		"duplicate":                        {`"duplicate":2`, 200, "1 200 [duplicate], 1 200 [duplicate], 1 200 [duplicate]", []bool{true, true, true}},
		"delay":                            {`"delay":"90s"`, 200, "1 200 [delay]", []bool{true}},
		"reorder without another delivery": {`"reorder":true`, 200, "1 200 [reorder]", []bool{true}},
		"wrong_signature":                  {`"wrong_signature":true`, 200, "1 200 fault [wrong_signature], 2 200 []", []bool{false, true}},
		"truncate":                         {`"truncate":true`, 200, "1 200 fault [truncate], 2 200 []", []bool{false, true}},
		"drop":                             {`"drop":true`, 200, "1 200 fault [drop], 2 200 []", []bool{true, true}},
		"drop twice":                       {`"drop":true,"times":2`, 200, "1 200 fault [drop], 2 200 fault [drop], 3 200 []", []bool{true, true, true}},
		"duplicate twice":                  {`"duplicate":1,"times":2`, 503, "1 200 [duplicate], 1 503 [duplicate], 2 200 []", []bool{true, true, true}},
		"drop of a refusal":                {`"drop":true`, 503, "1 503 [drop], 2 200 []", []bool{true, true}},
		"all": {
			`"drop":true,"truncate":true,"wrong_signature":true,"reorder":true,"delay":"2d","duplicate":1`, 200,
			"1 200 [duplicate], 1 200 fault [duplicate delay reorder wrong_signature truncate drop], 2 200 []",
			nil,
		},
		"other event": {`"duplicate":1,"delivery":"hook:other"`, 200, "1 200 []", []bool{true}},
		"subject":     {`"duplicate":1,"delivery":"hook"`, 200, "1 200 [duplicate], 1 200 [duplicate]", []bool{true, true}},
		"event":       {`"duplicate":1,"delivery":"hook:test"`, 200, "1 200 [duplicate], 1 200 [duplicate]", []bool{true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t)
			s.RunDispatcher()
			tenant := s.Tenant("acme")
			var calls atomic.Int64
			receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) == 1 {
					w.WriteHeader(test.status)
				}
			})
			s.Acme().Subscribe(receiver.URL, `"secret":"s"`)
			fields := test.fault
			if !strings.Contains(fields, `"delivery"`) {
				fields += `,"delivery":"*"`
			}
			tenant.Fault("{" + fields + "}")
			eventID := fire(tenant, "hook:test")
			tenant.Advance("3d")

			var shown []string
			ids := map[string]bool{}
			for _, a := range attempts(tenant) {
				shown = append(shown, strings.Join(strings.Fields(fmt.Sprintf("%d %d %s %v", a.Attempt, a.Status, a.Failure, a.Faults)), " "))
				ids[a.DeliveryID] = true
			}
			slices.Sort(shown) // duplicates have ids of their own
			if got := strings.Join(shown, ", "); got != test.want {
				t.Errorf("attempts %s, want %s", got, test.want)
			}
			if n := s.CountDeliveries("delivered"); n != servertest.Value[int](s, "select count(*) from deliveries") {
				t.Errorf("only %d deliveries have succeeded", n)
			}
			received := receiver.Received()
			if len(received) != len(shown) || len(ids) != len(shown) {
				t.Fatalf("%d requests with %d ids received, want %d", len(received), len(ids), len(shown))
			}
			for i, sent := range received {
				if sent.Header.Get("X-Request-Id") != eventID || !ids[sent.Header.Get("X-Delivery-Id")] {
					t.Errorf("request %d: headers %v", i, sent.Header)
				}
				if correct := sent.Verify("s") && json.Valid([]byte(sent.Body)); test.correct != nil && correct != test.correct[i] {
					t.Errorf("request %d: correct: %v, want %v", i, correct, test.correct[i])
				}
				if truncated := !json.Valid([]byte(sent.Body)); truncated && name != "truncate" && name != "all" {
					t.Errorf("request %d: body %s", i, sent.Body)
				}
			}
		})
	}
}

// TestReorderedDeliveries checks that pairs of deliveries to a subscription are
// swapped, separately for each subscription.
func TestReorderedDeliveries(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: deliveries: duplicate, delay, reorder, wrong_signature, truncate, drop")
	s := servertest.New(t)
	s.RunDispatcher()
	tenant, acme := s.Tenant("acme"), s.Acme()
	one, other := servertest.NewReceiver(t), servertest.NewReceiver(t)
	acme.Subscribe(one.URL)
	acme.Subscribe(other.URL)
	tenant.Fault(`{"delivery":"swap","reorder":true}`)
	var ids []string
	for range 2 {
		ids = append(ids, fire(tenant, "swap:this"))
		fire(tenant, "keep:this")
		ids = append(ids, fire(tenant, "swap:that"))
		for _, receiver := range []*servertest.Receiver{one, other} {
			receiver.Await(t, len(ids)/2*3)
		}
	}
	for _, receiver := range []*servertest.Receiver{one, other} {
		var got []string
		for _, sent := range receiver.Received() {
			if sent.Header.Get("X-Emperor-Event") != "keep:this" {
				got = append(got, sent.Header.Get("X-Request-Id"))
			}
		}
		if want := []string{ids[1], ids[0], ids[3], ids[2]}; !slices.Equal(got, want) {
			t.Errorf("received %v, want %v", got, want)
		}
	}
	servertest.Until(t, "all is recorded", func() bool { return s.CountDeliveries("delivered") == 12 })
	for _, a := range attempts(tenant) {
		if reordered := slices.Equal(a.Faults, []string{"reorder"}); reordered != strings.HasPrefix(a.Event, "swap") {
			t.Errorf("attempt of %s has the faults %v", a.Event, a.Faults)
		}
	}
}

// TestDeliveriesOfOneTransactionAreReordered checks that the deliveries of events that
// are published together are swapped too.
func TestDeliveriesOfOneTransactionAreReordered(t *testing.T) {
	s := servertest.New(t)
	receiver := servertest.NewReceiver(t)
	s.Acme().Subscribe(receiver.URL)
	s.Tenant("acme").Fault(`{"delivery":"a","reorder":true,"times":1}`)
	s.Publish("acme", "a:1", "a:2", "a:3", "a:4")
	s.RunDispatcher()
	var order []string
	for _, sent := range receiver.Await(t, 4) {
		order = append(order, sent.Header.Get("X-Emperor-Event"))
	}
	if slices.Index(order, "a:1") < slices.Index(order, "a:2") {
		t.Errorf("received in the order %v, want a:1 after a:2", order)
	}
}

// TestSelectedDeliveriesHaveFaults checks times, every, probability and expires of
// faults on deliveries, and that the same seed selects the same ones in another
// tenant.
func TestSelectedDeliveriesHaveFaults(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, faults: times, every, probability and expires",
		"Chosen, control API, faults: the same seed has the same faults in every tenant")
	s := servertest.New(t)
	s.RunDispatcher()
	receiver := servertest.NewReceiver(t)
	subscribe := func(tenant *servertest.Tenant) *servertest.Tenant {
		tenant.Subscribe(receiver.URL)
		return tenant
	}
	first, second := subscribe(s.NewTenant(`{}`)), subscribe(s.NewTenant(`{}`))
	// faulted returns which of ten deliveries have the fault.
	faulted := func(tenant *servertest.Tenant, fault string) (numbers string) {
		tenant.Control("POST /reset", "").Want(t, http.StatusOK)
		subscribe(tenant)
		id := tenant.Fault(`{"delivery":"a:b","wrong_signature":true,` + fault + `}`)
		var ids []string
		for range 10 {
			ids = append(ids, fire(tenant, "a:b"))
		}
		servertest.Until(t, "all have an attempt", func() bool { return len(attempts(tenant)) == 10 })
		for _, a := range attempts(tenant) {
			if len(a.Faults) > 0 {
				numbers += fmt.Sprint(slices.Index(ids, a.EventID)+1, " ")
			}
		}
		acted := strings.Count(numbers, " ")
		if list := tenant.Control("GET /faults", "").Body; !strings.Contains(list, id) || !strings.Contains(list, fmt.Sprintf(`"calls":10,"acted":%d`, acted)) {
			t.Errorf("%s: faults %s, want it to have acted on %d of 10", fault, list, acted)
		}
		return numbers
	}
	for fault, want := range map[string]string{
		`"times":3`:           "1 2 3 ",
		`"every":4`:           "4 8 ",
		`"every":4,"times":7`: "4 ",
	} {
		if got := faulted(first, fault); got != want {
			t.Errorf("%s: acted on deliveries %s, want %s", fault, got, want)
		}
	}
	here, there, otherwise := faulted(first, `"probability":0.5,"seed":"s"`), faulted(second, `"probability":0.5,"seed":"s"`), faulted(first, `"probability":0.5,"seed":"t"`)
	if here != there || here == otherwise || here == "" {
		t.Errorf("acted on deliveries %s, with the same seed in another tenant on %s, with another seed on %s", here, there, otherwise)
	}

	second.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
	second.Fault(`{"delivery":"*","duplicate":1,"expires":"10m"}`)
	second.Advance("11m")
	before := len(attempts(second))
	fire(second, "a:b")
	servertest.Until(t, "it is delivered", func() bool { return len(attempts(second)) > before })
	if all := attempts(second); len(all[len(all)-1].Faults) != 0 {
		t.Errorf("an expired fault acted: %+v", all[len(all)-1])
	}
}

// TestDelayedDelivery checks that advancing the tenant's clock ends a delay, and that
// the delivery is then sent and listed as an effect.
func TestDelayedDelivery(t *testing.T) {
	s := servertest.New(t)
	s.RunDispatcher()
	tenant := s.Tenant("acme")
	receiver := servertest.NewReceiver(t)
	s.Acme().Subscribe(receiver.URL)
	tenant.Fault(`{"delivery":"*","delay":"1h"}`)
	fire(tenant, "a:b")
	if effects := tenant.Advance("59m"); len(effects) != 0 || len(receiver.Received()) != 0 {
		t.Fatalf("effects %v, %d deliveries before the delay has passed", effects, len(receiver.Received()))
	}
	effects := tenant.Advance("2m")
	if len(effects) != 1 || effects[0].At != s.Shown(time.Hour) || len(receiver.Received()) != 1 {
		t.Errorf("effects %v, %d deliveries, want one after an hour", effects, len(receiver.Received()))
	}
	if found := s.Control("GET /tenants/acme/await?event=delivery&within=1s", "").Want(t, http.StatusOK); !strings.Contains(found.Body, `"faults":["delay"]`) {
		t.Errorf("feed entry %s, want it to contain the fault", found.Body)
	}
}

// TestRefusedFaultyDeliveriesAreNoFinding checks that it is no finding if a receiver
// refuses a delivery that a fault has spoiled.
func TestRefusedFaultyDeliveriesAreNoFinding(t *testing.T) {
	s := servertest.New(t)
	s.RunDispatcher()
	tenant := s.Tenant("acme")
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	s.Acme().Subscribe(receiver.URL)
	tenant.Fault(`{"delivery":"*","truncate":true,"times":1}`)
	fire(tenant, "hook:test")
	servertest.Until(t, "the attempt is recorded", func() bool { return len(attempts(tenant)) == 1 })
	tenant.Control("GET /findings", "").Want(t, http.StatusOK, `{"findings":[]}`)
	fire(tenant, "hook:test")
	servertest.Until(t, "the attempt is recorded", func() bool { return len(attempts(tenant)) == 2 })
	if found := tenant.Control("GET /findings", "").Body; !strings.Contains(found, "webhook-not-accepted") {
		t.Errorf("findings %s, want the refusal of a delivery without a fault", found)
	}
}

// TestFaultyDeliveriesSurviveAKill kills a server while it delivers under faults:
// another one delivers the rest, and every event arrives whole.
func TestFaultyDeliveriesSurviveAKill(t *testing.T) {
	s := servertest.New(t, servertest.RealClock)
	receiver := slowReceiver(t, 5*time.Millisecond)
	s.Acme().Subscribe(receiver.URL, `"secret":"s"`)
	s.Tenant("acme").Fault(`{"delivery":"*","reorder":true,"duplicate":1,"probability":0.3}`)
	s.Tenant("acme").Fault(`{"delivery":"*","delay":"500ms","every":5}`)
	first := startProcess(t, s)
	const events = 500
	publishMany(s, events)
	receiver.Await(t, 100)
	first.Kill()
	if s.CountDeliveries("pending") == 0 {
		t.Fatal("the server was not killed while it delivered")
	}

	startProcess(t, s)
	awaitRecovery(s, events)
	servertest.Until(t, "nothing is pending", func() bool { return s.CountDeliveries("pending") == 0 })
	whole := map[string]bool{}
	for _, sent := range receiver.Received() {
		if sent.Verify("s") {
			whole[sent.Header.Get("X-Request-Id")] = true
		}
	}
	if len(whole) != events {
		t.Errorf("%d events were delivered, want %d", len(whole), events)
	}
	if n := count(s, "attempts a join deliveries d on d.id = a.delivery_id where 'duplicate' = any(d.faults)"); n == 0 {
		t.Error("no fault acted")
	}
}

// TestDeliveryIsCountedOnce stops a server before it sends a claimed delivery that
// waits for a slot: when the delivery is claimed again, the fault does not count it
// again.
func TestDeliveryIsCountedOnce(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	s.Acme().Subscribe(servertest.NewReceiver(t).URL)
	tenant.Fault(`{"delivery":"*","every":2,"duplicate":1}`)
	fire(tenant, "a:b")
	s.Exec("update deliveries set faults = '{}'") // decided by a server that has released it
	s.RunDispatcher()
	servertest.Until(t, "it is delivered", func() bool { return s.CountDeliveries("delivered") == 1 })
	if list := tenant.Control("GET /faults", "").Body; !strings.Contains(list, `"calls":0`) {
		t.Errorf("faults %s, want the delivery not to be counted again", list)
	}
}
