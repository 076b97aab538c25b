//go:build linux

// Package crashtest kills servers, the private PostgreSQL, its backends and worker
// processes at random and at named points, freezes servers, breaks connections to the
// database and fills disks, while clients work. The clients write every 2xx response to
// a journal before they continue. At the end, everything that was acknowledged must
// still hold.
//
// The tests whose names begin with TestTeam do the same to three servers behind HAProxy,
// of which clients must notice as little as possible. They also check that the servers
// agree.
//
// The package has only tests: a short form in `go test`, 500 kills with `make crash`, and
// the whole team with `make team`. The servers are child processes without test code. Faults happen exactly at
// named points, which are detected by a proxy in front of PostgreSQL, by the receiver
// of deliveries and by the clients.
package crashtest

import (
	"os"
	"strconv"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// shortKills is the number of kills in `go test`.
const shortKills = 6

// kills returns the number of kills of all tests together, which is the environment
// variable CRASH_KILLS, and whether it was set: `make crash` sets it.
func kills(t *testing.T) (n int, long bool) {
	t.Helper()
	text, long := os.LookupEnv("CRASH_KILLS")
	if !long {
		return shortKills, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("CRASH_KILLS=%q: want a number above 0", text)
	}
	return n, true
}

// seed returns the environment variable CRASH_SEED, and otherwise a new seed. It decides
// which faults happen in which order, and which calls the clients make.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("CRASH_SEED")
	if text == "" {
		return uint64(time.Now().UnixNano()) % 1_000_000
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("CRASH_SEED=%q: want a number", text)
	}
	return n
}
