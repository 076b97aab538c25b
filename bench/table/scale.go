package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
)

// scale measures status calls, inquiries and submissions with increasing numbers of rows in the
// tables. The rows are copies of one submission and its report, without their contents.
func scale(ctx context.Context, m *machine) error {
	c, txID, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	if err := c.control(ctx, http.MethodPatch, "/settings", `{"pacing":{"mode":"immediate"}}`); err != nil {
		return err
	}
	defer c.control(context.WithoutCancel(ctx), http.MethodPatch, "/settings", `{"pacing":{"mode":"timed"}}`)
	defer func(rounds int) { m.rounds = rounds }(m.rounds)
	m.rounds = min(m.rounds, 3)
	m.printf("\n| Submissions | status: CPU of PostgreSQL, µs | inquiry: CPU of PostgreSQL, µs | submission: CPU of PostgreSQL, ms | `submissions`, bytes a row with indexes | `reports`, bytes a row without contents |\n|---|---|---|---|---|---|\n")
	path := "/universal/v2/universal-submit/status/" + txID
	inquiry := "/data/v2/acme-us-c0001/" + txID + "?idType=transaction"
	from := 0
	for _, count := range []int{0, 10_000, 100_000, 1_000_000} {
		if err := m.copyRows(ctx, txID, from, count); err != nil {
			return err
		}
		from = count
		compared, err := m.compare(ctx,
			m.callOf("status", c, path), m.callOf("inquiry", c, inquiry))
		if err != nil {
			return err
		}
		_, submission, err := m.submitTo(ctx, []*process{m.server})
		if err != nil {
			return err
		}
		sizes := "| |"
		if count > 0 {
			var submissions, reports int64
			if err := m.db.QueryRow(ctx, "select pg_total_relation_size('sandbox.submissions'), pg_total_relation_size('sandbox.reports')").Scan(&submissions, &reports); err != nil {
				return err
			}
			sizes = fmt.Sprintf("%d | %d |", submissions/int64(count), reports/int64(count))
		}
		database := func(c cost) float64 { return c.database }
		m.printf("| %d | %s | %s | %.1f | %s\n", count, spread(each(compared.costs[0], database), 0), spread(each(compared.costs[1], database), 0), submission, sizes)
	}
	return nil
}

// copyRows adds the copies with the numbers from <= n < to.
func (m *machine) copyRows(ctx context.Context, txID string, from, to int) error {
	if from == to {
		return nil
	}
	return pgx.BeginFunc(ctx, m.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local search_path = sandbox; set local session_replication_role = replica"); err != nil {
			return err
		}
		tables := []struct {
			name    string
			changed map[string]string // expressions of the columns that differ
		}{
			{"submissions", map[string]string{
				"tx_id": "('01a00000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid", "object_key": "object_key || n", "extraction": "'{}'",
				"c_report_id": "'CUS1' || n", "l_report_id": "'LUS1' || n",
			}},
			{"reports", map[string]string{
				"tx_id": "'01a00000-0000-7000-8000-' || lpad(to_hex(n), 12, '0')", "company": "'{}'", "locations": "'[]'",
				"c_report_id": "'CUS1' || n", "l_report_id": "'LUS1' || n",
			}},
		}
		for _, table := range tables {
			rows, err := tx.Query(ctx, `
				select attname
				from pg_attribute
				where attrelid = $1::regclass
				and attnum > 0
				and not attisdropped
				and attgenerated = ''
				and attidentity = ''`, table.name)
			if err != nil {
				return err
			}
			columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			values := make([]string, len(columns))
			for i, column := range columns {
				values[i] = column
				if changed, ok := table.changed[column]; ok {
					values[i] = changed
				}
			}
			if _, err := tx.Exec(ctx, "insert into "+table.name+" ("+strings.Join(columns, ", ")+") select "+strings.Join(values, ", ")+
				" from "+table.name+", generate_series($2::int, $3::int - 1) n where tx_id::text = $1", txID, from, to); err != nil {
				return fmt.Errorf("copy %s: %w", table.name, err)
			}
			if _, err := tx.Exec(ctx, "analyze "+table.name); err != nil {
				return err
			}
		}
		return nil
	})
}
