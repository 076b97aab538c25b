package retention_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/retention"
	"understudy.example/internal/server/servertest"
)

const day = 24 * time.Hour

// keep is an option that sets how long submissions and uploads are kept.
func keep(submissions, uploads time.Duration) func(*servertest.Options) {
	return func(o *servertest.Options) { o.Keep = retention.Ages{Submissions: submissions, Uploads: uploads} }
}

// work ends the submissions that are due.
func work(s *servertest.Server) {
	for range 3 {
		s.Work()
	}
}

func trim(t *testing.T, s *servertest.Server) {
	t.Helper()
	if _, err := s.App.Trimmer().Trim(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestExpiredSubmissionsAreDeleted checks which submissions are deleted, and that
// everything about them is. Each is deleted by its real age, on whatever date the tenant's
// clock is.
func TestExpiredSubmissionsAreDeleted(t *testing.T) {
	s := servertest.New(t, keep(10*day, 3*day))
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"},"webhooks":"collect"}`)
	tenant.Subscribe("http://127.0.0.1:9")
	slow := s.NewTenant(`{"pacing":{"mode":"polls","per_state":1}}`)

	submitted := map[string]string{
		"completed":   tenant.SubmitFile("a.txt", servertest.Letter),
		"failed":      tenant.SubmitFile("b.fail.txt", servertest.Letter),
		"in progress": slow.SubmitFile("c.txt", servertest.Letter),
	}
	work(s)
	var uploadURL string
	submitted["announced"], _ = tenant.Announce("d.txt")
	submitted["uploaded"], uploadURL = tenant.Announce("e.txt")
	s.Upload(uploadURL, "e.txt", servertest.Letter).Want(t, http.StatusOK)
	company := tenant.Do("POST /company/v1/company_submit", `{"company_name":"Foxglove Bakery","address":"12 Mill Street, Springfield, IL"}`).Want(t, http.StatusOK)
	submitted["company"] = company.Text(t, "tx_id")
	s.Exec("update tenants set clock_offset = '1 year', frozen_at = $2 where name = $1", tenant.Name, s.Now())

	left := func() (names string) {
		for _, name := range []string{"announced", "company", "completed", "failed", "in progress", "uploaded"} {
			if len(s.TablesAbout(submitted[name])) > 0 {
				names += name + ", "
			}
		}
		return names + fmt.Sprint(len(s.StoredFiles()), " files")
	}
	for _, step := range []struct {
		pass time.Duration
		left string
	}{
		{0, "announced, company, completed, failed, in progress, uploaded, 4 files"},
		{3 * day, "announced, company, completed, failed, in progress, uploaded, 4 files"},
		{time.Second, "company, completed, failed, in progress, 3 files"},
		{7*day - 2*time.Second, "company, completed, failed, in progress, 3 files"},
		{2 * time.Second, "in progress, 1 files"},
		{1000 * day, "in progress, 1 files"},
	} {
		s.Pass(step.pass)
		trim(t, s)
		if got := left(); got != step.left {
			t.Errorf("%v later: %s are left, want %s", step.pass, got, step.left)
		}
	}
	if n := servertest.Value[int](s, "select count(*) from deliveries"); n > 0 {
		t.Errorf("%d deliveries are left", n)
	}
	// The age of a submission counts from its end, not from its creation.
	slow.Client = s.Login(slow.Credentials)
	for range 5 {
		slow.Status(submitted["in progress"])
		work(s)
	}
	trim(t, s)
	slow.AwaitStatus(submitted["in progress"], "Completed")
	s.Pass(10*day + time.Second)
	trim(t, s)
	if got := left(); got != "0 files" {
		t.Errorf("after its end: %s are left", got)
	}
}

// TestLateUploadIsKept checks that the age of an untriggered submission counts from its
// last upload.
func TestLateUploadIsKept(t *testing.T) {
	s := servertest.New(t, keep(0, 3*day))
	tenant := s.NewTenant(`{}`)
	tenant.Control("POST /clock", `{"frozen":true}`).Want(t, http.StatusOK) // the upload URL does not expire
	txID, uploadURL := tenant.Announce("a.txt")
	s.Pass(3*day - time.Second)
	s.Upload(uploadURL, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	s.Pass(3 * day)
	trim(t, s)
	tenant.Status(txID).Want(t, http.StatusOK)
	s.Pass(time.Second)
	trim(t, s)
	s.Upload(uploadURL, "a.txt", servertest.Letter).Want(t, http.StatusForbidden)
}

// TestZeroAgesKeepForEver checks the ages 0.
func TestZeroAgesKeepForEver(t *testing.T) {
	s := servertest.New(t, keep(0, 0))
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	ended := tenant.SubmitFile("a.txt", servertest.Letter)
	announced, _ := tenant.Announce("b.txt")
	company := tenant.Do("POST /company/v1/company_submit", `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
	work(s)
	s.Pass(100 * 365 * day)
	trim(t, s)
	for _, txID := range []string{ended, announced, company.Text(t, "tx_id")} {
		if len(s.TablesAbout(txID)) == 0 {
			t.Errorf("%s was deleted", txID)
		}
	}
}

// TestServersTrimTogether lets several servers delete the same submissions at the same
// time, while one of the tenants is deleted.
func TestServersTrimTogether(t *testing.T) {
	s := servertest.New(t, keep(day, day))
	for range 3 {
		tenant := s.NewTenant(`{"webhooks":"collect"}`)
		tenant.Subscribe("http://127.0.0.1:9")
		s.Exec(`
			insert into submissions (tx_id, tenant_id, user_id, filename, search, created_at, upload_expires_at, aged_from)
			select gen_random_uuid(), $1, $1, 'a.txt', 'a.txt', $2, $2, $2
			from generate_series(1, 500)`, s.TenantID(tenant.Name), s.Now())
	}
	kept, _ := s.Acme().Announce("a.txt")
	s.Exec("update submissions set aged_from = $1 where tx_id = $2", s.Now().Add(day), kept)
	s.Pass(day + time.Second)
	names := servertest.Value[[]string](s, "select array_agg(name) from tenants where name like 't-%'")
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			if _, err := s.App.Trimmer().Trim(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	s.Control("DELETE /tenants/"+names[0], "").Want(t, http.StatusNoContent)
	working.Wait()
	trim(t, s) // what was skipped because the other tenant was being deleted
	if n := servertest.Value[int](s, "select count(*) from submissions"); n != 1 {
		t.Errorf("%d submissions are left, want 1", n)
	}
}

// TestNothingIsDeletedWhileTheStoreIsAway checks that submissions stay as long as their
// files could not be deleted.
func TestNothingIsDeletedWhileTheStoreIsAway(t *testing.T) {
	s := servertest.New(t, keep(day, day))
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	work(s)
	s.Pass(2 * day)
	away := s.Files + "-away"
	if err := os.Rename(s.Files, away); err != nil {
		t.Fatal(err)
	}
	trim(t, s)
	if len(s.TablesAbout(txID)) == 0 {
		t.Error("the submission was deleted while the object store was away")
	}
	if err := os.Rename(away, s.Files); err != nil {
		t.Fatal(err)
	}
	trim(t, s)
	if left := s.TablesAbout(txID); len(left) > 0 || len(s.StoredFiles()) > 0 {
		t.Errorf("rows in %v and files %v are left", left, s.StoredFiles())
	}
}

// TestPublishedEventsAreDeleted checks that events that tests have published are deleted
// with the transaction that their data is about.
func TestPublishedEventsAreDeleted(t *testing.T) {
	s := servertest.New(t, keep(day, day))
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"},"webhooks":"collect"}`)
	tenant.Subscribe("http://127.0.0.1:9")
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	work(s)
	tenant.Control("POST /events", `{"event":"quote_request:made","data":{"tx_id":"`+txID+`"}}`).Want(t, http.StatusOK)
	tenant.Control("POST /events", `{"event":"quote_request:made","data":["`+txID+`"]}`).Want(t, http.StatusOK)
	s.Pass(2 * day)
	trim(t, s)
	if left := servertest.Value[string](s, "select string_agg(convert_from(body, 'UTF8'), ' ') from events"); !strings.Contains(left, `"data":["`+txID) || strings.Contains(left, `"tx_id"`) {
		t.Errorf("events left: %s", left)
	}
}

// TestExpiredCredentialsAndFaultsAreDeleted checks that refresh tokens, old secrets and
// faults are deleted a while after they have expired.
func TestExpiredCredentialsAndFaultsAreDeleted(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	unused := s.NewToken(tenant.Credentials).Text(t, "refresh_token")
	used := s.NewToken(tenant.Credentials).Text(t, "refresh_token")
	successor := s.Refresh(tenant.Credentials, used).Want(t, http.StatusOK).Text(t, "refresh_token")
	client := tenant.Control("POST /clients", `{}`).Want(t, http.StatusCreated).Text(t, "client_id")
	tenant.Control("POST /clients/"+client+"/rotate", `{"overlap":"1h"}`).Want(t, http.StatusOK)
	tenant.Fault(`{"route":"/hooks","status":503,"expires":"1h"}`)
	tenant.Fault(`{"route":"/hooks","status":503}`)
	count := func() string {
		return servertest.Value[string](s, `
			select concat_ws(' ', (select count(*) from refresh_families), (select count(*) from old_secrets), (select count(*) from faults))`)
	}
	for _, step := range []struct {
		pass time.Duration
		want string
	}{
		{0, "1 1 2"},
		{time.Hour, "1 1 2"}, // now they are found expired
		{day, "1 1 2"},
		{time.Second, "1 0 1"},
		{89*day - time.Hour - time.Second, "1 0 1"},
		{time.Second, "0 0 1"},
	} {
		s.Pass(step.pass)
		trim(t, s)
		if got := count(); got != step.want {
			t.Errorf("%v later: refresh tokens, secrets and faults %s, want %s", step.pass, got, step.want)
		}
	}
	for name, token := range map[string]string{"unused": unused, "used": used, "successor": successor} {
		if response := s.Refresh(tenant.Credentials, token); response.Status != http.StatusBadRequest {
			t.Errorf("the %s token: status %d, want 400", name, response.Status)
		}
	}
	if n := count(); n != "0 0 1" {
		t.Errorf("after expired tokens were used: %s", n)
	}
}
