package journal_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// TestFindings: a well-behaved client has none, and each misdeed is found with
// its evidence.
func TestFindings(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	txID, address := acme.Announce("servertest.Letter.txt")
	acme.Upload(address, "servertest.Letter.txt", []byte("text")).Want(t, http.StatusOK)
	// Between two polls the test may have moved the clock: the client has waited.
	for range 3 {
		acme.Status(txID).Want(t, http.StatusOK)
		d.Control("POST /clock", `{"advance":"1m"}`).Want(t, http.StatusOK)
	}
	acme.Trigger(txID).Want(t, http.StatusOK)
	for range 3 {
		acme.Status(txID).Want(t, http.StatusOK)
		d.Pass(250 * time.Millisecond)
	}
	if found := d.findings(); len(found) != 0 {
		t.Fatalf("findings %v", found)
	}

	evidence := map[string][]string{}
	note := func(rule string, got servertest.Response) {
		evidence[rule] = append(evidence[rule], got.Header.Get("X-Request-Id"))
	}
	acme.Status(txID)
	d.Pass(249 * time.Millisecond)
	note("polling-too-fast", acme.Status(txID))
	note("data-before-completion", acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=sov", "").Want(t, http.StatusConflict))
	_, address = acme.Announce("policy.pdf")
	wrong := acme.Upload(address, "other.pdf", []byte("text")).Want(t, http.StatusOK)
	note("upload-name", wrong)
	kind, body := servertest.Form(t, servertest.Part{"file", "policy.pdf", []byte("text")})
	body = strings.Replace(body, "application/octet-stream", "text/csv; charset=utf-8", 1)
	note("upload-content-type", d.Do(servertest.Call{Line: "PUT " + address, Header: map[string]string{"Content-Type": kind}, Body: body}).Want(t, http.StatusOK))
	// A conflict that a fault made is nobody's mistake.
	d.Fault(`{"route":"GET /data/v2/{dp_id}/{tx_id}","status":409,"times":1}`)
	acme.DoUnchecked("GET /data/v2/acme-us-c0001/none?idType=sov", "").Want(t, http.StatusConflict)
	d.Pass(12 * time.Hour)
	note("expired-token", acme.Status(txID).Want(t, http.StatusUnauthorized))
	company := auth.Demos[2]
	for range 4 {
		note("token-per-call", d.token(company))
	}
	deliver(d, http.StatusOK)
	evidence["webhook-not-accepted"] = []string{deliver(d, http.StatusBadGateway), deliver(d, 0)}

	var found map[string][]string
	servertest.Until(t, "the feed shows both deliveries, since no older transaction is under way", func() bool {
		found = d.findings()
		return len(found["webhook-not-accepted"]) == 2
	})
	for rule, want := range evidence {
		if !slices.Equal(found[rule], want) {
			t.Errorf("%s: evidence %v, want %v", rule, found[rule], want)
		}
	}
	if len(found) != len(evidence) {
		t.Errorf("findings %v", found)
	}
	if other := d.Tenant("globex").findings(); len(other) != 0 {
		t.Errorf("globex has findings %v", other)
	}

	report := d.DoWith(d.client, servertest.Call{Line: "GET " + d.ControlPath("/findings"), Header: map[string]string{"Accept": "application/xml"}}).Want(t, http.StatusOK)
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string  `xml:"name,attr"`
			Failure *string `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(report.Body), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 7 || suite.Failures != 7 || len(suite.Cases) != 7 || suite.Cases[0].Failure == nil {
		t.Errorf("report %s", report.Body)
	}
}

// deliver has an attempt to deliver end with the status, and returns its id.
func deliver(d *servertest.Tenant, status int) string {
	d.T.Helper()
	var tenantID uuid.UUID
	if err := d.DB.QueryRow(d.T.Context(), `select id from tenants where name = $1`, d.tenant).Scan(&tenantID); err != nil {
		d.T.Fatal(err)
	}
	id := uuid.NewString()
	if _, err := d.DB.Exec(d.T.Context(), `
		insert into attempted (tenant_id, entries, attempts)
		values ($1, 1, array[row($2::timestamptz, $3::uuid, $3, $3, 'hook:test', 'http://127.0.0.1', 1, $4::int, '', 1)::told])`,
		tenantID, d.Now(), id, status); err != nil {
		d.T.Fatal(err)
	}
	return id
}

// findings returns the evidence by rule.
func (d *servertest.Tenant) findings() map[string][]string {
	d.T.Helper()
	var body struct {
		Findings []struct {
			Rule, Advice string
			Evidence     []string
		}
	}
	got := d.Control("GET /findings", "").Want(d.T, http.StatusOK)
	if err := json.Unmarshal([]byte(got.Body), &body); err != nil {
		d.T.Fatal(err)
	}
	found := map[string][]string{}
	for _, one := range body.Findings {
		found[one.Rule] = one.Evidence
	}
	return found
}
