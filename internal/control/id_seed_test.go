package control_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/server/servertest"
)

// TestIDSeed checks that the ids of a tenant are derived from the id seed, its name and
// their order: a tenant with the same name and seed gets the same ids after a reset, or
// when it is created again, and no other tenant gets them.
func TestIDSeed(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, settings: id_seed: the same name and seed give the same ids")
	s := servertest.New(t, servertest.Background)
	receiver := servertest.NewReceiver(t)
	create := func(name, seed string) *servertest.Tenant {
		t.Helper()
		return s.NewNamedTenant(name, `{"pacing":{"mode":"immediate"},"id_seed":`+seed+`}`)
	}
	first := create("snapshot", "7")
	want := snapshotIDs(t, first, receiver)
	checkForms(t, want)

	first.Control("POST /reset", "").Want(t, http.StatusOK)
	if settings := first.Control("PATCH /settings", `{"pacing":{"mode":"immediate"}}`).Want(t, http.StatusOK); settings.Get(t, "id_seed") != 7.0 {
		t.Errorf("seed not kept by a reset: settings %s", settings.Body)
	}
	if diff := cmp.Diff(want, snapshotIDs(t, first, receiver)); diff != "" {
		t.Errorf("ids after a reset (- want, + got):\n%s", diff)
	}
	s.Control("DELETE /tenants/snapshot", "").Want(t, http.StatusNoContent)
	if diff := cmp.Diff(want, snapshotIDs(t, create("snapshot", "7"), receiver)); diff != "" {
		t.Errorf("ids of a tenant that was created again (- want, + got):\n%s", diff)
	}

	seen := map[string]bool{}
	for _, id := range want {
		seen[id] = true
	}
	for i, tenant := range []*servertest.Tenant{create("snapshot-2", "7"), create("snapshot-3", "8"), create("snapshot-4", "null")} {
		for _, id := range snapshotIDs(t, tenant, receiver) {
			if seen[id] {
				t.Errorf("tenant %d: another tenant has the id %s", i, id)
			}
			seen[id] = true
		}
	}
}

// TestIDSeedInParallel makes many calls at once for a tenant with an id seed while the
// tenant is reset: no call fails, and no two rows get the same id.
func TestIDSeedInParallel(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	receiver := servertest.NewReceiver(t)
	tenant := s.NewNamedTenant("parallel", `{"pacing":{"mode":"immediate"},"id_seed":1}`)
	tenant.Subscribe(receiver.URL)
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for range 5 {
				txID, url := tenant.Announce("letter.txt")
				s.Upload(url, "letter.txt", servertest.Letter)
				if status := tenant.Trigger(txID).Status; status >= 500 {
					t.Errorf("trigger: %d", status)
				}
				tenant.Do(servertest.SubmitCompany, `{"company_name":"Foxglove Bakery LLC","address":"1 Main St, Austin, TX"}`).Want(t, http.StatusOK)
				tenant.Control("POST /events", `{"event":"hook:test"}`).Want(t, http.StatusOK)
			}
		})
	}
	working.Go(func() {
		for range 3 {
			tenant.Control("POST /reset", "").Want(t, http.StatusOK)
			tenant.Subscribe(receiver.URL)
		}
	})
	working.Wait()

	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	ids := make([]string, 20)
	for i := range ids {
		working.Go(func() { ids[i], _ = tenant.Announce("letter.txt") })
	}
	working.Wait()
	if slices.Sort(ids); len(slices.Compact(ids)) != 20 || ids[0][:13] != "ff000000-0001" || ids[19][:13] != "ff000000-0014" {
		t.Errorf("ids %v", ids)
	}
}

// seededDelivery is a delivery with its ids.
type seededDelivery struct {
	RequestID string `json:"request_id"`
	EventID   string `json:"event_id"`
	State     string
	Attempts  []struct {
		DeliveryID string `json:"delivery_id"`
	}
}

// snapshotIDs creates one of everything that has an id, and returns the ids in order.
func snapshotIDs(t *testing.T, tenant *servertest.Tenant, receiver *servertest.Receiver) (ids []string) {
	t.Helper()
	hookID := tenant.Subscribe(receiver.URL)
	ids = append(ids, hookID)
	for _, filename := range []string{"first.txt", "second.txt"} {
		txID := tenant.SubmitFile(filename, servertest.Letter)
		tenant.AwaitEnd(txID)
		status := tenant.Status(txID).Want(t, http.StatusOK)
		ids = append(ids, txID, status.Text(t, "c_report_id"), status.Text(t, "l_report_id"))
	}
	submitted := tenant.Do(servertest.SubmitCompany, `{"company_name":"Foxglove Bakery LLC","address":"1 Main St, Austin, TX"}`).Want(t, http.StatusOK)
	ids = append(ids, strings.TrimPrefix(submitted.Text(t, "tx_id"), tenant.Name+"-"), submitted.Text(t, "c_report_id"))
	for _, path := range []string{"v2/" + tenant.CompanyPackage + "/" + ids[1] + "?idType=transaction", "v1/" + tenant.CompanyPackage + "/" + ids[2]} {
		ids = append(ids, tenant.Do("GET /data/"+path, "").Want(t, http.StatusOK).Text(t, "tx_id"))
	}
	ids = append(ids, tenant.Control("POST /events", `{"event":"hook:test"}`).Want(t, http.StatusOK).Text(t, "event_id"))

	var deliveries []seededDelivery
	servertest.Until(t, "all deliveries are made", func() bool {
		var list struct{ Deliveries []seededDelivery }
		if err := json.Unmarshal([]byte(tenant.Control("GET /deliveries", "").Want(t, http.StatusOK).Body), &list); err != nil {
			t.Fatal(err)
		}
		deliveries = list.Deliveries
		return !slices.ContainsFunc(deliveries, func(d seededDelivery) bool { return d.State != "delivered" })
	})
	again := tenant.Control("POST /deliveries/"+deliveries[0].RequestID+"/redeliver", "").Want(t, http.StatusCreated).Text(t, "request_id")
	for i, d := range deliveries {
		ids = append(ids, d.RequestID, d.Attempts[0].DeliveryID)
		if i > 0 { // that of the first is in the list already
			ids = append(ids, d.EventID)
		}
	}
	return append(ids, again)
}

// checkForms checks that the ids have their documented formats.
func checkForms(t *testing.T, ids []string) {
	t.Helper()
	reportID := regexp.MustCompile(`^[CL]US1[0-9A-F]{16}$`)
	for _, id := range ids {
		if reportID.MatchString(id) {
			continue
		}
		parsed, err := uuid.Parse(id)
		if err != nil || parsed.Version() != 7 || parsed.Variant() != uuid.RFC4122 || parsed.String() != id {
			t.Errorf("id %s, %v", id, err)
		}
	}
}
