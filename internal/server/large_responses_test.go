package server_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/server/servertest"
)

// TestLargeResponsesAreLimited checks that unread responses of one tenant do not delay
// other tenants, that further responses of this tenant are refused, and that the
// reserved memory is released when the clients disconnect.
func TestLargeResponsesAreLimited(t *testing.T) {
	servertest.Proves(t, "Chosen, process: large responses beyond the memory limit: 503 with Retry-After")
	s := servertest.New(t, func(o *servertest.Options) {
		o.Budget = api.NewBudget(16<<20, 5<<20, 300*time.Millisecond)
		o.Transfers.Stall = 5 * time.Minute // the clients of this test read nothing on purpose
	})
	acme, globex := s.Acme(), s.Globex()
	acmeTx, globexTx := largeReport(s, acme), largeReport(s, globex)
	var held []*net.TCPConn
	const readers = 12
	for range readers {
		connection := readLocations(s, acme, acmeTx)
		if response, err := http.ReadResponse(bufio.NewReaderSize(connection, 1<<10), nil); err != nil {
			t.Fatal(err)
		} else if response.StatusCode == http.StatusOK {
			held = append(held, connection)
		}
	}
	if len(held) == 0 || len(held) == readers {
		t.Fatalf("%d of %d responses have begun, want some", len(held), readers)
	}
	refused := acme.Do("GET /data/v2/acme-us-l0001/"+acmeTx+"?idType=sov", "").Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable"}`)
	if after := refused.Header.Get("Retry-After"); after != "1" {
		t.Errorf("Retry-After %q, want 1", after)
	}
	wantReason(s, "too many large responses are being read at once")
	s.DoWith(s.ControlClient, servertest.Call{Line: "GET " + s.ControlURL + "/tenants/acme/transactions/" + acmeTx}).Want(t, http.StatusOK) // a small one
	acme.Status(acmeTx).Want(t, http.StatusOK)
	globex.Do("GET /data/v2/globex-us-l0001/"+globexTx+"?idType=sov", "").Want(t, http.StatusOK)

	for _, connection := range held {
		connection.Close()
	}
	servertest.Until(t, "the reserved memory is released", func() bool { return s.App.Budget.Used() == 0 })
	wantReason(s, "disconnected before the end of the response")
	acme.Do("GET /data/v2/acme-us-l0001/"+acmeTx+"?idType=sov", "").Want(t, http.StatusOK)
}

// TestUnreadExportDoesNotDelayInquiries checks that an export whose client does not read it
// does not use the memory of large responses.
func TestUnreadExportDoesNotDelayInquiries(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Budget = api.NewBudget(16<<20, 5<<20, 300*time.Millisecond)
		o.Transfers.Stall = 5 * time.Minute
	})
	acme := s.Acme()
	txID := largeReport(s, acme)
	export, err := http.Get(s.ControlURL + "/tenants/acme/archive")
	if err != nil {
		t.Fatal(err)
	}
	defer export.Body.Close()
	archive := tar.NewReader(export.Body)
	for range 2 { // the second file is the record, of which the server keeps the rest
		if _, err := archive.Next(); err != nil {
			t.Fatal(err)
		}
	}
	acme.Do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
}

// TestMemoryIsReleasedAfterAnError checks that a response that fails after its memory
// was reserved releases it.
func TestMemoryIsReleasedAfterAnError(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	txID := largeReport(s, acme)
	s.Exec(`update reports set locations = jsonb_set(locations, '{0,facts}', '"no object"') where tx_id = $1`, txID)
	acme.Do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").Want(t, http.StatusInternalServerError)
	s.Exec(`update reports set locations = jsonb_set(locations #- '{0,facts}', '{9000,facts}', '"no object"') where tx_id = $1`, txID)
	acme.Do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").Want(t, http.StatusInternalServerError)
	if used := s.App.Budget.Used(); used > 0 {
		t.Errorf("%d bytes are still reserved", used)
	}
}

// TestDisconnectEndsTheQuery checks that the query of a GET call ends when its client
// disconnects.
func TestDisconnectEndsTheQuery(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a GET call ends when its client disconnects")
	s := servertest.New(t)
	acme := s.Acme()
	txID := largeReport(s, acme)
	lock, err := s.DB.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback(context.Background())
	if _, err := lock.Exec(context.Background(), "lock table reports in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	waiting := func() int64 {
		return servertest.Value[int64](s, `
			select count(*)
			from pg_stat_activity
			where datname = current_database()
			and wait_event_type = 'Lock'
			and query like '%locations_bytes%'`)
	}
	connection := readLocations(s, acme, txID)
	servertest.Until(t, "the query waits for the lock", func() bool { return waiting() == 1 })
	connection.Close()
	servertest.Until(t, "the query has ended", func() bool { return waiting() == 0 })
	wantReason(s, "the client disconnected before the response")
}

// TestSubscriptionsAreReadInParts checks that a list of the largest subscriptions is
// complete and in order, and reserves the memory of one part of it.
func TestSubscriptionsAreReadInParts(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) { o.Transfers.Stall = 5 * time.Minute })
	acme := s.Acme()
	const count = 1000
	var entries []string
	for i := range 100 {
		entries = append(entries, fmt.Sprintf(`"%03d%s"`, i, strings.Repeat("e", 78)))
	}
	body := fmt.Sprintf(`{"url":"http://example.com/%s","header":"Name: %s","events":[%s]}`,
		strings.Repeat("u", 2000), strings.Repeat("h", 4000), strings.Join(entries, ","))
	acme.Do("POST /hooks", body).Want(t, http.StatusCreated)
	for range 9 { // headers are sealed with the id, so each is created by a call
		acme.Do("POST /hooks", body).Want(t, http.StatusCreated)
	}
	s.Exec(`
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		select gen_random_uuid(), tenant_id, owner_id, active, events, rpad(url, 2048 + 4096, 'u'), created_at, updated_at
		from hooks
		cross join generate_series(2, 100)
		where id in (select id from hooks limit 10)`)

	connection := s.Dial(servertest.RequestHead("GET /hooks", acme.Token, "", 0))
	defer connection.Close()
	response, err := http.ReadResponse(bufio.NewReaderSize(connection, 1<<10), nil)
	if err != nil {
		t.Fatal(err)
	}
	if used := s.App.Budget.Used(); used < 1<<20 || used > 4<<20 {
		t.Errorf("%d bytes are reserved, want those of one part", used)
	}
	var listed []struct {
		ID        uuid.UUID `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	if err := json.NewDecoder(response.Body).Decode(&listed); err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	for i, hook := range listed[1:] {
		if before := listed[i]; hook.CreatedAt.Before(before.CreatedAt) || hook.CreatedAt.Equal(before.CreatedAt) && bytes.Compare(hook.ID[:], before.ID[:]) <= 0 {
			t.Fatalf("subscription %d is not after the one before", i+1)
		}
	}
	if len(listed) != count {
		t.Errorf("%d subscriptions are listed, want %d", len(listed), count)
	}
	servertest.Until(t, "the reserved memory is released", func() bool { return s.App.Budget.Used() == 0 })
}

// TestLargeCompaniesAreLimited checks that the inquiries for a company reserve the memory
// of their responses before they read it.
func TestLargeCompaniesAreLimited(t *testing.T) {
	servertest.Slow(t)
	s := servertest.New(t, func(o *servertest.Options) {
		o.Budget = api.NewBudget(4<<20, 2<<20, 10*time.Millisecond)
	})
	acme := s.Acme()
	txID := largeReport(s, acme)
	s.Exec(`update reports set company = jsonb_set(company, '{seed,company_name}', (select to_jsonb(string_agg(md5(n::text), '')) from generate_series(1, 40000) n))`)
	reportID := servertest.Value[string](s, "select c_report_id from reports where tx_id = $1", txID)
	lines := []string{
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction", "GET /data/v3/acme-us-c0001/" + txID, "GET /data/v1/acme-us-c0001/" + reportID,
	}
	for _, line := range lines {
		if body := acme.Do(line, "").Want(t, http.StatusOK).Body; len(body) < 1<<20 {
			t.Errorf("%s: %d bytes, want more than a megabyte", line, len(body))
		}
	}
	tenantID := servertest.Value[uuid.UUID](s, "select id from tenants where name = 'acme'")
	room, err := s.App.Budget.Reserve(t.Context(), tenantID, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer room.Release()
	for _, line := range lines {
		acme.Do(line, "").Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable"}`)
	}
}

// TestLargeListsAreLimited checks that lists of the control API count until they are
// read.
func TestLargeListsAreLimited(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Budget = api.NewBudget(2<<20, 1<<20, 10*time.Millisecond)
	})
	s.Exec(`
		insert into audit_entries (at, token, remote_address, request_id, method, path, tenant)
		select now(), '', '', '', 'POST', repeat('p', 1000), ''
		from generate_series(1, 100)`)
	s.Exec(`
		insert into data_packages (tenant_id, id, kind, extra)
		select id, repeat('p', 100) || n, 'company', true
		from tenants, generate_series(1, 2000) n`)
	tenantID := servertest.Value[uuid.UUID](s, "select id from tenants where name = 'acme'")
	for _, reserved := range []struct {
		tenantID uuid.UUID
		lines    []string
	}{
		{tenantID, []string{"GET /tenants/acme/packages"}},
		{uuid.Nil, []string{"GET /tenants", "GET /audit"}},
	} {
		for _, line := range reserved.lines {
			s.Control(line, "").Want(t, http.StatusOK)
		}
		room, err := s.App.Budget.Reserve(t.Context(), reserved.tenantID, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range reserved.lines {
			s.Control(line, "").Want(t, http.StatusServiceUnavailable)
		}
		room.Release()
	}
	if used := s.App.Budget.Used(); used > 0 {
		t.Errorf("%d bytes are still reserved", used)
	}
}
