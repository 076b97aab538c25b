package fault_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// TestDeliveriesWithoutFaultsCostNoStatement counts the statements for deliveries of
// tenants with and without faults on deliveries.
func TestDeliveriesWithoutFaultsCostNoStatement(t *testing.T) {
	s := servertest.New(t)
	s.NewNamedTenant("made", `{}`)
	s.Tenant("acme").Fault(`{"route":"*","status":503}`)
	s.Tenant("globex").Fault(`{"delivery":"a:b","drop":true,"times":1}`)
	db := &countingDB{DB: s.DB}
	injector := fault.NewInjector(db, db, s.Now)
	targets := slices.Repeat([]hooks.FaultTarget{{Event: "a:b"}}, 500)
	for _, test := range []struct {
		tenant     string
		want       int // statements
		selects    bool
		passedTime time.Duration
	}{
		{"made", 1, false, 0}, // loads which tenants have faults
		{"acme", 2, false, 0}, // loads its faults
		{"acme", 2, false, 0},
		{"globex", 6, true, 0}, // faults, tenant, count, and that it acted
		{"acme", 6, false, 499 * time.Millisecond},
		{"made", 6, false, 0},
		{"made", 7, false, time.Millisecond}, // the cache has expired
		{"acme", 8, false, 0},
	} {
		s.Pass(test.passedTime)
		selected, err := injector.SelectForDeliveries(t.Context(), s.TenantID(test.tenant), targets)
		if err != nil || (selected != nil) != test.selects {
			t.Fatalf("%s: %d selected, %v", test.tenant, len(selected), err)
		}
		if db.statements != test.want {
			t.Errorf("%s: %d statements in all, want %d", test.tenant, db.statements, test.want)
		}
	}
}

// TestSameSeedSameFaults checks that a fault with the same seed acts on the same calls
// of a route in every tenant.
func TestSameSeedSameFaults(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: the same seed has the same faults in every tenant")
	s := servertest.New(t)
	run := func(seed string) (acted string) {
		tenant := s.NewTenant(`{}`)
		tenant.Fault(`{"route":"*","status":503,"probability":0.5,"seed":"` + seed + `"}`)
		for range 30 {
			for _, line := range []string{unknownStatus, "GET /hooks"} {
				acted += string("-x"[btoi(send(tenant.Client, line).Status == http.StatusServiceUnavailable)])
			}
		}
		return acted
	}
	first := run("s")
	if second := run("s"); second != first {
		t.Errorf("fault acted on the calls %s in one tenant, %s in another", first, second)
	}
	if other := run("t"); other == first || !strings.Contains(first, "x") || !strings.Contains(first, "-") {
		t.Errorf("fault acted on the calls %s, with another seed on %s", first, other)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestFaultsOnDeliveriesAreShown checks how faults on deliveries are listed, and that
// they do not act on calls.
func TestFaultsOnDeliveriesAreShown(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: listed and deleted")
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	const fields = `"delivery":"a:b","delay":"24h0m0s","drop":true,"duplicate":3,"reorder":true,"wrong_signature":true,"truncate":true,"times":1`
	created := tenant.Control("POST /faults", `{`+strings.Replace(fields, "24h0m0s", "1d", 1)+`}`).Want(t, http.StatusCreated)
	if !strings.Contains(created.Body, fields) || strings.Contains(created.Body, "route") {
		t.Errorf("created %s", created.Body)
	}
	tenant.Control("GET /faults", "").Want(t, http.StatusOK, `{"faults":[`+created.Body+`]}`)
	s.Acme().Do(unknownStatus, "").Want(t, http.StatusNotFound)
	if got := counts(t, tenant); got != "0 0" {
		t.Errorf("counts %s, want 0 0", got)
	}
}
