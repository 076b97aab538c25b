package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/server/servertest"
)

// TestFrequentCallsUseIndexes checks that PostgreSQL can run the statements of the most
// frequent calls without reading a whole table, or all submissions of a tenant. It forbids sequential scans, so that the
// plans are those for large tables, which would take minutes to fill.
func TestFrequentCallsUseIndexes(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	reportID := acme.Status(txID).Text(t, "c_report_id")
	statements.Take()
	for _, line := range []string{
		"GET /universal/v2/universal-submit/status/" + txID,
		"GET /data/v1/acme-us-c0001/" + reportID,
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction",
		"GET /data/v2/acme-us-l0001/" + txID + "?idType=sov",
		"GET /data/v5/acme-us-c0001/" + reportID,
	} {
		acme.Do(line, "").Want(t, http.StatusOK)
		taken := statements.TakeWithArguments()
		if len(taken) == 0 {
			t.Errorf("%s runs no statement", line)
		}
		for _, statement := range taken {
			plan := planWithoutScans(t, s, statement)
			if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "on submissions") && !strings.Contains(plan, "submissions_pkey") {
				t.Errorf("%s: %s\n%s", line, statement.SQL, plan)
			}
		}
	}
}

// planWithoutScans returns the plan of the statement if sequential scans are forbidden.
func planWithoutScans(t *testing.T, s *servertest.Server, statement servertest.Statement) string {
	t.Helper()
	tx, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), "set local enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	rows, err := tx.Query(t.Context(), "explain "+statement.SQL, statement.Args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
