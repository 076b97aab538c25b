package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// submissions measures submissions of a letter with immediate pacing, from the request
// for an upload URL until a poll shows that they are completed: first one after the
// other, then with eight clients.
func submissions(ctx context.Context, m *machine) error {
	c, _, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	if err := c.control(ctx, http.MethodPatch, "/settings", `{"pacing":{"mode":"immediate"}}`); err != nil {
		return err
	}
	defer c.control(context.WithoutCancel(ctx), http.MethodPatch, "/settings", `{"pacing":{"mode":"timed"}}`)
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
	m.atMost(25, "submission, SQL statements, with those of the polls and of the background steps", statements, 0)
	m.atMost(6, "submission, WAL, KB", wal, 1)
	m.atMost(1.5, "submission, CPU of the server, ms", server, 1)
	m.printf("\nThe parsers use %s ms of CPU per submission.\n", spread(parsers, 1))
	m.atMost(2, "submission, CPU of PostgreSQL, ms", database, 1)
	m.atMost(6, "submission, from the trigger until a poll shows the end, ms", waits, 1)

	const preset = "preset.txt" // the outcome sets its values, so that it is not parsed
	if err := c.control(ctx, http.MethodPut, "/outcomes", `{"match":{"filename":"`+preset+`"},"facts":{"company_name":"Acme Bakery LLC"}}`); err != nil {
		return err
	}
	defer c.control(context.WithoutCancel(ctx), http.MethodDelete, "/outcomes", "")
	for _, t := range []struct {
		file, what string
		goal       float64
	}{{"letter.txt", "submissions/s with 8 clients", 200}, {preset, "submissions/s with 8 clients, without the parsers", 350}} {
		var rates []float64
		for range max(m.rounds/2, 1) {
			begun := time.Now()
			const each = 40
			if err := concurrently(connections, func(int) (err error) {
				for n := 0; n < each && err == nil; n++ {
					_, _, err = c.submit(ctx, t.file, []byte(letter))
				}
				return err
			}); err != nil {
				return err
			}
			rates = append(rates, connections*each/time.Since(begun).Seconds())
		}
		m.atLeast(t.goal, t.what, rates, 0)
	}
	return m.printSizes(ctx)
}

// printSizes prints the bytes per submission of the largest tables.
func (m *machine) printSizes(ctx context.Context) error {
	rows, _ := m.db.Query(ctx, `
		select relname, pg_total_relation_size(oid) / (select count(*) from sandbox.submissions) as bytes
		from pg_class
		where relnamespace = 'sandbox'::regnamespace
		and relkind = 'r'
		order by bytes desc
		limit 4`)
	sizes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (line string, err error) {
		var table string
		var bytes int64
		err = row.Scan(&table, &bytes)
		return fmt.Sprintf("`%s` %d", table, bytes), err
	})
	if err == nil {
		m.printf("\nBytes in the database for each submission of the letter, with indexes: %s.\n", strings.Join(sizes, ", "))
	}
	return err
}

// concurrently calls do n times at once, and returns one of the errors.
func concurrently(n int, do func(i int) error) error {
	var running sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		running.Go(func() { errs[i] = do(i) })
	}
	running.Wait()
	return cmp.Or(errs...)
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
	c, err := login(ctx, m.server)
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
	if err := concurrently(8, func(int) error {
		_, err := upload()
		return err
	}); err != nil {
		return err
	}
	m.printf("\n%s MB/s; the bare handler: %s MB/s.\n", spread(rates, 0), spread(bare, 0))
	m.atLeast(0.6, "upload of 100 MB, MB/s in proportion to a bare PUT with SHA-256 into a file", ratios, 2)
	m.atMost(40, "upload, memory added by 8 at once, MB", []float64{float64(resident(m.server.pid(), "VmHWM:")-before) / 1e6}, 0)
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
	call := target{name: "refused call", processes: m.server.endpoints(), request: get(path, "Authorization: Bearer "+strings.Repeat("x", 300)), status: "401", journal: true}
	compared, err := m.compare(ctx, m.staticTarget(), call)
	if err != nil {
		return err
	}
	m.print(compared)
	after, err := m.counts(ctx)
	if err != nil {
		return err
	}
	calls := 0.0
	for _, c := range compared.costs[1] {
		calls += c.rate * m.duration.Seconds()
	}
	m.printf("\n%.3f SQL statements per refused call, those of the journal and of the background steps included.\n", float64(after.statements-before.statements)/calls)
	m.atMost(2.5, "refused call, CPU time in proportion to a static handler", compared.cpuRatios(1, 0), 1)
	return nil
}
