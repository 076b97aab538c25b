package universal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// at is the time at which the tests begin.
var at = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// newTenant creates a tenant in a database of the test's own.
func newTenant(t *testing.T) (*pgxpool.Pool, uuid.UUID) {
	t.Helper()
	db, id := storagetest.DB(t), uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'acme', $2)", id, at); err != nil {
		t.Fatal(err)
	}
	return db, id
}

// columns returns the values, as SQL, that a row in the state has in the columns
// that depend on the state.
func columns(state string) map[string]string {
	const moment = "'2026-03-02T09:00:00Z'"
	all := map[string]string{
		"status": "'" + state + "'", "started_at": "null", "finished_at": "null", "due_at": "null",
		"object_key": "'acme/a'", "size": "1", "sha256": `'\x` + strings.Repeat("00", 32) + "'", "uploaded_at": moment,
		"failure": "null", "c_report_id": "null", "l_report_id": "null",
	}
	if state != Pending {
		all["started_at"] = moment
	}
	switch state {
	case InProgress, Scheduled, Started:
		all["due_at"] = moment
	case Completed:
		all["finished_at"], all["c_report_id"], all["l_report_id"] = moment, "'CUS1'", "'LUS1'"
	case Failed:
		all["finished_at"], all["failure"] = moment, "'unreadable'"
	}
	return all
}

// insertSubmission inserts a submission in the state, without a timeline.
func insertSubmission(t *testing.T, db *pgxpool.Pool, tenantID uuid.UUID, state string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	names, values := "tx_id, tenant_id, user_id, filename, search, created_at, upload_expires_at, aged_from", "$1, $2, $1, 'a.txt', 'a.txt', $3, $3, $3"
	for name, value := range columns(state) {
		names, values = names+", "+name, values+", "+value
	}
	if _, err := db.Exec(t.Context(), "insert into submissions ("+names+") values ("+values+")", id, tenantID, at); err != nil {
		t.Fatalf("insert submission in %s: %v", state, err)
	}
	return id
}

// insertDue inserts a submission that is due to be processed, and stores its
// file.
func insertDue(t *testing.T, db *pgxpool.Pool, tenantID uuid.UUID) (uuid.UUID, storage.Backend) {
	t.Helper()
	objects, err := storage.OpenObjects("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const letter = "Named Insured: Foxglove Bakery LLC\n"
	if err := objects.Put(t.Context(), "acme/a", strings.NewReader(letter)); err != nil {
		t.Fatal(err)
	}
	id := insertSubmission(t, db, tenantID, Started)
	if _, err := db.Exec(t.Context(), "update submissions set size = $2 where tx_id = $1", id, len(letter)); err != nil {
		t.Fatal(err)
	}
	return id, objects
}

// allRows returns every row that a transition can write.
func allRows(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	var all string
	if err := db.QueryRow(t.Context(), `
		select concat_ws(E'\n',
			(select jsonb_agg(to_jsonb(s) order by tx_id) from submissions s),
			(select jsonb_agg(to_jsonb(l) order by tx_id, status) from submission_timeline l),
			(select jsonb_agg(to_jsonb(r) order by c_report_id) from reports r),
			(select jsonb_agg(to_jsonb(f) order by xid::text, seq) from feed f),
			(select jsonb_agg(to_jsonb(e) order by id) from events e),
			(select jsonb_agg(to_jsonb(d) order by id) from deliveries d))`).Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// statusOf returns the submission's status, with the failure if it has one.
func statusOf(t *testing.T, db *pgxpool.Pool, id uuid.UUID) string {
	t.Helper()
	var text string
	if err := db.QueryRow(t.Context(), "select concat_ws(': ', status, failure) from submissions where tx_id = $1", id).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}
