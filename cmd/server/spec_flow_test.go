package main

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
)

// moves are the states that a document passes through, by the status endpoint.
func (s *story) moves(t *testing.T, tenant string, document []byte) []string {
	t.Helper()
	c := s.acme
	if tenant == "globex" {
		c = s.globex()
	}
	txID, url := c.announce("a.txt")
	s.world.upload(url, "a.txt", document).want(t, http.StatusOK)
	first := c.trigger(txID).want(t, http.StatusOK).text(t, "status")
	seen := []string{first}
	for range 9 {
		status := c.status(txID).want(t, http.StatusOK).text(t, "status")
		if status != seen[len(seen)-1] {
			seen = append(seen, status)
		}
		s.pass(500 * time.Millisecond)
		s.work()
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
			s.settings("globex", `{"status_vocabulary":"polling"}`)
		}
		seen := s.moves(t, tenant, document)
		if !strings.Contains(strings.Join(seen, " "), strings.TrimSpace(from+" "+to)) {
			t.Errorf("it went %s", seen)
		}
	}}
}

var bad = []byte(noise(5000))

var states = []statement{
	moving("acme", "", "Submission_in_progress", letter),
	moving("acme", "Submission_in_progress", "Scheduled", letter),
	moving("acme", "Scheduled", "Started", letter),
	moving("acme", "Started", "Completed", letter),
	moving("acme", "Started", "Failed", bad),
	moving("globex", "Pending", "Started", letter),
	moving("globex", "Started", "Succeeded", letter),
	moving("globex", "Started", "Failed", bad),
	{"report ids at the end", func(t *testing.T, s *story) {
		if s.status.text(t, "c_report_id") != s.company.text(t, "c_report_id") || s.status.text(t, "l_report_id") != s.company.text(t, "l_report_id") {
			t.Error(s.status.Body)
		}
	}},
	{"data only after the end", func(t *testing.T, s *story) {
		txID, url := s.acme.announce("a.txt")
		s.world.upload(url, "a.txt", letter).want(t, http.StatusOK)
		s.acme.trigger(txID).want(t, http.StatusOK)
		line := "GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction"
		s.acme.do(line, "").want(t, http.StatusConflict)
		for range 3 {
			s.pass(2 * time.Second)
			s.work()
		}
		s.acme.do(line, "").want(t, http.StatusOK)
	}},
}

var endpointsAndLimits = []statement{
	{"bearer token everywhere", func(t *testing.T, s *story) {
		for _, e := range endpoints {
			s.do(call{line: e.line, body: e.body, key: "acme-api-key"}).want(t, http.StatusUnauthorized)
		}
	}},
	{"x-api-key", func(t *testing.T, s *story) {
		for _, e := range endpoints {
			s.do(call{line: e.line, body: e.body, token: s.acme.token}).want(t, http.StatusForbidden, forbidden)
		}
	}},
	{"JSON content type", func(t *testing.T, s *story) {
		for _, a := range []answer{s.token, s.address, s.upload, s.trigger, s.status, s.company, s.sov, s.submitted, s.report} {
			if a.Header.Get("Content-Type") != "application/json" {
				t.Errorf("header %v", a.Header)
			}
		}
	}},
	{"Basic credentials", func(t *testing.T, s *story) {
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("acme-client:acme-secret"))
		s.do(call{line: granting, header: header(basic, "")}).want(t, http.StatusOK)
	}},
	{"upload-URL request", func(t *testing.T, s *story) {
		keys(t, s.address.get(t), "tx_id:s upload_url:s")
	}},
	{"upload to the exact address", func(t *testing.T, s *story) {
		_, url := s.acme.announce("a.txt")
		s.world.upload(url, "a.txt", letter).want(t, http.StatusOK)
	}},
	{"upload in parts", func(t *testing.T, s *story) {
		keys(t, s.upload.get(t), "data:s")
	}},
	{"upload address, 5 minutes", func(t *testing.T, s *story) {
		_, url := s.acme.announce("a.txt")
		s.pass(5 * time.Minute)
		s.world.upload(url, "a.txt", letter).want(t, http.StatusOK)
		s.pass(time.Second)
		s.world.upload(url, "a.txt", letter).want(t, http.StatusForbidden)
	}},
	{"sov shows the location package", func(t *testing.T, s *story) {
		if s.sov.text(t, "data_package_id") != "acme-us-l0001" {
			t.Error(s.sov.Body)
		}
	}},
	{"report_id is a c_report_id", func(t *testing.T, s *story) {
		if s.report.text(t, "c_report_id") != s.submitted.text(t, "c_report_id") {
			t.Error(s.report.Body)
		}
	}},
	{"token lifetime and renewal", func(t *testing.T, s *story) {
		old := s.world.token(auth.Demos[0])
		s.pass(12*time.Hour - time.Second)
		s.status401(t, old.text(t, "access_token"), false)
		s.pass(2 * time.Second)
		s.status401(t, old.text(t, "access_token"), true)
		renewed := s.refresh(auth.Demos[0], old.text(t, "refresh_token")).want(t, http.StatusOK)
		s.status401(t, renewed.text(t, "access_token"), false)
		s.status401(t, s.world.token(auth.Demos[0]).text(t, "access_token"), false)
		s.acme = s.world.acme()
	}},
	{"token of another environment", func(t *testing.T, s *story) {
		other := s.environment("uat")
		token := other.token(auth.Demos[0]).text(t, "access_token")
		s.status401(t, token, true)
		other.status401(t, token, false)
		other.status401(t, s.acme.token, true)
	}},
	{"credentials per environment", func(t *testing.T, s *story) {
		// Both clients of a customer use the one key.
		for _, id := range []string{"acme-client", "acme-company-client"} {
			c := s.login(demoOf(id))
			c.do("GET /data/v1/acme-us-c0001/"+s.submitted.text(t, "c_report_id"), "").want(t, http.StatusOK)
		}
		// And a client of one environment is nobody in another.
		other := s.environment("staging")
		s.exec(`
			insert into clients
			select 'here-alone', tenant_id, gen_random_uuid(), secret_hash, first_name, last_name, permissions, created_at, revoked_at
			from clients
			where id = 'acme-client'`)
		here := call{line: granting, header: header(basicAuth("here-alone", "acme-secret"), "")}
		s.do(here).want(t, http.StatusOK)
		other.do(here).want(t, http.StatusUnauthorized)
	}},
	{"large files", func(t *testing.T, s *story) {
		for _, size := range []int{10_000_000, 10 << 20} {
			txID, url := s.acme.announce("a.txt")
			s.world.upload(url, "a.txt", append(letter[:len(letter):len(letter)], make([]byte, size-len(letter))...)).want(t, http.StatusOK)
			s.acme.trigger(txID).want(t, http.StatusOK)
			if got := read[int](s.world, "select size from submissions where tx_id = $1", txID); got != size {
				t.Errorf("%d bytes", got)
			}
		}
		s.exec("delete from submissions where status = 'Submission_in_progress'") // nothing to be read here
	}},
	{"version in the path", func(t *testing.T, s *story) {
		for _, path := range []string{"/universal/universal-submit/status/" + absent, "/data/acme-us-c0001/" + absent, "/data/v0/acme-us-c0001/" + absent} {
			s.acme.do("GET "+path, "").want(t, http.StatusForbidden, `{"message":"Missing Authentication Token"}`)
		}
	}},
	{"environments apart", func(t *testing.T, s *story) {
		other := s.environment("production")
		mine, theirs := s.world.token(auth.Demos[0]), other.token(auth.Demos[0])
		if cmp.Equal(mine.get(t, "uid"), theirs.get(t, "uid")) || other.url == s.url {
			t.Error("one client in two environments")
		}
	}},
}
