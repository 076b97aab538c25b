package journal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// TestJournal: what was answered is there at once, with all that tells it,
// newest first, and can be searched.
func TestJournal(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	globex := d.Globex()
	globex.Do("GET /universal/v2/universal-submit/status/none", "").Want(t, http.StatusNotFound)
	txID, address := acme.Announce("servertest.Letter.txt")
	content := []byte("Named Insured: Foxglove Bakery LLC")
	acme.Upload(address, "servertest.Letter.txt", content).Want(t, http.StatusOK)
	d.Pass(time.Minute)
	triggered := acme.Trigger(txID).Want(t, http.StatusOK)
	refused := acme.Do("POST /company/v1/company_submit", `{"company_name":`).Want(t, http.StatusBadRequest)
	d.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + txID}).Want(t, http.StatusUnauthorized) // nobody's

	all := d.Journal("")
	var lines []string
	for _, one := range all {
		lines = append(lines, fmt.Sprint(one.Route, " ", *one.Status))
	}
	want := []string{
		"POST /company/v1/company_submit 400",
		"POST /universal/v2/universal-submit/file/{tx_id} 200",
		"PUT /file-transfer/upload-file 200",
		"POST /universal/v2/universal-submit/file-upload-url 200",
		"POST /auth/token 200",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Fatalf("journal has\n%s", strings.Join(lines, "\n"))
	}
	if all[0].Request.Body != `{"company_name":` || all[0].Response.Body != refused.Body || all[0].ClientID != "acme-client" {
		t.Errorf("refused call %+v", all[0])
	}
	if all[1].ID != triggered.Header.Get("X-Request-Id") || all[1].TxID != txID || all[1].Response.Body != triggered.Body {
		t.Errorf("trigger %+v", all[1])
	}
	digest := sha256.Sum256(content)
	if file := all[2].Request.File; file == nil || file.Name != "servertest.Letter.txt" || file.SHA256 != hex.EncodeToString(digest[:]) ||
		all[2].Request.Size != int64(len(content)) || all[2].Request.Body != "" || all[2].TxID != txID || all[2].Path != "/file-transfer/upload-file?data=***" {
		t.Errorf("upload %+v", all[2])
	}
	if all[3].TxID != txID || !strings.Contains(all[3].Request.Body, "servertest.Letter.txt") || !strings.Contains(all[3].Response.Body, "data=***") {
		t.Errorf("announcement %+v", all[3])
	}

	since := url.QueryEscape(d.Now().Add(-time.Second).Format(time.RFC3339))
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
		if got := len(d.Journal(query)); got != want {
			t.Errorf("%s: %d calls, want %d", query, got, want)
		}
	}
	// Page by page.
	var pages []string
	for before := ""; ; {
		page := d.Control("GET /requests?limit=2"+before, "").Want(t, http.StatusOK)
		for _, one := range page.Get(t, "requests").([]any) {
			pages = append(pages, one.(map[string]any)["id"].(string))
		}
		next, more := page.Get(t).(map[string]any)["before"]
		if !more {
			break
		}
		before = "&before=" + next.(string)
	}
	for i, one := range all {
		if len(pages) != len(all) || pages[i] != one.ID {
			t.Fatalf("pages %v", pages)
		}
	}
	one := d.Control("GET /requests/"+all[1].ID, "").Want(t, http.StatusOK)
	if one.Text(t, "tx_id") != txID {
		t.Errorf("one call %s", one.Body)
	}
	d.Tenant("globex").Control("GET /requests/"+all[1].ID, "").Want(t, http.StatusNotFound)
	if n := len(d.Tenant("globex").Journal("")); n != 2 {
		t.Errorf("globex has %d calls", n)
	}
	d.Control("GET /requests?limit=0", "").Want(t, http.StatusBadRequest)
	d.Control("GET /requests?stat=200", "").Want(t, http.StatusBadRequest, `{"message":"unknown parameter \"stat\""}`)
	d.Control("POST /reset", "").Want(t, http.StatusOK)
	if n := len(d.Journal("")); n != 0 {
		t.Errorf("%d calls after a reset", n)
	}
}

// TestJournalMasks: no secret that was sent or answered is in the database.
func TestJournalMasks(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	first := d.NewToken(auth.Demos[0])
	again := d.Do(servertest.Call{
		Line:   "POST /auth/token",
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		Body: url.Values{
			"grant_type": {"refresh_token"}, "client_id": {"acme-client"}, "client_secret": {"acme-secret"},
			"refresh_token": {first.Text(t, "refresh_token")},
		}.Encode(),
	}).Want(t, http.StatusOK)
	kind, body := formText(t, map[string]string{"grant_type": "client_credentials", "client_id": "acme-client", "client_secret": "acme-secret"})
	parted := d.Do(servertest.Call{Line: "POST /auth/token", Header: map[string]string{"Content-Type": kind}, Body: body}).Want(t, http.StatusOK)
	d.DoWith(http.DefaultClient, servertest.Call{
		Line:   "POST /auth/token?grant_type=refresh_token&refresh_token=" + again.Text(t, "refresh_token"),
		Header: map[string]string{"Authorization": servertest.Basic("acme-client", "acme-secret")},
	}).Want(t, http.StatusOK)
	d.Do(call{ // a wrong secret may be a right one somewhere else
		Line:   "POST /auth/token?grant_type=client_credentials",
		Header: map[string]string{"Authorization": servertest.Basic("acme-client", "another-secret"), "Cookie": "session=cookie-secret"},
	}).Want(t, http.StatusUnauthorized)
	acme := d.Acme()
	_, address := acme.Announce("a.txt")
	acme.Upload(address, "a.txt", []byte("uploaded-content")).Want(t, http.StatusOK)
	acme.DoUnchecked("POST /company/v1/company_submit", `{"company_name":"x","client_secret":"acme-secret","secret":["acme-secret"]`)
	acme.DoUnchecked("POST /company/v1/company_submit", `{"company_name":"x, "client_secret":"acme-secret"}`)

	if n := len(d.Journal("")); n != 10 {
		t.Fatalf("%d calls", n)
	}
	var dump strings.Builder
	for _, table := range []string{"requests", "feed"} {
		rows, err := d.DB.Query(t.Context(), "select row_to_json("+table+")::text from "+table)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			dump.WriteString(line + "\n")
		}
	}
	var bodies string
	if err := d.DB.QueryRow(t.Context(), `
		select string_agg(encode(request_body, 'escape') || encode(response_body, 'escape'), ' ') from requests`).Scan(&bodies); err != nil {
		t.Fatal(err)
	}
	text := dump.String() + bodies
	_, data, _ := strings.Cut(address, "data=")
	for what, secret := range map[string]string{
		"secret": "acme-secret", "other secret": "another-secret", "cookie": "cookie-secret", "API key": acme.Key, "upload": data,
		"basic": strings.TrimPrefix(servertest.Basic("acme-client", "acme-secret"), "Basic "), "content": "uploaded-content",
		"access token": acme.Token, "refresh token": again.Text(t, "refresh_token"),
		"first access token": first.Text(t, "access_token"), "first refresh token": first.Text(t, "refresh_token"),
		"parted": parted.Text(t, "access_token"),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("the %s is in the journal", what)
		}
	}
	for _, kept := range []string{"grant_type=refresh_token", "client_credentials", "Bearer ***", "expires_in", "raw_info"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is not in the journal", kept)
		}
	}
}

// formText makes a multipart body of plain fields.
func formText(t *testing.T, fields map[string]string) (contentType, body string) {
	t.Helper()
	var parts strings.Builder
	for name, value := range fields {
		fmt.Fprintf(&parts, "--limit\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, value)
	}
	return "multipart/form-data; boundary=limit", parts.String() + "--limit--\r\n"
}

// TestJournalBounds: 10,000 calls and 50 MB, the oldest out; bodies to 64 KB.
func TestJournalBounds(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	large := `{"company_name":"` + strings.Repeat("x", 100_000)
	acme.DoUnchecked("POST /company/v1/company_submit", large)
	if one := d.Journal("limit=1")[0].Request; len(one.Body) != 64<<10 || !one.Truncated || one.Size != int64(len(large)) {
		t.Errorf("a body of %d kept of %d, truncated %t", len(one.Body), one.Size, one.Truncated)
	}
	fill := func(calls, size int) {
		d.Exec(`insert into requests (
				tenant_id, id, at, begun_at, duration, client_id, method, path, route, status, tx_id, expired, faults, file, kind,
				request_headers, request_body, request_size, response_headers, response_body, response_size, size
			)
			select id, gen_random_uuid(), now(), now(), '0', '', 'GET', '/', 'GET /', 200, '', false, '{}', '', '', '{}', '', 0, '{}', '', 0, $2
			from tenants, generate_series(1, $1)
			where name = 'acme'`, calls, size)
		for range 1000 {
			acme.Do("GET /universal/v2/universal-submit/status/none", "")
		}
	}
	held := func() (calls, size int) {
		d.Journal("limit=1") // waits for the last batch
		if err := d.DB.QueryRow(t.Context(), `select count(*), sum(size) from requests`).Scan(&calls, &size); err != nil {
			t.Fatal(err)
		}
		return calls, size
	}
	fill(12_000, 1)
	if calls, _ := held(); calls != 10_000 {
		t.Errorf("%d calls", calls)
	}
	if newest := d.Journal("limit=1")[0]; newest.Route != "GET /universal/v2/universal-submit/status/{tx_id}" {
		t.Errorf("newest is %+v", newest)
	}
	fill(600, 100<<10)
	for range 40 { // their bytes are seen to when they are many
		acme.DoUnchecked("POST /company/v1/company_submit", large)
	}
	if _, size := held(); size < 49<<20 || size > 50<<20 {
		t.Errorf("%d bytes", size)
	}
}

// TestJournalUnderLoad: every call that was answered is there, once, and none
// is another tenant's.
func TestJournalUnderLoad(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	done := make(chan struct{})
	for _, caller := range []servertest.Client{d.Acme(), d.Globex()} {
		for range 4 {
			go func() {
				defer func() { done <- struct{}{} }()
				for range 100 {
					tryCall(servertest.Client, "GET /universal/v2/universal-submit/status/none")
				}
			}()
		}
	}
	for range 8 {
		<-done
	}
	for _, tenant := range []string{"acme", "globex"} {
		calls := d.of(tenant).Journal("limit=1000&status=404")
		ids := map[string]bool{}
		for _, one := range calls {
			ids[one.ID] = one.ClientID == tenant+"-client"
		}
		if len(calls) != 400 || len(ids) != 400 {
			t.Errorf("%s: %d calls, %d ids", tenant, len(calls), len(ids))
		}
		for id, own := range ids {
			if !own {
				t.Errorf("%s has call %s", tenant, id)
			}
		}
	}
}

// TestJournalHolds: what was answered while the database was away is kept until
// it is back, however often writing it fails.
func TestJournalHolds(t *testing.T) {
	var outage servertest.Outage
	d := servertest.New(t, outage.Option(t)).Tenant("acme")
	acme := d.Acme()
	const unknown = "01a1fc26-00eb-7d14-a123-9d7f6c598342"
	acme.Do("GET /universal/v2/universal-submit/status/"+unknown, "").Want(t, http.StatusNotFound)
	d.Journal("")
	outage.Active.Store(true)
	defer outage.Active.Store(false)
	for range 3 {
		acme.Do("GET /universal/v2/universal-submit/status/"+unknown, "").Want(t, http.StatusServiceUnavailable)
	}
	tried := outage.Refused.Load()
	servertest.Until(t, "writing was tried again", func() bool { return outage.Refused.Load() >= tried+6 })
	outage.Active.Store(false)
	if calls := d.Journal("status=503"); len(calls) != 3 {
		t.Errorf("%d calls", len(calls))
	}
}
