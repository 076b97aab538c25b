package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy.example/internal/server/servertest"
)

// sequences is how many sequences of calls TestModel makes without the flag
// -rapid.checks.
const sequences = 30

// steps is how many actions a sequence has.
const steps = 40

// TestModel makes random sequences of calls and compares every response with a model of
// the contract. `make model` makes many more. If a response differs, rapid searches for
// the shortest sequence that fails, and prints its calls.
func TestModel(t *testing.T) {
	servertest.Slow(t)
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		checks.Value.Set(fmt.Sprint(sequences)) // a number
	}
	s := servertest.New(t, servertest.Background)
	other := s.NewTenant(`{}`)
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(rt, s, other)
		for _, action := range rapid.SliceOfN(rapid.SampledFrom(weighted), steps, steps).Draw(rt, "actions") {
			actions[action](m)
		}
	})
}

// actions are the steps of a sequence. An action does nothing if it is not possible in
// the current state of the model.
var actions = map[string]func(*model){
	"nothing": func(*model) {}, "upload URL": (*model).uploadURL, "upload": (*model).upload, "trigger": (*model).trigger,
	"poll": (*model).poll, "inquiry": (*model).inquiry, "another tenant": (*model).anotherTenant,
	"fail": (*model).fail, "advance": (*model).advance, "revoke client": (*model).revokeClient, "new client": (*model).newClient,
	"reset": (*model).reset, "restart": (*model).restart,
}

// weighted lists the names of the actions. A name that is listed several times is
// chosen more often. To shorten a failing sequence, rapid chooses the first name
// instead of others.
var weighted = strings.Split("nothing,"+
	strings.Repeat("poll,upload,trigger,", 4)+
	strings.Repeat("upload URL,", 3)+
	strings.Repeat("advance,", 6)+
	strings.Repeat("inquiry,new client,", 2)+
	"another tenant,fail,revoke client,reset,restart", ",")

// The documents that the model uploads. The last one cannot be read.
var modelDocuments = map[string][]byte{
	"letter":  servertest.Letter,
	"note":    []byte("Named insured: Harbour Lane Brewery Inc\nMailing address: 5 Dock Road, Portland, ME 04101\n"),
	"program": []byte("MZ\x90\x00\x03\x00\x00\x00" + strings.Repeat("\x00", 500)),
}

// model is what the contract says about one tenant, and the calls made so far.
type model struct {
	t       *rapid.T
	s       *servertest.Server
	tenant  *servertest.Tenant
	other   *servertest.Tenant
	now     time.Duration // on the tenant's clock, since its creation
	revoked bool          // whether the token is that of a revoked client
	clients int
	failing map[string]bool // names of files for which an outcome is Failed
	files   []*modelFile
}

// modelFile is a submission.
type modelFile struct {
	name        string // of the submission in the list of calls: tx1
	txID, query string // query of the upload URL
	filename    string
	expiresAt   time.Duration
	document    string        // the uploaded one; "" if there is none
	triggered   string        // body of the trigger's response; "" before the trigger
	triggeredAt time.Duration // on the tenant's clock
	final       string        // its final state; "" before it
	gone        bool          // it was deleted by a reset
	seen        int           // index of the last state that a poll showed
	response    string        // of a poll in the final state
}

func newModel(t *rapid.T, s *servertest.Server, other *servertest.Tenant) *model {
	tenant := s.NewTenant(`{}`)
	return &model{t: t, s: s, tenant: tenant, other: other, failing: map[string]bool{}}
}

// call makes a call as the tenant, lists it, and returns its response.
func (m *model) call(c servertest.Call, described string) servertest.Response {
	c.Token, c.Key = m.tenant.Token, m.tenant.Key
	response := m.s.Do(c)
	m.t.Logf("%s: %d", described, response.Status)
	return response
}

// want fails unless the response has the status and, if it is not "", the body.
func (m *model) want(got servertest.Response, status int, body string) {
	if got.Status != status || body != "" && got.Body != body {
		m.t.Fatalf("the response is %d %s, want %d %s", got.Status, got.Body, status, body)
	}
}

// control makes a call to the control API, which must succeed.
func (m *model) control(line, body string) {
	got := m.tenant.Control(line, body)
	m.t.Logf("control API: %s %s: %d", line, body, got.Status)
	if got.Status >= 300 {
		m.t.Fatalf("the response is %d %s", got.Status, got.Body)
	}
}

// file draws one of the newest submissions; nil if there is none.
func (m *model) file() *modelFile {
	if len(m.files) == 0 {
		return nil
	}
	return rapid.SampledFrom(m.files[max(0, len(m.files)-2):]).Draw(m.t, "submission")
}

// admitted checks the response to a call of a revoked client, and reports whether the
// client is not revoked.
func (m *model) admitted(got servertest.Response) bool {
	if m.revoked {
		m.want(got, http.StatusUnauthorized, servertest.Unauthorized)
	}
	return !m.revoked
}

// filenames are few, so that outcomes match. The second fails by its name.
var filenames = []string{"a.txt", "b.fail.txt", "c.txt"}

func (m *model) uploadURL() {
	filename := rapid.SampledFrom(filenames).Draw(m.t, "filename")
	got := m.call(servertest.Call{Line: servertest.GetUploadURL, Body: `{"filename":"` + filename + `"}`}, "upload URL for "+filename)
	if !m.admitted(got) {
		return
	}
	m.want(got, http.StatusOK, "")
	_, query, _ := strings.Cut(got.Text(m.s.T, "upload_url"), "?")
	m.files = append(m.files, &modelFile{
		name: fmt.Sprintf("tx%d", len(m.files)+1), txID: got.Text(m.s.T, "tx_id"), query: query,
		filename: filename, expiresAt: m.now + 5*time.Minute,
	})
}

func (m *model) upload() {
	f := m.file()
	if f == nil {
		return
	}
	document := rapid.SampledFrom(slices.Sorted(maps.Keys(modelDocuments))).Draw(m.t, "document")
	contentType, body := servertest.Form(m.s.T, servertest.Part{Name: "file", Filename: "x.txt", Content: modelDocuments[document]})
	got := m.call(servertest.Call{
		Line: "PUT /file-transfer/upload-file?" + f.query, Body: body, Header: map[string]string{"Content-Type": contentType},
	}, "upload "+document+" to "+f.name)
	switch {
	case f.gone:
		m.want(got, http.StatusForbidden, servertest.Forbidden)
	case m.now > f.expiresAt:
		m.want(got, http.StatusForbidden, `{"message":"Request has expired"}`)
	case f.triggered != "":
		m.want(got, http.StatusConflict, `{"message":"Upload is closed"}`)
	default:
		m.want(got, http.StatusOK, "")
		f.document = document
	}
}

func (m *model) trigger() {
	f := m.file()
	if f == nil {
		return
	}
	got := m.call(servertest.Call{Line: "POST /universal/v2/universal-submit/file/" + f.txID}, "trigger "+f.name)
	switch {
	case !m.admitted(got):
	case f.gone:
		m.want(got, http.StatusNotFound, servertest.TransactionNotFound)
	case f.document == "":
		m.want(got, http.StatusConflict, `{"message":"File has not been uploaded"}`)
	case f.triggered != "":
		m.want(got, http.StatusOK, f.triggered)
	default:
		m.want(got, http.StatusOK, "")
		f.triggered, f.triggeredAt = got.Body, m.now
	}
}

// modelStates are the states that polls show, in order.
var modelStates = []string{"Pending", "Submission_in_progress", "Scheduled", "Started", "Completed", "Failed"}

// state returns the state that the submission has now, by the default pacing.
func (m *model) state(f *modelFile) string {
	since := m.now - f.triggeredAt
	switch {
	case f.triggered == "":
		return "Pending"
	case f.final != "":
		return f.final
	case since < 500*time.Millisecond:
		return "Submission_in_progress"
	case since < 1500*time.Millisecond:
		return "Scheduled"
	}
	return "Started"
}

func (m *model) poll() {
	f := m.file()
	if f == nil {
		return
	}
	got := m.call(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + f.txID}, "poll "+f.name)
	if !m.admitted(got) {
		return
	}
	if f.gone {
		m.want(got, http.StatusNotFound, servertest.TransactionNotFound)
		return
	}
	m.want(got, http.StatusOK, f.response)
	var body struct{ Status string }
	if json.Unmarshal([]byte(got.Body), &body) != nil || body.Status != m.state(f) {
		m.t.Fatalf("%s is %q, want %q", f.name, body.Status, m.state(f))
	}
	position := slices.Index(modelStates, body.Status)
	if position < f.seen {
		m.t.Fatalf("%s went back from %s to %s", f.name, modelStates[f.seen], body.Status)
	}
	f.seen = position
	if f.final != "" {
		f.response = got.Body
	}
}

func (m *model) inquiry() {
	f := m.file()
	if f == nil {
		return
	}
	got := m.call(servertest.Call{Line: "GET /data/v2/" + m.tenant.CompanyPackage + "/" + f.txID + "?idType=transaction"}, "inquiry for "+f.name)
	switch {
	case !m.admitted(got):
	case f.gone:
		m.want(got, http.StatusNotFound, servertest.TransactionNotFound)
	case f.final != "Completed":
		m.want(got, http.StatusConflict, `{"message":"Transaction is not complete","status":"`+m.state(f)+`"}`)
	default:
		m.want(got, http.StatusOK, "")
	}
}

// fail makes the submissions of a file name fail from now on.
func (m *model) fail() {
	filename := rapid.SampledFrom(filenames).Draw(m.t, "filename")
	m.control("PUT /outcomes", `{"match":{"filename":"`+filename+`"},"status":"Failed"}`)
	m.failing[filename] = true
}

func (m *model) advance() {
	by := rapid.SampledFrom([]time.Duration{
		100 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Minute, time.Hour,
	}).Draw(m.t, "duration")
	m.control("POST /clock", `{"advance":"`+by.String()+`"}`)
	m.now += by
	for _, f := range m.files {
		if f.gone || f.triggered == "" || f.final != "" || m.now-f.triggeredAt < 3500*time.Millisecond {
			continue
		}
		f.final = "Completed"
		if m.failing[f.filename] || strings.Contains(f.filename, ".fail.") || f.document == "program" {
			f.final = "Failed"
		}
	}
}

func (m *model) revokeClient() {
	if m.revoked {
		return
	}
	m.control("DELETE /clients/"+m.tenant.Credentials.ClientID, "")
	m.revoked = true
}

func (m *model) newClient() {
	if !m.revoked {
		return
	}
	m.clients++
	m.tenant.Credentials.ClientID, m.tenant.Credentials.ClientSecret = fmt.Sprintf("%s-%d", m.tenant.Name, m.clients), "secret"
	m.control("POST /clients", `{"client_id":"`+m.tenant.Credentials.ClientID+`","client_secret":"secret"}`)
	m.tenant.Client = m.s.Login(m.tenant.Credentials)
	m.revoked = false
}

func (m *model) reset() {
	m.control("POST /reset", "")
	m.now, m.failing = 0, map[string]bool{}
	for _, f := range m.files {
		f.gone = true
	}
}

func (m *model) restart() {
	m.t.Logf("restart of the server")
	m.s.Restart()
}

// anotherTenant polls a submission as another tenant, which never finds it.
func (m *model) anotherTenant() {
	f := m.file()
	if f == nil {
		return
	}
	got := m.s.Do(servertest.Call{
		Line: "GET /universal/v2/universal-submit/status/" + f.txID, Token: m.other.Token, Key: m.other.Key,
	})
	m.t.Logf("poll %s as another tenant: %d", f.name, got.Status)
	m.want(got, http.StatusNotFound, servertest.TransactionNotFound)
}
