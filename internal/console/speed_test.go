//go:build unix

package console_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// loads is how often TestSpeed loads each page.
const loads = 15

// TestSpeed prints the cost of each page for a tenant with 100,000 submissions, 10,000
// calls, 100,000 deliveries and 50 open streams. One of the submissions has a schedule of
// 2,000 locations. `make console-speed` runs it. It fails if a page is not shown or is
// larger than 60 KB, but not if it is slow, because the time depends on the machine.
// Before each load, the tenant makes a call, so that cached values that depend on calls
// are read again.
func TestSpeed(t *testing.T) {
	if os.Getenv("CONSOLE_SPEED") == "" {
		t.Skip("make console-speed runs this test")
	}
	statements := &servertest.Statements{}
	s := servertest.New(t, servertest.Background, servertest.RealClock, statements.Record(t))
	urls := seedPages(s, 2_000, 100_000, 10_000, 100_000)
	acme := s.Acme()
	fmt.Println("status  median    slowest   CPU       transferred  SQL          pages  SQL time  page")
	for _, url := range urls {
		var times, cpu []time.Duration
		var status, size int
		var run []servertest.Statement
		for i := range loads {
			acme.Do("GET /hooks/"+servertest.Absent, "").Want(t, http.StatusNotFound)
			statements.Take()
			begun, begunCPU := time.Now(), cpuTime(t)
			status, size = fetch(t, url)
			times, cpu = append(times, time.Since(begun)), append(cpu, cpuTime(t)-begunCPU)
			if i == 0 { // later ones can use what the first one has read
				run = statements.TakeWithArguments()
			}
		}
		cost := explain(s, run)
		slices.Sort(times)
		slices.Sort(cpu)
		fmt.Printf("%d %9.1f ms %7.1f ms %6.1f ms %8.1f KB %3d statements %6d %6.1f ms  %s\n", status, ms(times[loads/2]), ms(times[loads-1]), ms(cpu[loads/2]),
			float64(size)/1000, len(run), cost.Pages, cost.Ms, strings.TrimPrefix(url, origin(s)))
		if status != http.StatusOK || size > 60_000 {
			t.Errorf("%s: status %d, %d bytes", url, status, size)
		}
	}
	holdStreams(t, s, 50)
}

// cpuTime returns the CPU time that the process has used, which includes the server's, the
// client's, and that of the background work.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// holdStreams opens streams of live events and prints how long all of them take to get
// an event.
func holdStreams(t *testing.T, s *servertest.Server, n int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 0}}
	var got sync.WaitGroup
	for range n {
		response, err := client.Get(origin(s) + "/live?tenant=acme")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		lines := bufio.NewReader(response.Body)
		want(t, lines, "id: connected")
		got.Go(func() {
			for {
				line, err := lines.ReadString('\n')
				if err != nil || strings.HasPrefix(line, "event: live-call") {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	begun := time.Now()
	s.Acme().Do("GET /hooks", "").Want(t, http.StatusOK)
	got.Wait()
	fmt.Printf("%d streams of live events: all have a call after %.1f ms\n", n, ms(time.Since(begun)))
}
