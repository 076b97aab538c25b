package journal_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"understudy.example/internal/server/servertest"
	"understudy.example/migrations"
)

// TestCallsSurviveUpgrade checks that the migration to batches keeps the calls, in order, and
// that servers of the previous release, which write rows of calls and delete the oldest ones,
// work with the new schema.
func TestCallsSurviveUpgrade(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	_, uploadURL := acme.Announce("letter.txt")
	s.Upload(uploadURL, "letter.txt", []byte("Named Insured: Foxglove Bakery LLC")).Want(t, http.StatusOK)
	acme.Do("POST /hooks", `{"name":"a","url":"http://receiver.example/","events":["*"]}`).Want(t, http.StatusCreated)
	for range 3 {
		acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	}
	before := tenant.Journal("")
	provider, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(s.DB), migrations.Files, goose.WithLogger(goose.NopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 122); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tenant.Journal("")); diff != "" {
		t.Errorf("the journal after the upgrade (-before +after):\n%s", diff)
	}

	ids := copyCalls(t, s, 3)
	s.Exec("delete from calls where tenant_id = (select id from tenants where name = 'acme')")
	listed := tenant.Journal("")
	if len(listed) != len(before)+3 || listed[0].ID != ids[2] || listed[1].ID != ids[1] || listed[2].ID != ids[0] {
		t.Errorf("%d calls, want the three of the older server before %d others", len(listed), len(before))
	}
}

// copyCalls writes calls of the tenant acme in the way of the previous release, and returns
// their ids.
func copyCalls(t *testing.T, s *servertest.Server, n int) (ids []string) {
	t.Helper()
	tenantID, now := servertest.Value[uuid.UUID](s, "select id from tenants where name = 'acme'"), time.Now()
	var rows [][]any
	for range n {
		id := uuid.Must(uuid.NewV7())
		ids = append(ids, id.String())
		rows = append(rows, []any{
			tenantID, id, now, now, time.Millisecond, "acme-client", "GET", "/hooks", "GET /hooks", 200, "", false, nil,
			[]string{},
			"", "",
			`{"Accept":["*/*"]}`,
			[]byte{},
			int64(0), nil, nil, `{"Content-Type":["application/json"]}`, []byte("[]"), int64(2), "", false, "", false, int64(600),
		})
	}
	columns := []string{
		"tenant_id", "id", "at", "begun_at", "duration", "client_id",
		"method", "path", "route", "status", "tx_id", "token_expired", "token_until", "faults", "filename", "content_type",
		"request_headers", "request_body", "request_size", "request_sha256", "parts",
		"response_headers", "response_body", "response_size", "reason", "outcome", "outcome_company", "unauthenticated", "size",
	}
	if _, err := s.DB.CopyFrom(context.Background(), pgx.Identifier{"calls"}, columns, pgx.CopyFromRows(rows)); err != nil {
		t.Fatal(err)
	}
	return ids
}
