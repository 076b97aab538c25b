package control_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestAwait checks that a call that waits for an event returns an earlier entry, the
// next one as soon as there is one, or the entries seen instead.
func TestAwait(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, events: await waits for an event, and shows what it saw on a timeout")
	s := servertest.New(t)
	tenant, acme, globex := s.Tenant("acme"), s.Acme(), s.Globex()
	globex.SubmitFile("a.txt", []byte("text"))
	txID := acme.SubmitFile("a.txt", []byte("text"))

	earlier := tenant.Control("GET /await?event=universal_submit:submission_in_progress&tx_id="+txID, "").Want(t, http.StatusOK)
	if earlier.Text(t, "data", "status") != "Submission_in_progress" || earlier.Text(t, "tx_id") != txID {
		t.Errorf("earlier entry %s", earlier.Body)
	}
	call := tenant.Control("GET /await?event=call&tx_id="+txID, "").Want(t, http.StatusOK)
	if call.Text(t, "data", "route") != servertest.GetUploadURL {
		t.Errorf("call %s", call.Body)
	}
	servertest.Until(t, "no request is in flight", func() bool { return s.App.Requests.InFlight() == 0 })
	responses := make(chan servertest.Response)
	go func() { responses <- tenant.Control("GET /await?event=universal_submit:scheduled&within=30s", "") }()
	servertest.Until(t, "the call waits", func() bool { return s.App.Requests.InFlight() == 1 })
	s.Pass(time.Second)
	s.Work()
	scheduled := (<-responses).Want(t, http.StatusOK)
	if scheduled.Text(t, "tx_id") != txID {
		t.Errorf("awaited entry %s", scheduled.Body)
	}
	timeout := tenant.Control("GET /await?event=universal_submit:completed&within=50ms&tx_id="+txID, "").Want(t, http.StatusRequestTimeout)
	if seen := timeout.Get(t, "seen").([]any); len(seen) != 5 { // three calls, two states
		t.Errorf("entries seen %s", timeout.Body)
	}
	tenant.Control("GET /await?event=*&within=10ms&after="+scheduled.Text(t, "cursor")+"&tx_id=none", "").Want(t, http.StatusRequestTimeout)
	tenant.Control("GET /await?event=*", "").Want(t, http.StatusOK)
	tenant.Control("GET /await?event=universal", "?").Want(t, http.StatusUnsupportedMediaType)
	tenant.Control("GET /await?event=universal&within=0s", "").Want(t, http.StatusRequestTimeout)
	tenant.Control("GET /await?event=x&within=2m", "").Want(t, http.StatusBadRequest)
	tenant.Control("GET /await", "").Want(t, http.StatusBadRequest)
}

// TestAwaitEndsWithItsClient checks that a call that waits for an event ends as soon
// as its client leaves.
func TestAwaitEndsWithItsClient(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, tenant.ControlPath("/await?event=never&within=60s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := servertest.Try(http.DefaultClient, request)
		ended <- err
	}()
	servertest.Until(t, "the call waits", func() bool { return s.App.Requests.InFlight() == 1 })
	leave()
	if err := <-ended; err == nil {
		t.Error("the call has a response")
	}
	servertest.Until(t, "the call has ended", func() bool { return s.App.Requests.InFlight() == 0 })
}

// TestAwaitPublishedEvent waits for an event that was published through the control API,
// even if no subscription matches it.
func TestAwaitPublishedEvent(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	tenant.Control("GET /await?event=carrier:bound&within=0s", "").Want(t, http.StatusRequestTimeout)
	fired := tenant.Control("POST /events", `{"event":"carrier:bound","data":{"tx_id":"tx-1"}}`).Want(t, http.StatusOK)
	got := tenant.Control("GET /await?event=carrier:bound&within=0s&tx_id=tx-1", "").Want(t, http.StatusOK)
	if id := got.Get(t, "data", "event_id"); id != fired.Text(t, "event_id") {
		t.Errorf("entry %s, want the event %s", got.Body, fired.Body)
	}
	s.Tenant("globex").Control("GET /await?event=carrier:bound&within=0s", "").Want(t, http.StatusRequestTimeout)
}
