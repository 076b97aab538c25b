package fault_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// TestFaultsOnDeliveriesShareTwoStatements counts the statements for a batch of deliveries
// that several faults match, fewer than the maximum of a statement. It checks that each fault
// counts and acts by itself.
func TestFaultsOnDeliveriesShareTwoStatements(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	tenant.Fault(`{"delivery":"a","duplicate":1,"times":2}`)
	tenant.Fault(`{"delivery":"a:b","delay":"1s","every":2}`)
	tenant.Fault(`{"delivery":"a:c","drop":true}`)
	tenant.Fault(`{"delivery":"other","truncate":true}`)
	tenant.Fault(`{"delivery":"*","wrong_signature":true,"every":100}`)
	db := &countingDB{DB: s.DB}
	injector := fault.NewInjector(db, db, s.Now)
	targets := []hooks.FaultTarget{{Event: "a:b"}, {Event: "a:c"}, {Event: "a:b"}}
	for _, want := range [][]hooks.DeliveryFaults{
		{{Duplicates: 1}, {Duplicates: 1, Drop: true}, {Delay: time.Second}},
		{{}, {Drop: true}, {Delay: time.Second}},
	} {
		before := db.statements
		if _, err := injector.SelectForDeliveries(t.Context(), s.TenantID("globex"), targets); err != nil { // loads which tenants have faults
			t.Fatal(err)
		}
		selected, err := injector.SelectForDeliveries(t.Context(), s.TenantID("acme"), targets)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, selected); diff != "" {
			t.Error(diff)
		}
		first := map[bool]int{true: 2}[before == 0] // these load which tenants have faults, and the faults of the tenant
		if n := db.statements - before - first; n != 3 {
			t.Errorf("%d statements, want 3: the tenant, and two that count", n)
		}
	}
	var got []string
	for _, f := range tenant.Control("GET /faults", "").Want(t, http.StatusOK).Get(t, "faults").([]any) {
		f := f.(map[string]any)
		got = append(got, fmt.Sprintf("%v %v %v", f["delivery"], f["calls"], f["acted"]))
	}
	slices.Sort(got)
	if want := []string{"* 6 0", "a 6 2", "a:b 4 2", "a:c 2 2", "other 0 0"}; !slices.Equal(got, want) {
		t.Errorf("counts %q, want %q", got, want)
	}
}

// TestEffectsOfManyFaultsAreLimited checks the sums of the effects of many faults. It also checks
// that faults are counted by several small statements, so that calls of other tenants wait for a
// connection only as long as one of these takes.
func TestEffectsOfManyFaultsAreLimited(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	for range 25 {
		tenant.Fault(`{"delivery":"*","duplicate":60,"delay":"20d"}`)
	}
	db := &countingDB{DB: s.DB}
	injector := fault.NewInjector(db, db, s.Now)
	selected, err := injector.SelectForDeliveries(t.Context(), s.TenantID("acme"), []hooks.FaultTarget{{Event: "a:b"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]hooks.DeliveryFaults{{Duplicates: 100, Delay: 30 * 24 * time.Hour}}, selected); diff != "" {
		t.Error(diff)
	}
	if db.statements != 9 {
		t.Errorf("%d statements, want 9: one each for the tenants with faults, the faults and the tenant, and two for every ten faults", db.statements)
	}
}

// TestCountedFaultsAct checks that exactly the faults that are counted as having acted do act,
// whichever of the counting statements fails.
func TestCountedFaultsAct(t *testing.T) {
	const faults, loads = 25, 3 // loads: statements before the first one that counts
	for failing, want := range []int{0, 0, 10, 10, 20, 20, 25} {
		t.Run(fmt.Sprint(failing), func(t *testing.T) {
			s := servertest.New(t)
			tenant := s.Tenant("acme")
			for range faults {
				tenant.Fault(`{"delivery":"*","duplicate":1,"times":1}`)
			}
			db := &countingDB{DB: s.DB, failing: loads + failing + 1}
			injector := fault.NewInjector(db, db, s.Now)
			selected, err := injector.SelectForDeliveries(t.Context(), s.TenantID("acme"), []hooks.FaultTarget{{Event: "a:b"}})
			if err != nil {
				t.Fatal(err)
			}
			acted := servertest.Value[int](s, "select sum(acted)::int from faults")
			if selected[0].Duplicates != want || acted != want {
				t.Errorf("%d faults have acted and %d are counted, want %d", selected[0].Duplicates, acted, want)
			}
		})
	}
}

// TestManyNamesOfEvents checks that a fault counts events of any number of names, without
// keeping a count for each.
func TestManyNamesOfEvents(t *testing.T) {
	s := servertest.New(t)
	s.Tenant("acme").Fault(`{"delivery":"*","drop":true,"every":2}`)
	s.Tenant("acme").Fault(`{"delivery":"*","duplicate":1,"probability":1}`)
	injector := fault.NewInjector(s.DB, s.DB, s.Now)
	dropped, duplicated := 0, 0
	for batch := range 4 {
		targets := []hooks.FaultTarget{{Event: "a:b"}}
		for i := range 99 {
			targets = append(targets, hooks.FaultTarget{Event: fmt.Sprintf("a:%d", 100*batch+i)})
		}
		selected, err := injector.SelectForDeliveries(t.Context(), s.TenantID("acme"), targets)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range selected {
			dropped += btoi(f.Drop)
			duplicated += f.Duplicates
		}
	}
	if dropped != 200 || duplicated != 400 {
		t.Errorf("of 400 deliveries %d were dropped and %d duplicated, want 200 and 400", dropped, duplicated)
	}
	for _, counts := range []string{"count(*)::int", "sum(value::int)::int"} {
		want := map[bool]int{true: 101, false: 400}[counts == "count(*)::int"]
		if got := servertest.Value[int](s, "select min(n) from (select "+counts+" as n from faults, jsonb_each_text(route_calls) group by id) counted"); got != want {
			t.Errorf("%s of the counts is %d, want %d", counts, got, want)
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
