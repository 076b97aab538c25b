package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// submissions measures submissions of a letter with immediate pacing, from the request
// for an upload URL until a poll shows that they are completed: first one after the
// other, then with eight clients.
func submissions(ctx context.Context, m *machine) error {
	c, _, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	if err := c.setting(ctx, `{"pacing":{"mode":"immediate"}}`); err != nil {
		return err
	}
	defer c.setting(context.WithoutCancel(ctx), `{"pacing":{"mode":"timed"}}`)
	const count = 50
	submit := func() (took time.Duration, err error) {
		_, took, err = c.submit(ctx, "letter.txt", []byte(letter))
		return took, err
	}
	if _, err := submit(); err != nil { // the first one starts the parsers
		return err
	}
	var statements, wal, server, parsers, database, waits []float64
	for range m.rounds {
		before, err := m.counts(ctx)
		if err != nil {
			return err
		}
		for range count {
			took, err := submit()
			if err != nil {
				return err
			}
			waits = append(waits, took.Seconds()*1000)
		}
		time.Sleep(600 * time.Millisecond) // until the journal has been written
		after, err := m.counts(ctx)
		if err != nil {
			return err
		}
		statements = append(statements, float64(after.statements-before.statements)/count)
		wal = append(wal, float64(after.wal-before.wal)/count/1000)
		own := (after.own - before.own).Seconds() * 1000 / count
		server = append(server, own)
		parsers = append(parsers, (after.server-before.server).Seconds()*1000/count-own)
		database = append(database, (after.database-before.database).Seconds()*1000/count)
	}
	fmt.Println("\n| One submission | |\n|---|---|")
	fmt.Printf("| SQL statements, with those of the polls and of the background steps | %s |\n", spread(statements, 0))
	fmt.Printf("| WAL, KB | %s |\n", spread(wal, 1))
	fmt.Printf("| CPU of the server, ms | %s |\n", spread(server, 1))
	fmt.Printf("| CPU of the parsers, ms | %s |\n", spread(parsers, 1))
	fmt.Printf("| CPU of PostgreSQL, ms | %s |\n", spread(database, 1))
	fmt.Printf("| from the trigger until a poll shows the end, ms | %s |\n", spread(waits, 1))

	const clients, each = 8, 40
	var rates []float64
	for range max(m.rounds/2, 1) {
		begun := time.Now()
		var running sync.WaitGroup
		failed := make(chan error, clients)
		for range clients {
			running.Go(func() {
				for range each {
					if _, err := submit(); err != nil {
						failed <- err
						return
					}
				}
			})
		}
		running.Wait()
		select {
		case err := <-failed:
			return err
		default:
		}
		rates = append(rates, clients*each/time.Since(begun).Seconds())
	}
	fmt.Printf("| submissions/s with %d clients | %s |\n", clients, spread(rates, 0))
	return nil
}

// counts are what PostgreSQL and the server have used so far.
type counts struct {
	statements, wal       int64
	own, server, database time.Duration // own is server without the parsers
}

func (m *machine) counts(ctx context.Context) (c counts, err error) {
	err = m.db.QueryRow(ctx, `
		select sum(calls)::bigint, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint
		from pg_stat_statements
		where query not like '%pg_stat_statements%'`).Scan(&c.statements, &c.wal)
	c.own, c.server, c.database = ownTime(m.server.pid()), cpuTime(m.server.pid()), cpuTime(m.database.pid())
	return c, err
}

// uploads compares uploads of 100 MB with a bare handler that hashes the file and writes it,
// and measures the memory of eight uploads at once.
func uploads(ctx context.Context, m *machine) error {
	c, err := m.login(ctx)
	if err != nil {
		return err
	}
	const size = 100_000_000
	body, contentType := form("large.txt", bytes.Repeat([]byte("0123456789abcdef"), size/16))
	put := func(url, contentType string) (rate float64, err error) {
		begun := time.Now()
		err = c.do(ctx, http.MethodPut, url, contentType, bytes.NewReader(body), nil)
		return size / time.Since(begun).Seconds() / 1e6, err
	}
	upload := func() (float64, error) {
		_, url, err := c.announce(ctx, "large.txt")
		if err != nil {
			return 0, err
		}
		return put(url, contentType)
	}
	var rates, bare, ratios []float64
	for round := range m.rounds + 1 {
		ours, err := upload()
		if err != nil {
			return err
		}
		theirs, err := c.putBare(ctx, "http://"+m.bare.address()+"/file", body)
		if err != nil {
			return err
		}
		if round > 0 {
			rates, bare, ratios = append(rates, ours), append(bare, theirs), append(ratios, ours/theirs)
		}
	}
	resetPeak(m.server.pid())
	before := resident(m.server.pid(), "VmRSS:")
	var running sync.WaitGroup
	failed := make(chan error, 8)
	for range 8 {
		running.Go(func() {
			if _, err := upload(); err != nil {
				failed <- err
			}
		})
	}
	running.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	fmt.Println("\n| Upload of 100 MB | |\n|---|---|")
	fmt.Printf("| MB/s | %s |\n| bare PUT with SHA-256 into a file, MB/s | %s |\n| ratio | %s |\n", spread(rates, 0), spread(bare, 0), spread(ratios, 2))
	fmt.Printf("| memory added by 8 at once, MB | %.0f |\n", float64(resident(m.server.pid(), "VmHWM:")-before)/1e6)
	return nil
}

func (c *client) putBare(ctx context.Context, url string, body []byte) (rate float64, err error) {
	begun := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	err = c.send(request, nil)
	return float64(len(body)) / time.Since(begun).Seconds() / 1e6, err
}

// refused compares a call with a wrong token with the static handler, and counts its
// statements.
func refused(ctx context.Context, m *machine) error {
	before, err := m.counts(ctx)
	if err != nil {
		return err
	}
	path := "/universal/v2/universal-submit/status/01a1fc02-6c63-7e62-899d-76dbc92c035e"
	call := target{"refused call", m.server.address(), m.server.pid(), get(path, "Authorization: Bearer "+strings.Repeat("x", 300)), "401"}
	compared, err := m.compare(ctx, m.staticTarget(), call)
	if err != nil {
		return err
	}
	compared.print()
	after, err := m.counts(ctx)
	if err != nil {
		return err
	}
	calls := 0.0
	for _, c := range compared.costs[1] {
		calls += c.rate * m.duration.Seconds()
	}
	fmt.Printf("\n%.3f SQL statements per refused call, those of the journal and of the background steps included.\n", float64(after.statements-before.statements)/calls)
	return nil
}
