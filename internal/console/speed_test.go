package console_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestSpeed prints the time and the transferred bytes of each page for a tenant with
// 100,000 submissions and 10,000 calls, and holds 50 streams. `make console-speed` runs
// it. It fails if a page is not shown or is larger than 60 KB, but not if it is slow,
// because the time depends on the machine.
func TestSpeed(t *testing.T) {
	if os.Getenv("CONSOLE_SPEED") == "" {
		t.Skip("make console-speed runs this test")
	}
	s := servertest.New(t, servertest.Background)
	s.SeedConsole("acme", 100_000, 10_000)
	acme := s.Tenant("acme")
	call := acme.Journal("limit=1")[0].ID
	submission := servertest.Value[string](s, "select tx_id::text from submissions where status = 'Completed' order by created_at desc limit 1")
	delivery := servertest.Value[string](s, "select id::text from deliveries order by id desc limit 1")
	hook := servertest.Value[string](s, "select id::text from hooks limit 1")
	for _, path := range []string{
		"/", "/?tenant=acme&window=7d", "/?part=numbers&tenant=acme", "/?part=feed&tenant=acme",
		"/tenants/acme/submissions", "/tenants/acme/submissions?q=99", "/tenants/acme/submissions/" + submission,
		"/tenants/acme/webhooks", "/tenants/acme/webhooks/" + hook, "/tenants/acme/deliveries/" + delivery,
		"/tenants/acme/requests", "/tenants/acme/requests?q=company&status=4xx", "/tenants/acme/requests/" + call, "/requests",
		"/tenants/acme/control", "/docs", "/docs/control",
	} {
		var times []time.Duration
		var status, size int
		for range 7 {
			begun := time.Now()
			status, size = fetch(t, origin(s)+path)
			times = append(times, time.Since(begun))
		}
		slices.Sort(times)
		fmt.Printf("%-60s %d  median %6.1f ms  slowest %6.1f ms  %5.1f KB\n", strings.ReplaceAll(strings.ReplaceAll(path, submission, "…"), call, "…"), status,
			ms(times[len(times)/2]), ms(times[len(times)-1]), float64(size)/1000)
		if status == http.StatusOK && size > 60_000 {
			t.Errorf("%s: %d bytes", path, size)
		}
	}
	holdStreams(t, s, 50)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// fetch returns the status of a page and the bytes of its body as transferred.
func fetch(t *testing.T, url string) (status, size int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Accept", "text/html")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.Header.Get("Content-Encoding") == "gzip" {
		if _, err := gzip.NewReader(strings.NewReader(string(body))); err != nil {
			t.Fatal(err)
		}
	}
	return response.StatusCode, len(body)
}

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
