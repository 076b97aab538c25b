package server_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/document/documenttest/hostile"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

const (
	hostileTenants   = 5
	hostilePerTenant = 2 // documents of one tenant at a time: ten in all
	hostileGoal      = 10 * time.Second
	hostileGuard     = 5 * time.Minute // only a document whose processing hangs takes longer
	hostileTotal     = 4 << 30         // bytes of memory of all worker processes
)

// TestHostileDocuments submits every hostile document to a server, ten at a time, while
// another client makes ordinary calls. It checks that each document ends in its state
// with its reason, that no worker process crashes, and that nothing is left behind.
// -v shows the slowest documents, the latency of the other client and the memory of
// the worker processes. The environment variable HOSTILE_SCALE divides the sizes of
// the documents that take the most time: `make hostile` sets it to 1.
func TestHostileDocuments(t *testing.T) {
	servertest.Slow(t)
	t.Parallel()
	scale, err := strconv.Atoi(os.Getenv("HOSTILE_SCALE"))
	if err != nil || scale < 1 {
		scale = 40
	}
	temporary := t.TempDir()
	if err := os.Chmod(temporary, 0o777); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--data-dir", servertest.DataDir(t), "--read-memory-total-bytes", strconv.Itoa(hostileTotal), "TMPDIR=" + temporary}
	p := servertest.Start(t, arguments...)
	s := p.Server()
	s.Client, s.ControlClient, s.ControlURL = &http.Client{}, &http.Client{}, p.ControlURL+route.ControlBase
	normal := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	submit(normal, "letter.txt", servertest.Letter)
	documents := hostile.Documents(scale)
	prepared := make([]string, len(documents)) // beforehand: generating them would take CPU time from the server
	for i, d := range documents {
		prepared[i] = filepath.Join(t.TempDir(), "document")
		if err := os.WriteFile(prepared[i], d.Content(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := openFiles(t, p.Cmd.Process.Pid)

	stop := make(chan struct{})
	var observers sync.WaitGroup
	var latencies []time.Duration
	var memory int64
	observers.Go(func() { latencies = callUntil(normal, stop) })
	observers.Go(func() { memory = peakMemory(p, stop) })
	ends := submitHostile(s, documents, prepared)
	close(stop)
	observers.Wait()

	slices.SortFunc(ends, func(a, b hostileEnd) int { return int(b.took - a.took) })
	for _, end := range ends {
		if !end.asExpected() {
			t.Errorf("%s: %s after %v: %q, want the reason %q", end.Name, end.status, end.took, end.failure, end.Reason)
		}
		if end.took > hostileGoal {
			t.Logf("slow: %s took %.1f s, the goal is %v", end.Name, end.took.Seconds(), hostileGoal)
		}
	}
	slices.Sort(latencies)
	t.Logf("%d documents, the slowest in %.1f s (%s)", len(ends), ends[0].took.Seconds(), ends[0].Name)
	t.Logf("%d calls of another client: median %v, p99 %v (the goal is 100 ms)", len(latencies), latencies[len(latencies)/2], latencies[len(latencies)*99/100])
	t.Logf("worker processes: %d MiB of memory at most, %d allowed", memory>>20, hostileTotal>>20)
	if memory > hostileTotal {
		t.Errorf("worker processes used %d bytes of memory, want at most %d", memory, hostileTotal)
	}
	if log := p.Output.String(); strings.Contains(log, `msg="worker process crashed"`) || strings.Contains(log, "panic") {
		t.Errorf("a worker process crashed:\n%s", log)
	}
	checkNothingLeft(t, p.Cmd.Process.Pid, before, temporary)
}

// hostileEnd is how a hostile document ended.
type hostileEnd struct {
	hostile.Document
	status, failure string
	took            time.Duration
}

func (e hostileEnd) asExpected() bool {
	if e.Reason == "" {
		return e.status == "Completed"
	}
	return e.status == "Failed" && strings.Contains(e.failure, e.Reason)
}

// submitHostile submits the documents, whose contents are in files, ten at a time, and returns how
// they ended.
func submitHostile(s *servertest.Server, documents []hostile.Document, files []string) (ends []hostileEnd) {
	next := make(chan int)
	var mu sync.Mutex
	var clients sync.WaitGroup
	for range hostileTenants {
		tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
		for range hostilePerTenant {
			clients.Go(func() {
				for i := range next {
					content, err := os.ReadFile(files[i])
					if err != nil {
						tenant.T.Error(err)
						continue
					}
					end := submit(tenant, documents[i].Filename, content)
					end.Document = documents[i]
					mu.Lock()
					ends = append(ends, end)
					mu.Unlock()
				}
			})
		}
	}
	for i := range documents {
		next <- i
	}
	close(next)
	clients.Wait()
	return ends
}

// submit submits a document and waits until it has ended.
func submit(tenant *servertest.Tenant, filename string, content []byte) (end hostileEnd) {
	txID, url := tenant.Announce(filename)
	tenant.Upload(url, filename, content).Want(tenant.T, http.StatusOK)
	start := time.Now()
	tenant.Trigger(txID).Want(tenant.T, http.StatusOK)
	for ; ; time.Sleep(100 * time.Millisecond) { // if ten clients polled more often, the polls would be a load of their own
		end.status, end.took = tenant.Status(txID).Text(tenant.T, "status"), time.Since(start)
		if end.status == "Completed" || end.status == "Failed" || end.took > hostileGuard {
			break
		}
	}
	if end.status == "Failed" { // the response for 10,000 locations has 13 MB
		shown := tenant.Tenant(tenant.Name).Control("GET /transactions/"+txID, "").Want(tenant.T, http.StatusOK)
		end.failure = shown.Text(tenant.T, "failure")
	}
	return end
}

// callUntil makes ordinary calls until stop is closed, and returns how long each took.
func callUntil(tenant *servertest.Tenant, stop <-chan struct{}) (latencies []time.Duration) {
	timed := func(call func()) {
		start := time.Now()
		call()
		latencies = append(latencies, time.Since(start))
	}
	for {
		select {
		case <-stop:
			return latencies
		case <-time.After(20 * time.Millisecond):
		}
		var txID, url string
		timed(func() { txID, url = tenant.Announce("letter.txt") })
		timed(func() {
			tenant.Upload(url, "letter.txt", servertest.Letter).Want(tenant.T, http.StatusOK)
		})
		timed(func() { tenant.Trigger(txID).Want(tenant.T, http.StatusOK) })
		timed(func() { tenant.Status(txID).Want(tenant.T, http.StatusOK) })
	}
}

// peakMemory returns the highest sum of the memory, in bytes, of a server's worker
// processes until stop is closed. Shared pages, such as the program's, do not count.
func peakMemory(p *servertest.Process, stop <-chan struct{}) (peak int64) {
	for {
		select {
		case <-stop:
			return peak
		case <-time.After(50 * time.Millisecond):
		}
		sum := int64(0)
		for _, worker := range p.Workers() {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", worker))
			_, anonymous, _ := strings.Cut(string(status), "RssAnon:")
			var kilobytes int64
			fmt.Sscan(anonymous, &kilobytes)
			sum += kilobytes << 10
		}
		peak = max(peak, sum)
	}
}

// openFiles returns which files, and not sockets or pipes, a process has open.
func openFiles(t *testing.T, process int) (open []string) {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", process))
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, _ := os.Readlink(link); strings.HasPrefix(target, "/") {
			open = append(open, target)
		}
	}
	return open
}

// checkNothingLeft checks that a server has no more files open than before, no
// temporary files.
func checkNothingLeft(t *testing.T, server int, before []string, temporary string) {
	t.Helper()
	servertest.Until(t, "the files of documents are closed", func() bool { return len(openFiles(t, server)) <= len(before) })
	left, err := os.ReadDir(temporary)
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}
