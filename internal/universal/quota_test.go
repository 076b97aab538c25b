package universal_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

const tooManyRequests = `{"message":"Too Many Requests"}`

// refusedByQuota checks the response to a call that would exceed the quota of a setting.
func refusedByQuota(t *testing.T, response servertest.Response, setting string) {
	t.Helper()
	response.Want(t, http.StatusTooManyRequests, tooManyRequests)
	if hint := response.Header.Get("X-Understudy-Hint"); !strings.Contains(hint, "quota") || !strings.HasSuffix(hint, "raise the setting "+setting) {
		t.Errorf("hint %q, want the quota and the setting %s", hint, setting)
	}
}

// TestSubmissionQuota checks max_submissions: at the upload URL and at the direct submit,
// before the body is read and after the checks of the credentials.
func TestSubmissionQuota(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, settings: max_submissions, max_stored_bytes and max_upload_bytes")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"max_submissions":2}`)
	first, uploadURL := tenant.Announce("a.txt")
	tenant.SubmitDirectly("v3", "b.txt", servertest.Letter).Want(t, http.StatusOK)
	refusedByQuota(t, tenant.Do(servertest.GetUploadURL, `{"filename":"c.txt"}`), "max_submissions")
	refusedByQuota(t, tenant.Do(servertest.GetUploadURL, `{"filename":""}`), "max_submissions")
	refusedByQuota(t, tenant.SubmitDirectly("v3", "c.txt", servertest.Letter), "max_submissions")
	s.Do(servertest.Call{Line: servertest.GetUploadURL, Token: tenant.Token, Key: "wrong", Body: `{"filename":"c.txt"}`}).Want(t, http.StatusForbidden)
	s.Upload(uploadURL, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	if n := len(s.StoredFiles()); n != 2 {
		t.Errorf("%d files, want 2", n)
	}
	tenant.Control("DELETE /transactions/"+first, "").Want(t, http.StatusNoContent)
	tenant.Announce("c.txt")
	refusedByQuota(t, tenant.Do(servertest.GetUploadURL, `{"filename":"d.txt"}`), "max_submissions")
	tenant.Control("PATCH /settings", `{"max_submissions":null}`).Want(t, http.StatusOK)
	tenant.Announce("d.txt")
	s.Acme().Announce("other tenant.txt")
}

// TestStorageQuotas checks max_upload_bytes and max_stored_bytes. Nothing is stored of a
// file that exceeds them.
func TestStorageQuotas(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"max_upload_bytes":1000,"max_stored_bytes":1500}`)
	file := func(size int) []byte { return []byte(strings.Repeat("a", size)) }
	first, firstURL := tenant.Announce("a.txt")
	refusedByQuota(t, s.Upload(firstURL, "a.txt", file(1001)), "max_upload_bytes")
	s.Upload(firstURL, "a.txt", file(1000)).Want(t, http.StatusOK)
	_, secondURL := tenant.Announce("b.txt")
	refusedByQuota(t, s.Upload(secondURL, "b.txt", file(501)), "max_stored_bytes")
	refusedByQuota(t, tenant.SubmitDirectly("v3", "b.txt", file(501)), "max_stored_bytes")
	s.Upload(secondURL, "b.txt", file(500)).Want(t, http.StatusOK)
	s.Upload(firstURL, "a.txt", file(1000)).Want(t, http.StatusOK) // it replaces the file
	refusedByQuota(t, tenant.SubmitDirectly("v3", "c.txt", file(1)), "max_stored_bytes")
	tenant.Control("GET ", "").Want(t, http.StatusOK)
	if usage := fmt.Sprint(tenant.Control("GET ", "").Get(t, "usage")); usage != "map[stored_bytes:1500 submissions:2]" {
		t.Errorf("usage %s", usage)
	}
	if files := s.StoredFiles(); len(files) != 2 {
		t.Errorf("%d files, want 2", len(files))
	}
	tenant.Control("DELETE /transactions/"+first, "").Want(t, http.StatusNoContent)
	tenant.SubmitDirectly("v3", "c.txt", file(1000)).Want(t, http.StatusOK)
	// The limit of the server still applies.
	tenant.Control("PATCH /settings", `{"max_upload_bytes":9000000,"max_stored_bytes":0}`).Want(t, http.StatusOK)
	_, thirdURL := tenant.Announce("d.txt")
	s.Upload(thirdURL, "d.txt", file(1<<20+1)).Want(t, http.StatusRequestEntityTooLarge)
}

// TestSimultaneousCallsDoNotExceedQuotas makes calls on two servers at the same time.
func TestSimultaneousCallsDoNotExceedQuotas(t *testing.T) {
	s := servertest.New(t)
	replica := s.Replica()
	tenant := s.NewTenant(`{"max_submissions":6,"max_stored_bytes":1000}`)
	other := *tenant
	other.Server = replica
	var accepted atomic.Int64
	var calling sync.WaitGroup
	for i := range 12 {
		client := []servertest.Client{tenant.Client, other.Client}[i%2]
		calling.Go(func() {
			if response := client.SubmitDirectly("v3", "a.txt", []byte(strings.Repeat("a", 300))); response.Status == http.StatusOK {
				accepted.Add(1)
			} else {
				refusedByQuota(t, response, "max_stored_bytes")
			}
		})
	}
	calling.Wait()
	for i := range 12 {
		client := []servertest.Client{tenant.Client, other.Client}[i%2]
		calling.Go(func() {
			if response := client.Do(servertest.GetUploadURL, `{"filename":"b.txt"}`); response.Status == http.StatusOK {
				accepted.Add(1)
			} else {
				refusedByQuota(t, response, "max_submissions")
			}
		})
	}
	calling.Wait()
	if n := servertest.Value[int](s, "select count(*) from submissions"); accepted.Load() != 6 || n != 6 || len(s.StoredFiles()) != 3 {
		t.Errorf("%d calls succeeded, %d submissions, %d files; want 6, 6, 3", accepted.Load(), n, len(s.StoredFiles()))
	}
}

// TestQuotasLeaveConnections checks that calls of locked tenants with quotas use no connection while
// they wait, and succeed when the tenants are unlocked.
func TestQuotasLeaveConnections(t *testing.T) {
	limits := servertest.Limits
	limits.Connections = 32 // three for submissions
	limits.Calls.Lock = time.Minute
	s := servertest.New(t, servertest.DatabaseLimits(t, limits))
	other := s.NewTenant(`{}`)
	txID, _ := other.Announce("a.txt")
	var calls sync.WaitGroup
	const tenants, callsOfEach = 4, 3
	var locked []*servertest.Tenant
	for range tenants {
		locked = append(locked, s.NewTenant(`{"max_submissions":1000}`))
	}
	lock := s.Lock("select from tenants where settings ? 'max_submissions' for no key update")
	for _, tenant := range locked {
		for range callsOfEach {
			calls.Go(func() { tenant.Announce("b.txt") })
		}
	}
	servertest.Until(t, "all calls are in progress", func() bool { return s.App.Requests.InFlight() == tenants*callsOfEach })
	for range 20 {
		other.Do("GET /universal/v2/universal-submit/status/"+txID, "").Want(t, http.StatusOK)
		other.Announce("c.txt")
		if n := servertest.Value[int](s, `
			select count(*)
			from pg_stat_activity
			where datname = current_database()
			and wait_event_type = 'Lock'`); n != 0 {
			t.Fatalf("%d connections wait for a lock, want none", n)
		}
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
}
