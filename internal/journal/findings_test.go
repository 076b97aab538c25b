package journal_test

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestFindings checks that a well-behaved client has no findings, and that each
// mistake is found, with the calls that made it as evidence.
func TestFindings(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, journal: findings about the client")
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	txID, uploadURL := acme.Announce("letter.txt")
	s.Upload(uploadURL, "letter.txt", []byte("text")).Want(t, http.StatusOK)
	// Polls between which the clock was advanced are not too fast.
	for range 3 {
		acme.Status(txID).Want(t, http.StatusOK)
		tenant.Advance("1m")
	}
	acme.Trigger(txID).Want(t, http.StatusOK)
	for range 3 {
		acme.Status(txID).Want(t, http.StatusOK)
		s.Pass(250 * time.Millisecond)
	}
	// A refused poll is no finding, and locations can be read with either package.
	s.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + txID, Token: acme.Token, Key: "wrong"}).Want(t, http.StatusForbidden)
	acme.Status(txID).Want(t, http.StatusOK)
	acme.Status("none").Want(t, http.StatusNotFound)
	acme.Status("none").Want(t, http.StatusNotFound)
	acme.SubmitDirectly("v3", "letter.txt", []byte(strings.Repeat("x", 9_999_999))).Want(t, http.StatusOK)
	acme.Do("GET /data/v2/acme-us-l0009/"+txID+"?idType=transaction", "").Want(t, http.StatusNotFound)
	s.Pass(time.Second)
	if found := findings(tenant); len(found) != 0 {
		t.Fatalf("findings %v, want none", found)
	}

	evidence := map[string][]string{}
	expect := func(rule string, got servertest.Response) {
		evidence[rule] = append(evidence[rule], got.Header.Get("X-Request-Id"))
	}
	acme.Status(txID)
	s.Pass(249 * time.Millisecond)
	expect("polling-too-fast", acme.Status(txID))
	expect("data-before-completion", acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=sov", "").Want(t, http.StatusConflict))
	_, uploadURL = acme.Announce("policy.pdf")
	expect("upload-name", s.Upload(uploadURL, "other.pdf", []byte("text")).Want(t, http.StatusOK))
	contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "policy.pdf", Content: []byte("text")})
	body = strings.Replace(body, "application/octet-stream", "text/csv; charset=utf-8", 1)
	expect("upload-content-type", s.Do(servertest.Call{
		Line: "PUT " + uploadURL, Header: map[string]string{"Content-Type": contentType}, Body: body,
	}).Want(t, http.StatusOK))
	expect("upload-part-type", s.Do(servertest.Call{
		Line: "PUT " + uploadURL, Header: map[string]string{"Content-Type": contentType},
		Body: strings.Replace(body, "Content-Type: text/csv; charset=utf-8\r\n", "", 1),
	}).Want(t, http.StatusOK))
	for _, kind := range []string{"", "text/plain"} {
		expect("json-content-type", s.DoWith(http.DefaultClient, servertest.Call{
			Line: "POST /universal/v2/universal-submit/file-upload-url", Token: acme.Token, Key: acme.Key,
			Header: map[string]string{"Content-Type": kind}, Body: `{"filename":"a.txt"}`,
		}).Want(t, http.StatusOK))
	}
	s.Do(servertest.Call{
		Line: "POST /universal/v2/universal-submit/file-upload-url", Token: acme.Token, Key: acme.Key,
		Header: map[string]string{"Content-Type": "Application/JSON ; charset=utf-8"}, Body: `{"filename":"a.txt"}`,
	}).Want(t, http.StatusOK)
	for _, size := range []int{10_000_000, 10_485_759} {
		expect("direct-submit-size", acme.SubmitDirectly("v4", "letter.txt", []byte(strings.Repeat("x", size))).Want(t, http.StatusOK))
	}
	acme.SubmitDirectly("v4", "letter.txt", []byte(strings.Repeat("x", 10_485_760))).Want(t, http.StatusRequestEntityTooLarge)
	expect("inquiry-package", acme.Do("GET /data/v2/acme-us-l0001/none?idType=transaction", "").Want(t, http.StatusNotFound))
	expect("inquiry-package", acme.Do("GET /data/v1/acme-us-l0001/CUS1187A2AAE214E4540", "").Want(t, http.StatusNotFound))
	// A conflict that a fault made is not the client's mistake.
	tenant.Fault(`{"route":"GET /data/v2/{dp_id}/{tx_id}","status":409,"times":1}`)
	acme.DoUnchecked("GET /data/v2/acme-us-c0001/none?idType=sov", "").Want(t, http.StatusConflict)
	for _, test := range []struct {
		events   string
		unraised bool
	}{
		{`"*"`, false},
		{`"universal_submit","company_submit:completed","hook:test"`, false},
		{`"quote_request:anything","carrier"`, false},
		{`"fired"`, false},
		{`"universal_submit:done"`, true},
		{`"company_submitted"`, true},
		{`"*","hook:other"`, true},
	} {
		hook := acme.Do("POST /hooks", `{"url":"http://127.0.0.1:9","active":true,"events":[`+test.events+`]}`).Want(t, http.StatusCreated)
		if test.unraised {
			evidence["webhook-unknown-event"] = append(evidence["webhook-unknown-event"], hook.Text(t, "id"))
		}
	}
	tenant.Control("POST /events", `{"event":"fired:by_hand"}`).Want(t, http.StatusOK)
	s.Pass(12 * time.Hour)
	expect("expired-token", acme.Status(txID).Want(t, http.StatusUnauthorized))
	for range 4 {
		expect("token-per-call", s.NewToken(seed.Demos()[2]))
	}
	s.RecordAttempt("acme", http.StatusOK)
	evidence["webhook-not-accepted"] = []string{s.RecordAttempt("acme", http.StatusBadGateway), s.RecordAttempt("acme", 0)}

	found := findings(tenant)
	for rule, want := range evidence {
		if !slices.Equal(found[rule], want) {
			t.Errorf("%s: evidence %v, want %v", rule, found[rule], want)
		}
	}
	if len(found) != len(evidence) {
		t.Errorf("findings %v", found)
	}
	if other := findings(s.Tenant("globex")); len(other) != 0 {
		t.Errorf("globex has findings %v", other)
	}

	for rule, ids := range evidence {
		for _, id := range ids {
			if about := findingsIn(tenant, "/findings?request_id="+id); !strings.HasPrefix(rule, "webhook-") && !slices.Equal(about[rule], []string{id}) {
				t.Errorf("findings about a call that broke %s: %v", rule, about)
			}
		}
	}
	if about := findingsIn(tenant, "/findings?request_id="+servertest.Absent); len(about) != 0 {
		t.Errorf("findings about an unknown call: %v", about)
	}
	// The newest four calls break only token-per-call. The rules about webhooks do not
	// depend on calls.
	newest := findingsIn(tenant, "/overview?newest_calls=4")
	if !slices.Equal(slices.Sorted(maps.Keys(newest)), []string{"token-per-call", "webhook-not-accepted", "webhook-unknown-event"}) {
		t.Errorf("findings in the newest four calls: %v", newest)
	}
	if all := findingsIn(tenant, "/overview?newest_calls=10000"); len(all) != len(evidence) {
		t.Errorf("findings in the newest 10,000 calls: %v", all)
	}
	for _, value := range []string{"0", "10001", "x"} {
		tenant.Control("GET /overview?newest_calls="+value, "").Want(t, http.StatusBadRequest)
	}

	report := s.ControlWith(t, s.ControlClient, "GET /tenants/acme/findings", "", map[string]string{"Accept": "application/xml"}).Want(t, http.StatusOK)
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
	if suite.Tests != 12 || suite.Failures != 12 || len(suite.Cases) != 12 || suite.Cases[0].Failure == nil {
		t.Errorf("report %s", report.Body)
	}
}

// findings returns the tenant's findings: the evidence by rule.
func findings(tenant *servertest.Tenant) map[string][]string { return findingsIn(tenant, "/findings") }

// findingsIn returns the findings in the response of a call of the control API.
func findingsIn(tenant *servertest.Tenant, path string) map[string][]string {
	tenant.T.Helper()
	var body struct {
		Findings []struct {
			Rule, Advice string
			Evidence     []string
		}
	}
	list := tenant.Control("GET "+path, "").Want(tenant.T, http.StatusOK)
	if err := json.Unmarshal([]byte(list.Body), &body); err != nil {
		tenant.T.Fatal(err)
	}
	found := map[string][]string{}
	for _, finding := range body.Findings {
		found[finding.Rule] = finding.Evidence
	}
	return found
}
