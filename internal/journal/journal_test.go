package journal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

const unknownStatus = "GET /universal/v2/universal-submit/status/" + servertest.Absent

// TestJournal checks that the calls of a tenant are listed as soon as they are
// answered, newest first, and by every filter.
func TestJournal(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, journal: method, path, status, duration, request id and bodies of calls",
		"Chosen, control API, journal: filters and pages")
	s := servertest.New(t)
	tenant, acme, globex := s.Tenant("acme"), s.Acme(), s.Globex()
	globex.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	txID, uploadURL := acme.Announce("letter.txt")
	content := []byte("Named Insured: Foxglove Bakery LLC")
	s.Upload(uploadURL, "letter.txt", content).Want(t, http.StatusOK)
	s.Pass(time.Minute)
	triggered := acme.Trigger(txID).Want(t, http.StatusOK)
	refused := acme.Do(servertest.SubmitCompany, `{"company_name":`).Want(t, http.StatusBadRequest)
	// A call without a token belongs to no tenant.
	s.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + txID}).Want(t, http.StatusUnauthorized)

	all := tenant.Journal("")
	var lines []string
	for _, call := range all {
		lines = append(lines, fmt.Sprint(call.Route, " ", *call.Status))
	}
	want := []string{
		"POST /company/v1/company_submit 400",
		"POST /universal/v2/universal-submit/file/{tx_id} 200",
		"PUT /file-transfer/upload-file 200",
		"POST /universal/v2/universal-submit/file-upload-url 200",
		"POST /auth/token 200",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Fatalf("the journal lists\n%s", strings.Join(lines, "\n"))
	}
	if all[0].Request.Body != `{"company_name":` || all[0].Response.Body != refused.Body || all[0].ClientID != "acme-client" {
		t.Errorf("refused call %+v", all[0])
	}
	if all[1].ID != triggered.Header.Get("X-Request-Id") || all[1].TxID != txID || all[1].Response.Body != triggered.Body {
		t.Errorf("trigger %+v", all[1])
	}
	digest := sha256.Sum256(content)
	if file := all[2].Request.File; file == nil || file.Name != "letter.txt" || file.SHA256 != hex.EncodeToString(digest[:]) ||
		all[2].Request.Size != int64(len(content)) || all[2].Request.Body != "" || all[2].TxID != txID || all[2].Path != "/file-transfer/upload-file?data=***" {
		t.Errorf("upload %+v", all[2])
	}
	if all[3].TxID != txID || !strings.Contains(all[3].Request.Body, "letter.txt") || !strings.Contains(all[3].Response.Body, "data=***") {
		t.Errorf("upload URL request %+v", all[3])
	}

	since := url.QueryEscape(s.Now().Add(-time.Second).Format(time.RFC3339))
	for query, want := range map[string]int{
		"tx_id=" + txID: 3,
		"status=4xx":    1,
		"status=200":    4,
		"method=put":    1,
		"route=" + url.QueryEscape("POST /auth/token"):      1,
		"route=/auth/token":                                 1,
		"since=" + since:                                    2,
		"until=" + since:                                    3,
		"limit=2":                                           2,
		"route=" + url.QueryEscape("GET /auth/token"):       0,
		"status=200&tx_id=" + txID + "&method=POST&limit=9": 2,
	} {
		if got := len(tenant.Journal(query)); got != want {
			t.Errorf("%s: %d calls, want %d", query, got, want)
		}
	}
	var pages []string
	for before := ""; ; {
		page := tenant.Control("GET /requests?limit=2"+before, "").Want(t, http.StatusOK)
		for _, call := range page.Get(t, "requests").([]any) {
			pages = append(pages, call.(map[string]any)["id"].(string))
		}
		next, more := page.Get(t).(map[string]any)["before"]
		if !more {
			break
		}
		before = "&before=" + next.(string)
	}
	for i, call := range all {
		if len(pages) != len(all) || pages[i] != call.ID {
			t.Fatalf("pages %v", pages)
		}
	}
	one := tenant.Control("GET /requests/"+all[1].ID, "").Want(t, http.StatusOK)
	if _, timed := one.Get(t, "duration_ms").(float64); !timed || one.Text(t, "tx_id") != txID || one.Text(t, "method") != "POST" {
		t.Errorf("single call %s", one.Body)
	}
	s.Tenant("globex").Control("GET /requests/"+all[1].ID, "").Want(t, http.StatusNotFound)
	if n := len(s.Tenant("globex").Journal("")); n != 2 {
		t.Errorf("globex has %d calls, want 2", n)
	}
	tenant.Control("GET /requests?limit=0", "").Want(t, http.StatusBadRequest)
	tenant.Control("GET /requests?stat=200", "").Want(t, http.StatusBadRequest, `{"message":"unknown parameter \"stat\""}`)
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	if n := len(tenant.Journal("")); n != 0 {
		t.Errorf("%d calls after a reset, want 0", n)
	}
}

// TestConcurrentCallsAreAllRecorded checks that every call which was answered is
// listed once, for its own tenant.
func TestConcurrentCallsAreAllRecorded(t *testing.T) {
	s := servertest.New(t)
	var running sync.WaitGroup
	for _, client := range []servertest.Client{s.Acme(), s.Globex()} {
		for range 4 {
			running.Go(func() {
				for range 100 {
					client.Do(unknownStatus, "")
				}
			})
		}
	}
	running.Wait()
	for _, name := range []string{"acme", "globex"} {
		calls := s.Tenant(name).Journal("limit=1000&status=404")
		ids := map[string]bool{}
		for _, call := range calls {
			ids[call.ID] = true
			if call.ClientID != name+"-client" {
				t.Errorf("%s has a call of %s", name, call.ClientID)
			}
		}
		if len(calls) != 400 || len(ids) != 400 {
			t.Errorf("%s: %d calls with %d ids, want 400", name, len(calls), len(ids))
		}
	}
}

// TestCallsAreRecordedAfterAnOutage checks that calls which are answered while
// the database is unreachable are recorded once it is back, however often the
// write has failed.
func TestCallsAreRecordedAfterAnOutage(t *testing.T) {
	var outage servertest.Outage
	s := servertest.New(t, outage.Option(t))
	tenant, acme := s.Tenant("acme"), s.Acme()
	acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	tenant.Journal("") // writes what is queued
	outage.Active.Store(true)
	defer outage.Active.Store(false)
	for range 3 {
		acme.Do(unknownStatus, "").Want(t, http.StatusServiceUnavailable)
	}
	refused := outage.Refused.Load()
	servertest.Until(t, "the write was retried", func() bool { return outage.Refused.Load() >= refused+6 })
	outage.Active.Store(false)
	if calls := tenant.Journal("status=503"); len(calls) != 3 {
		t.Errorf("%d calls, want 3", len(calls))
	}
}
