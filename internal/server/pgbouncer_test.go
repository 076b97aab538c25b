package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestConversationThroughPgBouncer runs whole conversations of several tenants at the same
// time. Two servers of one environment, and a server of another one on the same database,
// share a PgBouncer in transaction mode with four connections to PostgreSQL.
func TestConversationThroughPgBouncer(t *testing.T) {
	t.Parallel()
	directURL := storagetest.URL(t)
	url := storagetest.PgBouncer(t, directURL, 4)
	objects := "file://" + t.TempDir()
	start := func(arguments ...string) *servertest.Server {
		return servertest.Start(t, append(arguments, "--database-url", url, "--data-dir", t.TempDir())...).Server()
	}
	one, two := start("--objects-url", objects), start("--objects-url", objects)
	other := start("--environment", "other")
	const tenants = 4
	t.Run("tenants", func(t *testing.T) {
		for i := range tenants {
			t.Run(fmt.Sprintf("of two servers %d", i), func(t *testing.T) {
				t.Parallel()
				converseWithTwo(t, one, two)
			})
		}
		t.Run("of another environment", func(t *testing.T) {
			t.Parallel()
			converseWithTwo(t, other, other)
		})
	})
	rows := rowsOf(t, directURL)
	if n := servertest.Value[int](rows, "select count(*) from submissions where status = 'Completed' and attempt = 1"); n != tenants*submissionsOfConversation {
		t.Errorf("%d submissions were completed at the first attempt, want %d", n, tenants*submissionsOfConversation)
	}
	if n := servertest.Value[int](rows, "select count(*) from other.submissions"); n != submissionsOfConversation {
		t.Errorf("the other environment has %d submissions, want %d", n, submissionsOfConversation)
	}
}

const submissionsOfConversation = 3

// converseWithTwo creates a tenant and makes its calls at the two servers in turn: it submits
// documents, moves the clock, reads the reports, and receives the deliveries.
func converseWithTwo(t *testing.T, one, two *servertest.Server) {
	here, there := *one, *two
	here.T, there.T = t, t
	tenant := here.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"2h","finished":"3h"}}`)
	peer := *tenant
	peer.Server = &there
	receiver := servertest.NewReceiver(t)
	tenant.Subscribe(receiver.URL, `"secret":"s"`)
	events := streamEvents(t, &peer)

	var submitted []string
	for range submissionsOfConversation {
		txID, upload := tenant.Announce("letter.txt")
		upload = there.URL + upload[strings.Index(upload, "/file-transfer"):]
		there.Upload(upload, "letter.txt", servertest.Letter).Want(t, http.StatusOK)
		first := tenant.Trigger(txID).Want(t, http.StatusOK)
		peer.Trigger(txID).Want(t, http.StatusOK, first.Body)
		submitted = append(submitted, txID)
	}
	effects := peer.Advance("7h")
	ended := 0
	for _, effect := range effects {
		if effect.Status == "Completed" {
			ended++
		}
	}
	if ended != len(submitted) {
		t.Errorf("%d submissions completed during the move of the clock, want %d: %+v", ended, len(submitted), effects)
	}
	for _, txID := range submitted {
		tenant.Status(txID).Want(t, http.StatusOK)
		peer.Control("GET /await?event=universal_submit:completed&within=30s&tx_id="+txID, "").Want(t, http.StatusOK)
		inquiry := peer.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
		if got := inquiry.Text(t, "data", "facts", "company_name"); got != "Foxglove Bakery LLC" {
			t.Errorf("company %q", got)
		}
		tenant.Do("GET /data/v2/"+tenant.LocationPackage+"/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	}
	// Each submission has an event for each of its four states.
	servertest.Until(t, "all events are delivered", func() bool { return len(receiver.Times()) == 4*len(submitted) })
	for _, received := range receiver.Received() {
		if !received.Verify("s") {
			t.Error("the signature of a delivery is wrong")
		}
	}
	for completed := 0; completed < len(submitted); {
		event, ok := <-events
		if !ok {
			t.Fatal("the stream has ended")
		}
		if strings.Contains(event, "universal_submit:completed") && !strings.Contains(event, "delivery_id") {
			completed++
		}
	}
	tenant.Do("POST /hooks", `{"url":"nonsense"}`).Want(t, http.StatusUnprocessableEntity)
	tenant.Control("GET /requests", "").Want(t, http.StatusOK)
}

// streamEvents returns the data of the events in the tenant's stream.
func streamEvents(t *testing.T, tenant *servertest.Tenant) <-chan string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tenant.ControlPath("/stream"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := tenant.ControlClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan string, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		defer close(events)
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				select {
				case events <- data:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return events
}
