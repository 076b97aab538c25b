//go:build linux

package journal_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// BenchmarkJournal measures what the journal adds to the CPU time of a status
// call, that of Postgres included: it alternates runs with and without the
// journal and reports the median of their ratios. Run it with -benchtime=1x; a
// pair of runs takes a few seconds.
func BenchmarkJournal(b *testing.B) {
	s := servertest.Open(b)
	acme := s.Acme()
	txID, _ := acme.Announce("letter.txt")
	rt, _ := route.Find(route.API, http.MethodGet, "/universal/v2/universal-submit/status/"+txID)
	status := api.Serve(api.MessageErrors, storage.UnavailableReason, universal.Status(universal.NewFinder(s.DB), s.DB, s.App.Gate, rt, func(universal.Work) {}))
	routed := func(handler http.Handler) http.Handler {
		router := chi.NewRouter()
		router.Handle(rt.Pattern(), handler)
		return router
	}
	with, without := routed(s.App.Journal.Record(status)), routed(status)
	const calls = 8_000
	run := func(handler http.Handler) time.Duration {
		before := cpuTime(b, s.DB)
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				for range calls / 8 {
					request := httptest.NewRequest(http.MethodGet, "/universal/v2/universal-submit/status/"+txID, nil)
					request.Header.Set("Authorization", "Bearer "+acme.Token)
					request.Header.Set("X-Api-Key", acme.Key)
					request.Header.Set("User-Agent", "benchmark/1")
					response := httptest.NewRecorder()
					request = request.WithContext(call.With(request.Context(), &call.Record{ResponseHeader: response.Header()}))
					if handler.ServeHTTP(response, request); response.Code != http.StatusOK {
						b.Errorf("response %d %s", response.Code, response.Body)
						return
					}
				}
			})
		}
		running.Wait()
		if err := s.App.Journal.Flush(b.Context()); err != nil {
			b.Error(err)
		}
		return (cpuTime(b, s.DB) - before) / calls
	}
	run(with)
	run(without)
	for b.Loop() {
		var ratios []float64
		var added []time.Duration
		for pair := range 8 {
			var on, off time.Duration
			if pair%2 == 0 {
				on, off = run(with), run(without)
			} else {
				off, on = run(without), run(with)
			}
			ratios, added = append(ratios, float64(on)/float64(off)), append(added, on-off)
			b.Log("with", on, "without", off)
		}
		slices.Sort(ratios)
		slices.Sort(added)
		b.ReportMetric((ratios[3]+ratios[4])/2, "ratio")
		b.ReportMetric(float64((added[3]+added[4])/2)/1000, "µs-added/call")
	}
}

// cpuTime returns the CPU time that this process and Postgres have used.
func cpuTime(b *testing.B, db *pgxpool.Pool) time.Duration {
	b.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	var backend int
	if err := db.QueryRow(b.Context(), "select pg_backend_pid()").Scan(&backend); err != nil {
		b.Fatal(err)
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	postmaster := procStat(fmt.Sprintf("/proc/%d/stat", backend))[1]
	ticks := int64(0)
	for _, path := range stats {
		if fields := procStat(path); len(fields) > 12 && fields[1] == postmaster {
			user, _ := strconv.ParseInt(fields[11], 10, 64)
			system, _ := strconv.ParseInt(fields[12], 10, 64)
			ticks += user + system
		}
	}
	return time.Duration(own.Utime.Nano()+own.Stime.Nano()) + time.Duration(ticks)*10*time.Millisecond
}

// procStat returns the fields after the process's name; nil if the process has
// ended.
func procStat(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}
