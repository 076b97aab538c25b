package universal_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// startImmediate starts a server of its own and returns it with a tenant whose
// submissions are processed at once.
func startImmediate(t *testing.T) (*servertest.Process, *servertest.Tenant) {
	t.Helper()
	p := servertest.Start(t, "--data-dir", servertest.DataDir(t))
	s := p.Server()
	s.Client, s.ControlClient, s.ControlURL = &http.Client{}, &http.Client{}, p.ControlURL+route.ControlBase
	return p, s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
}

// TestKilledWorkersFailNoGoodDocument kills worker processes while they work, as the
// kernel does when the machine runs out of memory, and checks that every document
// completes. Two kills in each round are not enough to fail a document.
func TestKilledWorkersFailNoGoodDocument(t *testing.T) {
	t.Parallel()
	p, tenant := startImmediate(t)
	for range 4 {
		var txIDs []string
		for range 6 {
			txIDs = append(txIDs, tenant.SubmitFile("a.csv", []byte(statementOfValues(2_000))))
		}
		for range 2 {
			servertest.Until(t, "a busy worker process is killed", func() bool {
				id := busiest(p)
				return id == 0 || syscall.Kill(id, syscall.SIGKILL) == nil
			})
		}
		for _, txID := range txIDs {
			if end := tenant.AwaitEnd(txID); end.Text(t, "status") != "Completed" {
				t.Errorf("%s", end.Body)
			}
		}
	}
}

// busiest returns the worker process that uses the most CPU time at the moment; 0 if
// none uses any.
func busiest(p *servertest.Process) (id int) {
	before := map[int]int{}
	for _, worker := range p.Workers() {
		before[worker] = cpuTicks(worker)
	}
	time.Sleep(30 * time.Millisecond) // the time that is measured
	most := 0
	for worker, ticks := range before {
		if used := cpuTicks(worker) - ticks; used > most {
			id, most = worker, used
		}
	}
	return id
}

// TestDocumentThatCrashesWorkersFails checks that a submission fails after three
// crashes, that each is in the log with its transaction, that each worker process was
// started for the document, and that the next submission completes.
func TestDocumentThatCrashesWorkersFails(t *testing.T) {
	t.Parallel()
	p, tenant := startImmediate(t)
	tenant.AwaitEnd(tenant.SubmitFile("a.txt", servertest.Letter))
	start := 0 // CPU time of the start of a worker process and a short document
	for _, id := range p.Workers() {
		start = max(start, cpuTicks(id))
	}
	if start == 0 {
		t.Fatal("no worker process has used CPU time")
	}
	done := make(chan struct{})
	killed := map[int]bool{}
	var killer sync.WaitGroup
	killer.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
			for _, id := range p.Workers() {
				// A process with more CPU time than this is extracting the large document, which takes several times as much.
				if cpuTicks(id) > 2*start && syscall.Kill(id, syscall.SIGKILL) == nil {
					killed[id] = true
				}
			}
		}
	})
	txID := tenant.SubmitFile("a.csv", []byte(detailedStatement(9_900)))
	end := tenant.AwaitEnd(txID)
	close(done)
	killer.Wait()
	if end.Text(t, "status") != "Failed" || len(killed) != 3 {
		t.Fatalf("%s after %d kills, want Failed after 3", end.Body, len(killed))
	}
	shown := tenant.Server.Tenant(tenant.Name).Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
	if failure := shown.Text(t, "failure"); failure != "the worker process crashed 3 times while reading the document" {
		t.Errorf("failure %q", failure)
	}
	for crashes := range 3 {
		if line := fmt.Sprintf(`msg="worker process crashed" tx_id=%s crashes=%d exit="signal: killed"`, txID, crashes+1); strings.Count(p.Output.String(), line) != 1 {
			t.Errorf("the log does not have one line with %s", line)
		}
	}
	if end := tenant.AwaitEnd(tenant.SubmitFile("b.txt", servertest.Letter)); end.Text(t, "status") != "Completed" {
		t.Errorf("%s", end.Body)
	}
}

// detailedStatement returns a statement of values whose extraction takes seconds of CPU time.
func detailedStatement(locations int) string {
	var text strings.Builder
	text.WriteString("Loc #,Address,City,State,Zip,Building Value,Contents Value,Business Income,Year Built,Construction Type,Stories,Square Feet,Occupancy,Sprinklers,Comments\n")
	for i := range locations {
		fmt.Fprintf(&text, "%d,%[1]d Mill Street,Springfield,IL,62701,%[1]d000,%[1]d00,%[1]d0,%d,Masonry,%d,%d,Warehouse,Yes,note %[1]d\n",
			i+1, 1900+i%120, 1+i%5, 1000+i)
	}
	return text.String()
}

// cpuTicks returns the CPU time of a process in ticks of 10 ms.
func cpuTicks(process int) int {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	_, fields, _ := strings.Cut(string(stat), ") ")
	var skip string
	var user, system int
	fmt.Sscan(fields, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &user, &system)
	return user + system
}
