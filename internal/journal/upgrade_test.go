package journal_test

import (
	"context"
	"net/http"
	"slices"
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

// TestCallsSurviveUpgrade checks that the migration to batches keeps all calls in order, even those
// whose headers are not valid JSON. It also checks that servers of the previous release, which
// insert and delete rows of calls, work with the new schema.
func TestCallsSurviveUpgrade(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	_, uploadURL := acme.Announce("letter.txt")
	s.Upload(uploadURL, "letter.txt", []byte("Named Insured: Foxglove Bakery LLC")).Want(t, http.StatusOK)
	txID := acme.Submit("a.txt", servertest.Letter)
	for range 2 {
		acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	}
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
	insertCalls(s, 10, 100_000, false) // these become several batches
	s.Exec(`
		update calls
		set request_headers = '{"Content-Type":["te***', unauthenticated = seq in (select seq from calls where size = 100000 order by seq limit 4)
		where size = 100000`)
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tenant.Journal("")[10:]); diff != "" {
		t.Errorf("the journal after the upgrade (-before +after):\n%s", diff)
	}
	if parts := servertest.Value[[]int](s, "select array_agg(part order by seqs[1]) from call_batches where bytes >= 200000"); !slices.IsSorted(parts) || len(parts) < 2 {
		t.Errorf("the calls of a transaction are in the batches %v, want several in order", parts)
	}

	ids := copyCalls(t, s, 3)
	// The statements with which the previous release trims a journal and deletes many calls.
	deleted := servertest.Value[int](s, `
		with deleted as (
			delete from calls
			where tenant_id = $1
			and (xid, seq) <= (
				select xid, seq
				from calls
				where tenant_id = $1
				order by xid desc, seq desc
				offset 3
				limit 1
			)
			returning size
		)
		select count(*) from deleted`, s.TenantID("acme"))
	listed := tenant.Journal("")
	if deleted != len(before)+10 || len(listed) != 3 || listed[0].ID != ids[2] || listed[1].ID != ids[1] || listed[2].ID != ids[0] {
		t.Errorf("%d calls were deleted and %d are listed, want all but the last three", deleted, len(listed))
	}
	s.Exec(`
		delete from calls
		where (select announce_tenants(array[$1::uuid]))
		and ctid = any(array(
			select ctid
			from calls
			where tenant_id = $1
			order by xid, seq
			limit 2
			for update skip locked
		))`, s.TenantID("acme"))
	if listed := tenant.Journal(""); len(listed) != 1 || listed[0].ID != ids[2] {
		t.Errorf("%d calls are listed, want the last one", len(listed))
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
