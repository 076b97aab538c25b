//go:build ignore

package server_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

// moves are the states that a document passes through, by the status endpoint.
func (s *story) moves(t *testing.T, tenant string, document []byte) []string {
	t.Helper()
	c := s.acme
	if tenant == "globex" {
		c = s.Globex()
	}
	txID, url := c.Announce("a.txt")
	s.Server.Upload(url, "a.txt", openapi.Document).Want(t, http.StatusOK)
	first := c.Trigger(txID).Want(t, http.StatusOK).Text(t, "status")
	seen := []string{first}
	for range 9 {
		status := c.Status(txID).Want(t, http.StatusOK).Text(t, "status")
		if status != seen[len(seen)-1] {
			seen = append(seen, status)
		}
		s.Pass(500 * time.Millisecond)
		s.Work()
	}
	return seen
}

// moving is a row of the table of states: one of its documents' statuses
// follows another.
func moving(tenant, from, to string, document []byte) statement {
	name := "state " + strings.TrimSpace(from+" to "+to)
	if tenant == "globex" {
		name += ", polling vocabulary"
	}
	return statement{name, func(t *testing.T, s *story) {
		if tenant == "globex" {
			s.Settings("globex", `{"status_vocabulary":"polling"}`)
		}
		seen := s.moves(t, tenant, openapi.Document)
		if !strings.Contains(strings.Join(seen, " "), strings.TrimSpace(from+" "+to)) {
			t.Errorf("it went %s", seen)
		}
	}}
}

var bad = []byte(noise(5000))

var states = []statement{
	moving("acme", "", "Submission_in_progress", servertest.Letter),
	moving("acme", "Submission_in_progress", "Scheduled", servertest.Letter),
	moving("acme", "Scheduled", "Started", servertest.Letter),
	moving("acme", "Started", "Completed", servertest.Letter),
	moving("acme", "Started", "Failed", bad),
	moving("globex", "Pending", "Started", servertest.Letter),
	moving("globex", "Started", "Succeeded", servertest.Letter),
	moving("globex", "Started", "Failed", bad),
	{"report ids at the end", func(t *testing.T, s *story) {
		if s.status.Text(t, "c_report_id") != s.company.Text(t, "c_report_id") || s.status.Text(t, "l_report_id") != s.company.Text(t, "l_report_id") {
			t.Error(s.status.Body)
		}
	}},
	{"data only after the end", func(t *testing.T, s *story) {
		txID, url := s.acme.Announce("a.txt")
		s.Server.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
		s.acme.Trigger(txID).Want(t, http.StatusOK)
		line := "GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction"
		s.acme.Do(line, "").Want(t, http.StatusConflict)
		for range 3 {
			s.Pass(2 * time.Second)
			s.Work()
		}
		s.acme.Do(line, "").Want(t, http.StatusOK)
	}},
}

var endpointsAndLimits = []statement{
	{"bearer token everywhere", func(t *testing.T, s *story) {
		for _, e := range endpoints {
			s.Do(servertest.Call{Line: e.line, Body: e.body, Key: "acme-api-key"}).Want(t, http.StatusUnauthorized)
		}
	}},
	{"x-api-key", func(t *testing.T, s *story) {
		for _, e := range endpoints {
			s.Do(servertest.Call{Line: e.line, Body: e.body, Token: s.acme.Token}).Want(t, http.StatusForbidden, forbidden)
		}
	}},
	{"JSON content type", func(t *testing.T, s *story) {
		for _, a := range []servertest.Response{s.Token, s.address, s.upload, s.trigger, s.status, s.company, s.sov, s.submitted, s.report} {
			if a.Header.Get("Content-Type") != "application/json" {
				t.Errorf("header %v", a.Header)
			}
		}
	}},
	{"Basic credentials", func(t *testing.T, s *story) {
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("acme-client:acme-secret"))
		s.Do(servertest.Call{Line: granting, Header: header(basic, "")}).Want(t, http.StatusOK)
	}},
	{"upload-URL request", func(t *testing.T, s *story) {
		keys(t, s.address.Get(t), "tx_id:s upload_url:s")
	}},
	{"upload to the exact address", func(t *testing.T, s *story) {
		_, url := s.acme.Announce("a.txt")
		s.Server.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	}},
	{"upload in parts", func(t *testing.T, s *story) {
		keys(t, s.upload.Get(t), "data:s")
	}},
	{"upload address, 5 minutes", func(t *testing.T, s *story) {
		_, url := s.acme.Announce("a.txt")
		s.Pass(5 * time.Minute)
		s.Server.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
		s.Pass(time.Second)
		s.Server.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusForbidden)
	}},
	{"sov shows the location package", func(t *testing.T, s *story) {
		if s.sov.Text(t, "data_package_id") != "acme-us-l0001" {
			t.Error(s.sov.Body)
		}
	}},
	{"report_id is a c_report_id", func(t *testing.T, s *story) {
		if s.report.Text(t, "c_report_id") != s.submitted.Text(t, "c_report_id") {
			t.Error(s.report.Body)
		}
	}},
	{"token lifetime and renewal", func(t *testing.T, s *story) {
		old := s.Server.NewToken(auth.Demos[0])
		s.Pass(12*time.Hour - time.Second)
		s.status401(t, old.Text(t, "access_token"), false)
		s.Pass(2 * time.Second)
		s.status401(t, old.Text(t, "access_token"), true)
		renewed := s.refresh(auth.Demos[0], old.Text(t, "refresh_token")).Want(t, http.StatusOK)
		s.status401(t, renewed.Text(t, "access_token"), false)
		s.status401(t, s.Server.NewToken(auth.Demos[0]).Text(t, "access_token"), false)
		s.acme = s.Server.Acme()
	}},
	{"token of another environment", func(t *testing.T, s *story) {
		other := s.Environment("uat")
		token := other.NewToken(auth.Demos[0]).Text(t, "access_token")
		s.status401(t, token, true)
		other.status401(t, token, false)
		other.status401(t, s.acme.Token, true)
	}},
	{"credentials per environment", func(t *testing.T, s *story) {
		// Both clients of a customer use the one key.
		for _, id := range []string{"acme-client", "acme-company-client"} {
			c := s.Login(demoOf(id))
			c.Do("GET /data/v1/acme-us-c0001/"+s.submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		}
		// And a client of one environment is nobody in another.
		other := s.Environment("staging")
		s.Exec(`
			insert into clients
			select 'here-alone', tenant_id, gen_random_uuid(), secret_hash, first_name, last_name, permissions, created_at, revoked_at
			from clients
			where id = 'acme-client'`)
		here := servertest.Call{Line: granting, Header: header(servertest.Basic("here-alone", "acme-secret"), "")}
		s.Do(here).Want(t, http.StatusOK)
		other.Do(here).Want(t, http.StatusUnauthorized)
	}},
	{"large files", func(t *testing.T, s *story) {
		for _, size := range []int{10_000_000, 10 << 20} {
			txID, url := s.acme.Announce("a.txt")
			s.Server.Upload(url, "a.txt", append(servertest.Letter[:len(servertest.Letter):len(servertest.Letter)], make([]byte, size-len(servertest.Letter))...)).Want(t, http.StatusOK)
			s.acme.Trigger(txID).Want(t, http.StatusOK)
			if got := servertest.Value[int](s.world, "select size from submissions where tx_id = $1", txID); got != size {
				t.Errorf("%d bytes", got)
			}
		}
		s.Exec("delete from submissions where status = 'Submission_in_progress'") // nothing to be read here
	}},
	{"version in the path", func(t *testing.T, s *story) {
		for _, path := range []string{"/universal/universal-submit/status/" + absent, "/data/acme-us-c0001/" + absent, "/data/v0/acme-us-c0001/" + absent} {
			s.acme.Do("GET "+path, "").Want(t, http.StatusForbidden, `{"message":"Missing Authentication Token"}`)
		}
	}},
	{"environments apart", func(t *testing.T, s *story) {
		other := s.Environment("production")
		mine, theirs := s.Server.NewToken(auth.Demos[0]), other.NewToken(auth.Demos[0])
		if cmp.Equal(mine.Get(t, "uid"), theirs.Get(t, "uid")) || other.url == s.url {
			t.Error("one client in two environments")
		}
	}},
}
