package journal

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestServersTrimConcurrently trims a journal while another server trims it too.
func TestServersTrimConcurrently(t *testing.T) {
	t.Parallel()
	db, tenantID := storagetest.DB(t), uuid.New()
	if _, err := db.Exec(t.Context(), `
		insert into calls (
			tenant_id, id, at, begun_at, duration, client_id, method, path, route, status, tx_id, token_expired, faults, filename, content_type,
			request_headers, request_body, request_size, response_headers, response_body, response_size, size
		)
		select $1, gen_random_uuid(), now(), now(), '0', '', 'GET', '/', 'GET /', 200, '', false, '{}', '', '', '{}', '', 0, '{}', '', 0, 1
		from generate_series(1, 5)`, tenantID); err != nil {
		t.Fatal(err)
	}
	limit := usage{Calls: 3, Bytes: 100}
	trim := func(db storage.DB) {
		t.Helper()
		left, err := trimTo(t.Context(), db, tenantID, limit, "")
		if err != nil || left.Calls != limit.Calls {
			t.Errorf("%d calls are left (%v), want %d", left.Calls, err, limit.Calls)
		}
	}
	trim(measuredDB{db, func() { trim(db) }})
}

// measuredDB calls a function after the query that measures a journal.
type measuredDB struct {
	storage.DB
	measured func()
}

func (d measuredDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if _, limited := args[0].(pgx.StrictNamedArgs)["calls"]; limited {
		d.measured()
	}
	return d.DB.Query(ctx, sql, args...)
}
