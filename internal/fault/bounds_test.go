package fault_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// countingDB counts the statements, and lets one of them fail.
type countingDB struct {
	storage.DB
	statements int
	failing    int // number of the statement; 0 = none
}

func (db *countingDB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	db.statements++
	return db.DB.Exec(ctx, sql, args...)
}

func (db *countingDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if db.statements++; db.statements == db.failing {
		return nil, errors.New("failed")
	}
	return db.DB.Query(ctx, sql, args...)
}

func (db *countingDB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	db.statements++
	return db.DB.QueryRow(ctx, sql, args...)
}

// stuckDB is a database in which the queries about one tenant wait.
type stuckDB struct {
	storage.DB
	tenantID uuid.UUID
	waiting  chan struct{} // receives an element when a query begins to wait
	free     chan struct{} // closed when they can go on
}

func (db *stuckDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if named, ok := args[0].(pgx.StrictNamedArgs); ok && named["tenant_id"] == db.tenantID {
		select {
		case db.waiting <- struct{}{}:
		default: // an earlier query has waited
		}
		<-db.free
	}
	return db.DB.Query(ctx, sql, args...)
}

// TestLoadedFaultsDelayNoOtherTenant checks that tenants with and without faults do not
// wait while the faults of another tenant are loaded.
func TestLoadedFaultsDelayNoOtherTenant(t *testing.T) {
	s := servertest.New(t)
	s.NewNamedTenant("made", `{}`)
	s.Tenant("acme").Fault(`{"delivery":"*","drop":true}`)
	s.Tenant("globex").Fault(`{"delivery":"*","drop":true}`)
	stuck := &stuckDB{s.DB, s.TenantID("acme"), make(chan struct{}, 1), make(chan struct{})}
	injector := fault.NewInjector(stuck, s.DB, s.Now)
	selected := func(tenant string) int {
		faults, err := injector.SelectForDeliveries(t.Context(), s.TenantID(tenant), []hooks.FaultTarget{{Event: "a:b"}})
		if err != nil {
			t.Error(err)
		}
		return len(faults)
	}
	acme := make(chan int)
	go func() { acme <- selected("acme") }()
	<-stuck.waiting
	for range 2 {
		if globex, made := selected("globex"), selected("made"); globex != 1 || made != 0 {
			t.Errorf("selected %d and %d faults, want 1 and 0", globex, made)
		}
		s.Pass(time.Second)
	}
	close(stuck.free)
	if n := <-acme; n != 1 {
		t.Errorf("selected %d faults of the tenant itself, want 1", n)
	}
}

// TestBodiesOfFaultsAreNotCached counts the bytes that the server reads from the database:
// a body is read only if its fault acts.
func TestBodiesOfFaultsAreNotCached(t *testing.T) {
	var read servertest.BytesRead
	s := servertest.New(t, read.Record(t))
	acme := s.Acme()
	const size = 60_000
	for range 10 {
		s.Tenant("acme").Fault(`{"route":"GET /hooks","body":"` + strings.Repeat("x", size) + `"}`)
	}
	read.Take()
	acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	if n := read.Take(); n > size {
		t.Errorf("%d bytes were read for a call on which no fault acts", n)
	}
	if got := acme.DoUnchecked("GET /hooks", ""); got.Status != http.StatusInternalServerError || len(got.Body) != size {
		t.Errorf("status %d and %d bytes, want 500 and %d", got.Status, len(got.Body), size)
	}
	if n := read.Take(); n > 2*size {
		t.Errorf("%d bytes were read for a fault with a body of %d", n, size)
	}
}

// TestLimitsOfFaults checks the number and the sizes of a tenant's faults, also of those
// that are imported, and that expired faults make room.
func TestLimitsOfFaults(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, faults: their number and sizes are limited per tenant")
	s := servertest.New(t)
	tenant, globex := s.Tenant("acme"), s.Tenant("globex")
	body := func(bytes int) string {
		return `{"route":"*","body":"` + strings.Repeat("x", bytes-2) + `"}`
	}
	imported := func(fault string, n int) string {
		return `{"faults":[` + strings.Repeat(fault+",", n-1) + fault + `]}`
	}
	for fault, message := range map[string]string{
		body(65_537): "body: want at most 64 KiB",
		`{"route":"*","seed":"` + strings.Repeat("x", 1025) + `"}`:             "seed: want at most 1024 bytes",
		`{"route":"GET /hooks/{` + strings.Repeat("x", 1025) + `}","times":1}`: "route: want at most 1024 bytes",
	} {
		tenant.Control("POST /faults", fault).Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
		tenant.Control("PUT /configuration", imported(fault, 1)).Want(t, http.StatusBadRequest, `{"message":"faults[0].`+message+`"}`)
	}
	for range 63 {
		tenant.Fault(body(65_536))
	}
	const tooLarge = "limit of 4 MiB for all faults reached"
	tenant.Control("POST /faults", body(65_536)).Want(t, http.StatusConflict, `{"message":"`+tooLarge+`"}`) // with the routes
	tenant.Control("PUT /configuration", imported(body(65_536), 64)).Want(t, http.StatusBadRequest, `{"message":"faults: `+tooLarge+`"}`)
	globex.Fault(body(65_536))

	tenant.Control("DELETE /faults", "").Want(t, http.StatusNoContent)
	tenant.Fault(`{"route":"*","times":1}`)
	s.Exec(`
		insert into faults (id, tenant_id, route, created_at)
		select gen_random_uuid(), tenant_id, route, created_at
		from faults
		cross join generate_series(2, 999)
		where times = 1`)
	tenant.Fault(`{"route":"*","expires":"1m"}`)
	const tooMany = `{"message":"limit of 1000 faults reached"}`
	tenant.Control("POST /faults", `{"route":"*"}`).Want(t, http.StatusConflict, tooMany)
	tenant.Advance("1m")
	last := tenant.Fault(`{"route":"*"}`)
	tenant.Control("POST /faults", `{"route":"*"}`).Want(t, http.StatusConflict, tooMany)
	tenant.Control("DELETE /faults/"+last, "").Want(t, http.StatusNoContent)
	tenant.Fault(`{"route":"*"}`)
	tenant.Control("PUT /configuration", imported(`{"route":"*"}`, 1001)).
		Want(t, http.StatusBadRequest, fmt.Sprintf(`{"message":"faults: want an array of at most %d objects"}`, fault.MaxFaults))
}
