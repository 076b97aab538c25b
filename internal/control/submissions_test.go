package control_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// submit submits the parts by the control API.
func submit(tenant *servertest.Tenant, header map[string]string, parts ...servertest.Part) servertest.Response {
	tenant.T.Helper()
	contentType, body := servertest.Form(tenant.T, parts...)
	sent := map[string]string{"Content-Type": contentType}
	maps.Copy(sent, header)
	return tenant.Server.ControlWith(tenant.T, tenant.Server.ControlClient, "POST /tenants/"+tenant.Name+"/submissions", body, sent)
}

// TestSubmitByControl checks that a document submitted by the control API is processed as
// that of a client: the response is that of the list, and quotas and file names act.
func TestSubmitByControl(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, submissions: a document is submitted for the tenant, as a client does it")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"},"max_upload_bytes":1000,"max_submissions":3}`)
	created := submit(tenant, nil, servertest.Part{Name: "file", Filename: "letter.txt", Content: servertest.Letter}).Want(t, http.StatusCreated)
	txID := created.Text(t, "tx_id")
	if created.Text(t, "filename") != "letter.txt" || created.Text(t, "user_id") == "00000000-0000-0000-0000-000000000000" || created.Text(t, "company") != "" {
		t.Errorf("got %s", created.Body)
	}
	s.Settle()
	listed := tenant.Control("GET /transactions", "").Want(t, http.StatusOK)
	if !strings.HasPrefix(listed.Body, `{"transactions":[{"tx_id":"`+txID) || !strings.Contains(listed.Body, `"status":"Completed"`) ||
		!strings.Contains(listed.Body, `"company":"Foxglove Bakery LLC"}`) {
		t.Errorf("got %s", listed.Body)
	}
	tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)

	failed := submit(tenant, nil, servertest.Part{Name: "file", Filename: "a.fail.txt", Content: servertest.Letter}).Want(t, http.StatusCreated)
	s.Settle()
	if got := tenant.Control("GET /transactions/"+failed.Text(t, "tx_id"), "").Want(t, http.StatusOK).Text(t, "status"); got != "Failed" {
		t.Errorf("status %s, want Failed", got)
	}

	submit(tenant, nil, servertest.Part{Name: "file", Filename: "large.txt", Content: make([]byte, 1001)}).Want(t, http.StatusTooManyRequests)
	submit(tenant, nil, servertest.Part{Name: "file", Filename: "b.txt", Content: servertest.Letter}).Want(t, http.StatusCreated)
	submit(tenant, nil, servertest.Part{Name: "file", Filename: "c.txt", Content: servertest.Letter}).Want(t, http.StatusTooManyRequests)
	if audit := s.Control("GET /audit?limit=1", "").Want(t, http.StatusOK); !strings.Contains(audit.Body, `"/control/v1/tenants/`+tenant.Name+`/submissions"`) {
		t.Errorf("newest audit entry: %s", audit.Body)
	}
}

// TestRefusedSubmissions checks the responses to bodies without one file, and that pages
// of other sites cannot submit.
func TestRefusedSubmissions(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	file := servertest.Part{Name: "file", Filename: "letter.txt", Content: servertest.Letter}
	s.Unchanged(t, func() {
		for name, test := range map[string]struct {
			parts   []servertest.Part
			status  int
			message string
		}{
			"no part":      {nil, 400, "file is required"},
			"another part": {[]servertest.Part{{Name: "document", Filename: "a.txt", Content: []byte("a")}}, 400, "file is required"},
			"two files":    {[]servertest.Part{file, file}, 400, "file is required"},
			"an empty one": {[]servertest.Part{{Name: "file", Filename: "a.txt"}}, 400, "file is required"},
			"without name": {[]servertest.Part{{Name: "file", Content: []byte("a")}}, 400, "filename is required"},
		} {
			if got := submit(tenant, nil, test.parts...); got.Status != test.status || got.Text(t, "message") != test.message {
				t.Errorf("%s: got %d %s, want %d %s", name, got.Status, got.Body, test.status, test.message)
			}
		}
		for _, header := range []map[string]string{{"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://elsewhere.example"}} {
			submit(tenant, header, file).Want(t, http.StatusForbidden)
		}
		tenant.Control("POST /submissions", `{"file":"a"}`).Want(t, http.StatusUnsupportedMediaType)
		submit(tenant, map[string]string{"Host": "elsewhere.example"}, file).Want(t, http.StatusForbidden)
		contentType, body := servertest.Form(t, file)
		s.ControlWith(t, s.ControlClient, "POST /tenants/nobody/submissions", body, map[string]string{"Content-Type": contentType}).Want(t, http.StatusNotFound)
		s.ControlWith(t, s.ControlClient, "PUT /tenants/"+tenant.Name+"/outcomes", body, map[string]string{"Content-Type": contentType}).Want(t, http.StatusUnsupportedMediaType)
	})
}

// TestInquiryByControl checks that the response is that of the tenant's own inquiry, in
// every version, with the tenant's settings and for errors too.
func TestInquiryByControl(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, submissions: the response of each version and package of an inquiry")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"},"trailing_whitespace":true}`)
	txID := tenant.Submit("letter.txt", servertest.Letter)
	report := tenant.Control("GET /transactions/"+txID, "").Want(t, http.StatusOK).Text(t, "c_report_id")
	pending, _ := tenant.Announce("later.txt")
	var list struct{ Packages []struct{ ID, Kind string } }
	if err := json.Unmarshal([]byte(tenant.Control("GET /packages", "").Body), &list); err != nil {
		t.Fatal(err)
	}
	same := func(own, line string) {
		t.Helper()
		want, got := tenant.DoUnchecked(own, ""), tenant.Control(line, "")
		if want.Status != got.Status || cmp.Diff(withoutInquiry(t, want.Body), withoutInquiry(t, got.Body)) != "" {
			t.Errorf("%s: got %d\n%s\nwant %d\n%s", line, got.Status, got.Body, want.Status, want.Body)
		}
	}
	for _, p := range list.Packages {
		idType := map[string]string{"company": "transaction", "location": "sov"}[p.Kind]
		for _, id := range []string{txID, pending, servertest.Absent} {
			for version := 2; version <= 5; version++ {
				same(fmt.Sprintf("GET /data/v%d/%s/%s?idType=%s", version, p.ID, id, idType),
					fmt.Sprintf("GET /transactions/%s/inquiry?version=%d&package=%s", id, version, p.ID))
			}
		}
		same("GET /data/v1/"+p.ID+"/"+report, "GET /transactions/"+txID+"/inquiry?version=1&package="+p.ID)
	}
	same("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=sov", "GET /transactions/"+txID+"/inquiry?version=2&id_type=sov&package="+tenant.CompanyPackage)
	for query, message := range map[string]string{
		"": "version is required", "version=2": "package is required", "version=6&package=a": "version: ", "version=2&package=a&id_type=b": "id_type: ", "q=1": "unknown parameter",
	} {
		got := tenant.Control("GET /transactions/"+txID+"/inquiry?"+query, "").Want(t, http.StatusBadRequest)
		if !strings.Contains(got.Text(t, "message"), message) {
			t.Errorf("%s: got %s", query, got.Body)
		}
	}
}

// TestInquiryWindow checks that the control API can send a part of the locations, with
// the number of all locations.
func TestInquiryWindow(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, submissions: a part of the locations of an inquiry")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	var schedule strings.Builder
	schedule.WriteString("Loc #,Street Address,City,State,Zip,Building Value\n")
	for n := range 7 {
		fmt.Fprintf(&schedule, "%d,%d Mill Street,Springfield,IL,62701,500000\n", n+1, n+1)
	}
	txID := tenant.Submit("schedule.csv", []byte(schedule.String()))
	for _, test := range []struct{ version, query, locations, total string }{
		{"2", "", "0 1 2 3 4 5 6", ""},
		{"2", "&locations_from=2&locations=3", "2 3 4", "7"},
		{"5", "&locations_from=5", "5 6", "7"},
		{"3", "&locations=1", "0", "7"},
		{"4", "&locations_from=7&locations=3", "", "7"},
		{"2", "&locations_from=9223372036854775807", "", "7"},
		{"2", "&locations=0", "", "7"},
	} {
		got := tenant.Control("GET /transactions/"+txID+"/inquiry?version="+test.version+"&package="+tenant.LocationPackage+test.query, "").Want(t, http.StatusOK)
		locations := []string{}
		for _, location := range got.Get(t, "data").([]any) {
			street := location.(map[string]any)["facts"].(map[string]any)["location_address"].(string)
			number, _ := strconv.Atoi(strings.Fields(street)[0])
			locations = append(locations, strconv.Itoa(number-1))
		}
		if total := got.Header.Get("X-Understudy-Locations"); strings.Join(locations, " ") != test.locations || total != test.total {
			t.Errorf("version %s%s: locations %v of %q, want %s of %q", test.version, test.query, locations, total, test.locations, test.total)
		}
	}
	for _, query := range []string{"locations=-1", "locations_from=x"} {
		tenant.Control("GET /transactions/"+txID+"/inquiry?version=2&package="+tenant.LocationPackage+"&"+query, "").Want(t, http.StatusBadRequest)
	}
}

// withoutInquiry returns the body without what differs from one inquiry to the next.
func withoutInquiry(t *testing.T, body string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(body), &object); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, name := range []string{"tx_id", "tx_start_time", "tx_end_time", "response_time_secs", "transaction_id", "start_time", "end_time"} {
		delete(object, name)
	}
	return object
}

// TestListOfSubmissions checks search and paging.
func TestListOfSubmissions(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, submissions: listed by page, state and text")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"set*"},"facts":{"company_name":"ÉCLAIR & Söhne"}}`).Want(t, http.StatusOK)
	var ids []string
	for _, name := range []string{"letter.txt", "Ümlaut 100%.txt", "set_1.txt", "set_2.txt", "a\\b.txt"} {
		ids = append(ids, tenant.Submit(name, servertest.Letter))
	}
	list := func(query string) (found []string, before string) {
		t.Helper()
		var page struct {
			Transactions []struct {
				TxID string `json:"tx_id"`
			}
			Before string
		}
		body := tenant.Control("GET /transactions?"+query, "").Want(t, http.StatusOK).Body
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		for _, transaction := range page.Transactions {
			found = append(found, transaction.TxID)
		}
		return found, page.Before
	}
	for text, want := range map[string][]string{
		"":        {ids[4], ids[3], ids[2], ids[1], ids[0]},
		"éclair":  {ids[3], ids[2]},
		"ÜMLAUT":  {ids[1]},
		"100%":    {ids[1]},
		"set_2":   {ids[3]},
		`A\b`:     {ids[4]},
		"foxGLOV": {ids[4], ids[1], ids[0]},
		"nothing": nil,
	} {
		if got, _ := list("q=" + url.QueryEscape(text)); cmp.Diff(want, got) != "" {
			t.Errorf("q=%s: got %q, want %q", text, got, want)
		}
	}
	var all []string
	for before := ""; ; {
		page, next := list("limit=2" + before)
		if all = append(all, page...); next == "" {
			break
		}
		before = "&before=" + url.QueryEscape(next)
	}
	if want, _ := list(""); cmp.Diff(want, all) != "" {
		t.Errorf("pages have %q, want %q", all, want)
	}
	tenant.Control("GET /transactions?before=1", "").Want(t, http.StatusBadRequest)
}

// TestOutcomeOfSubmission checks that the outcome of a submission can be set unchanged,
// and that the next submission of the file then gets the same data.
func TestOutcomeOfSubmission(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, submissions: the result is an outcome that can be set")
	s := servertest.New(t)
	files, err := filepath.Glob(filepath.Join(servertest.Root(t), "examples", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
		first := tenant.Submit(filepath.Base(file), content)
		if status := tenant.Status(first).Text(t, "status"); status != "Completed" {
			continue // a script
		}
		exported := tenant.Control("GET /transactions/"+first+"/outcome", "").Want(t, http.StatusOK)
		tenant.Control("PUT /outcomes", exported.Body).Want(t, http.StatusOK)
		second := tenant.Submit(filepath.Base(file), content)
		if again := tenant.Control("GET /transactions/"+second+"/outcome", "").Want(t, http.StatusOK); again.Body != exported.Body {
			t.Errorf("%s: outcome of the second submission:\n%s\nof the first:\n%s", file, again.Body, exported.Body)
		}
		var list struct {
			Packages []struct{ ID, Content string }
		}
		if err := json.Unmarshal([]byte(tenant.Control("GET /packages", "").Body), &list); err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Packages {
			for version := 2; version <= 5; version++ {
				if version == 5 && p.Content == "" { // an outcome cannot name limits there
					continue
				}
				data := func(txID string) (values []any) {
					body := tenant.Control(fmt.Sprintf("GET /transactions/%s/inquiry?version=%d&package=%s", txID, version, p.ID), "").Want(t, http.StatusOK).Body
					return valuesIn(t, body)
				}
				if diff := cmp.Diff(data(first), data(second)); diff != "" {
					t.Errorf("%s, version %d of %s: (-first +second)\n%s", filepath.Base(file), version, p.ID, diff)
				}
			}
		}
	}
	tenant := s.NewTenant(`{}`)
	pending, _ := tenant.Announce("later.txt")
	tenant.Control("GET /transactions/"+pending+"/outcome", "").Want(t, http.StatusConflict)
	tenant.Control("GET /transactions/"+servertest.Absent+"/outcome", "").Want(t, http.StatusNotFound)
}

// valuesIn returns the facts and options in the response of an inquiry.
func valuesIn(t *testing.T, body string) (values []any) {
	t.Helper()
	var response any
	if err := json.Unmarshal([]byte(body), &response); err != nil {
		t.Fatal(err)
	}
	var visit func(any)
	visit = func(in any) {
		switch in := in.(type) {
		case []any:
			for _, entry := range in {
				visit(entry)
			}
		case map[string]any:
			if facts, ok := in["facts"].(map[string]any); ok {
				if strings.HasPrefix(fmt.Sprint(facts["location_id"]), "L") {
					delete(facts, "location_id") // the report id of version 5
				}
				values = append(values, in["facts"], in["options"])
				return
			}
			visit(in["data"])
		}
	}
	visit(response)
	return values
}

// TestDocumentOfSubmission checks the document of a submission, and the responses when it
// cannot be read.
func TestDocumentOfSubmission(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, submissions: the parsed document, a window at a time")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.Submit("letter.txt", servertest.Letter)
	path := "GET /transactions/" + txID + "/document"
	window := tenant.Control(path+"?place=letter.txt%2C+line+2", "").Want(t, http.StatusOK)
	if !strings.Contains(window.Body, `{"place":"letter.txt, line 2","text":"Mailing Address: `) {
		t.Errorf("got %s", window.Body)
	}
	first := tenant.Control(path+"?bytes=1", "").Want(t, http.StatusOK)
	if next := tenant.Control(path+"?bytes=1&from="+first.Text(t, "next"), "").Want(t, http.StatusOK); !strings.Contains(next.Body, `"blocks":[{"place":"letter.txt, line 2"`) {
		t.Errorf("second window: %s", next.Body)
	}
	for query, status := range map[string]int{
		"?part=1": 404, "?place=b": 404, "?page=0": 400, "?from=x": 400, "?bytes=0": 400, "?bytes=300000": 400, "?part=x": 400, "?q=1": 400,
	} {
		tenant.Control(path+query, "").Want(t, status)
	}
	unreadable := tenant.Submit("broken.pdf", []byte("%PDF-1.4 broken"))
	tenant.Control("GET /transactions/"+unreadable+"/document", "").Want(t, http.StatusUnprocessableEntity)
	pending, _ := tenant.Announce("later.txt")
	tenant.Control("GET /transactions/"+pending+"/document", "").Want(t, http.StatusNotFound)
	s.NewTenant(`{}`).Control(path, "").Want(t, http.StatusNotFound)
	for file := range s.StoredFiles() {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	tenant.Control(path, "").Want(t, http.StatusNotFound)
	if err := os.RemoveAll(s.Files); err != nil { // with the marker: the object store is away
		t.Fatal(err)
	}
	tenant.Control(path, "").Want(t, http.StatusServiceUnavailable)
}
