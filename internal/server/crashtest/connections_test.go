//go:build linux

package crashtest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// trouble is a way in which the connections to the database fail.
type trouble struct {
	name  string
	toxic string // JSON of Toxiproxy's API; "" closes the proxy
	down  bool   // no call can succeed, so /readyz must say so
}

var troubles = []trouble{
	{"refused", "", true},
	{"black-holed", `{"name":"t","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`, true},
	{"slow by 300 to 500 ms", `{"name":"t","type":"latency","stream":"downstream","attributes":{"latency":400,"jitter":100}}`, false},
	{"reset after their first bytes", `{"name":"t","type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}`, true},
	{"without bandwidth", `{"name":"t","type":"bandwidth","stream":"upstream","attributes":{"rate":0}}`, true},
	{"cut after 500 ms", `{"name":"t","type":"timeout","stream":"upstream","attributes":{"timeout":500}}`, true},
	{"cut after 4 KB", `{"name":"t","type":"limit_data","stream":"downstream","attributes":{"bytes":4096}}`, false},
}

// shortTroubles is the number of troubles that `go test` makes.
const shortTroubles = 3

// TestBrokenDatabaseConnections breaks the connections between a server and its
// database in several ways, and restarts the database immediately. Calls succeed or get
// 503 with Retry-After, /readyz reports the state of the database, the server recovers
// by itself, and nothing that was acknowledged is lost.
func TestBrokenDatabaseConnections(t *testing.T) {
	t.Parallel()
	_, long := kills(t)
	made := troubles
	duration := 8 * time.Second
	if !long {
		made, duration = troubles[:shortTroubles], 3*time.Second
	}
	r := newRun(t)
	var proxy *toxiproxy.Proxy
	r.startShared(1, func(relay *relay) string {
		proxy = newToxiproxy(t, relay.address())
		return proxy.Listen
	})
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.startClients(ctx)
	for _, trouble := range made {
		time.Sleep(500 * time.Millisecond)
		r.makeTrouble(proxy, trouble, duration)
		r.recover()
	}
	for range 3 {
		r.restartDatabase()
		r.recover()
	}
	r.finish(stop)
}

// newToxiproxy returns a proxy to the address.
func newToxiproxy(t *testing.T, address string) *toxiproxy.Proxy {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, "postgres", "127.0.0.1:0", address)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	return proxy
}

// makeTrouble breaks the connections for the duration, and checks what /readyz says.
func (r *run) makeTrouble(proxy *toxiproxy.Proxy, trouble trouble, duration time.Duration) {
	r.t.Helper()
	r.journal.write(everybody, "--- connections to the database: %s", trouble.name)
	begun := time.Now()
	if trouble.toxic == "" {
		proxy.Stop()
	} else if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(trouble.toxic)); err != nil {
		r.t.Fatal(err)
	}
	noticed := time.Duration(-1) // until /readyz returned 503
	for time.Since(begun) < duration {
		status, _ := r.readyz(r.nodes[0])
		if noticed < 0 && status == http.StatusServiceUnavailable {
			noticed = time.Since(begun)
		}
		if trouble.down && noticed >= 0 && status == http.StatusOK {
			r.journal.fail(badResponse, "", "/readyz is 200 while the connections to the database are %s", trouble.name)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if trouble.down && noticed < 0 {
		r.journal.fail(badResponse, "", "/readyz never was 503 in %v while the connections to the database were %s", duration, trouble.name)
	}
	time.Sleep(time.Until(begun.Add(duration)))
	if trouble.toxic == "" {
		if err := proxy.Start(); err != nil {
			r.t.Fatal(err)
		}
	} else if err := proxy.Toxics.RemoveToxic(context.Background(), "t"); err != nil {
		r.t.Fatal(err)
	}
	r.journal.write(everybody, "--- the connections work again")
	ended := time.Now()
	for !r.ready(r.nodes[0]) && time.Since(ended) < recoveryLimit {
		time.Sleep(10 * time.Millisecond)
	}
	reached := "never"
	if noticed >= 0 {
		reached = fmt.Sprintf("after %.1f s", noticed.Seconds())
	}
	r.tally.note("connections %s for %v: /readyz 503 %s, 200 again %.1f s after the end", trouble.name, duration, reached, time.Since(ended).Seconds())
}

// restartDatabase restarts PostgreSQL as `pg_ctl restart -m immediate` does.
func (r *run) restartDatabase() {
	r.t.Helper()
	pid := postmasterOf(r.clusterDir)
	r.journal.write(everybody, "--- immediate restart of PostgreSQL")
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		r.t.Fatal(err)
	}
	r.killedPostmaster = pid
	r.tally.note("immediate restart of PostgreSQL")
}
