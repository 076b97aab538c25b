package archive_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

func export(s *servertest.Server, tenant string) string {
	s.T.Helper()
	return s.Tenant(tenant).Control("GET /archive", "").Want(s.T, http.StatusOK).Body
}

// load imports the stream, and checks the status and the body of the response.
func load(s *servertest.Server, tenant, stream string, status int, want string) {
	s.T.Helper()
	got := s.ControlWith(s.T, s.ControlClient, "POST /tenants/"+tenant+"/archive", stream, map[string]string{"Content-Type": "application/x-tar"})
	if got.Status != status || !strings.Contains(got.Body, want) {
		s.T.Errorf("import: %d %s, want %d %s", got.Status, got.Body, status, want)
	}
}

// statementOfValues returns a CSV file with that many locations.
func statementOfValues(locations int) []byte {
	var text strings.Builder
	text.WriteString("Loc #,Address,City,State,Zip,Building Value\n")
	for i := range locations {
		fmt.Fprintf(&text, "%d,%d Mill Street,Springfield,IL,62701,%d\n", i+1, i+1, 1000*(i+1))
	}
	return []byte(text.String())
}

// volatile matches the fields of inquiries that belong to the inquiry: its id, its times
// and its caller.
var volatile = regexp.MustCompile(`"(tx_id|tx_start_time|tx_end_time|response_time_secs|user_id)":("[^"]*"|[0-9.]+),`)

// shown returns everything that the API and the control API show of the submissions of
// acme.
func shown(s *servertest.Server, txIDs ...string) map[string]string {
	s.T.Helper()
	acme, all := s.Acme(), map[string]string{}
	for _, txID := range txIDs {
		var status servertest.Response
		for _, path := range []string{"v1", "v2", "v3", "v4"} {
			status = acme.Do("GET /universal/"+path+"/universal-submit/status/"+txID, "")
			all[txID+" status "+path] = status.Body
		}
		all[txID+" details"] = acme.Do("GET /universal/v4/universal-submit/status/"+txID+"/details", "").Body
		all[txID+" control"] = s.Tenant("acme").Control("GET /transactions/"+txID+"?real_times=true", "").Want(s.T, http.StatusOK).Body
		inquiries := []string{"v2/acme-us-c0001/" + txID + "?idType=transaction", "v2/acme-us-l0001/" + txID + "?idType=sov"}
		for _, version := range []string{"v3", "v4", "v5"} {
			inquiries = append(inquiries, version+"/acme-us-c0001/"+txID, version+"/acme-us-l0001/"+txID)
		}
		if strings.Contains(status.Body, "c_report_id") {
			report := status.Text(s.T, "c_report_id")
			inquiries = append(inquiries, "v1/acme-us-c0001/"+report, "v5/acme-us-c0001/"+report)
		}
		for _, inquiry := range inquiries {
			response := acme.Do("GET /data/"+inquiry, "")
			all[inquiry] = fmt.Sprint(response.Status, volatile.ReplaceAllString(response.Body, ""))
		}
	}
	return all
}

// TestSubmissionsAreCopied imports the submissions of a server into another one, which then
// shows the same. A second import changes nothing.
func TestSubmissionsAreCopied(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, configuration: submissions are exported and imported, with their results and files")
	source, target := servertest.New(t), servertest.Open(t)
	acme := source.Acme()
	pending, url := acme.Announce("pending.txt")
	source.Upload(url, "pending.txt", servertest.Letter).Want(t, http.StatusOK)
	announced, _ := acme.Announce("announced.txt")
	txIDs := []string{
		acme.Submit("letter.txt", servertest.Letter), acme.Submit("sov.csv", statementOfValues(2000)),
		acme.Submit("a.fail.txt", servertest.Letter), acme.Submit("a.review.txt", servertest.Letter), pending, announced,
	}
	inProgress := acme.SubmitFile("late.txt", servertest.Letter)
	stream := export(source, "acme")
	if !strings.Contains(stream, `"submissions":6,"left_out":1}`) || strings.Contains(stream, inProgress) {
		t.Errorf("archive.json: %.1000s", stream)
	}
	silent := func() string {
		return servertest.Value[string](target, "select concat((select count(*) from events), ' ', (select count(*) from feed), ' ', (select count(*) from deliveries))")
	}
	before := silent()
	target.Pass(1)
	load(target, "acme", stream, http.StatusOK, `{"imported":6,"skipped":0,"imported_companies":0,"skipped_companies":0,"missing_files":0,"problems":[]}`)
	if after := silent(); after != before {
		t.Errorf("events, feed and deliveries: %s before, %s after", before, after)
	}
	if diff := cmp.Diff(shown(source, txIDs...), shown(target, txIDs...)); diff != "" {
		t.Errorf("- source, + target:\n%s", diff)
	}
	late := func(path, _ string) bool { return strings.Contains(path, inProgress) }
	want := source.StoredFiles()
	maps.DeleteFunc(want, late)
	got := target.StoredFiles()
	if diff := cmp.Diff(slices.Sorted(maps.Values(want)), slices.Sorted(maps.Values(got))); diff != "" {
		t.Errorf("files (- source):\n%s", diff)
	}
	aged := servertest.Value[int](target, "select count(*) from submissions where aged_from = $1", target.Now())
	reports := servertest.Value[int](target, "select count(*) from reports where saved_at = $1", target.Now())
	if aged != 6 || reports != 3 {
		t.Errorf("the ages of %d submissions and %d reports count from the import", aged, reports)
	}
	target.Unchanged(t, func() {
		target.ControlWith(t, target.ControlClient, "GET /tenants/acme/archive", "", nil).Want(t, http.StatusOK)
	})
	load(target, "acme", stream, http.StatusOK, `{"imported":0,"skipped":6,"imported_companies":0,"skipped_companies":0,"missing_files":0,"problems":[]}`)
	if diff := cmp.Diff(shown(source, txIDs...), shown(target, txIDs...)); diff != "" {
		t.Errorf("after the second import, - source, + target:\n%s", diff)
	}
	if diff := cmp.Diff(got, target.StoredFiles()); diff != "" {
		t.Errorf("files after the second import:\n%s", diff)
	}
	// A submission with a file can be triggered on the new server.
	target.Acme().Trigger(pending).Want(t, http.StatusOK)
	target.Settle()
	if got := target.Acme().Status(pending).Text(t, "status"); got != "Completed" {
		t.Errorf("triggered after the import: %s", got)
	}
}

const bakery = `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`

// TestCompanySubmitsAreCopied imports the reports of company submits into another server,
// which then responds to inquiries as the first one. A second import changes nothing.
func TestCompanySubmitsAreCopied(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, configuration: reports of company submits are exported and imported")
	source, target := servertest.New(t), servertest.Open(t)
	var inquiries []string
	for range 3 {
		submitted := source.Acme().Do(servertest.SubmitCompany, bakery).Want(t, http.StatusOK)
		id, txID := submitted.Text(t, "c_report_id"), submitted.Text(t, "tx_id")
		inquiries = append(inquiries, "v1/acme-us-c0001/"+id, "v3/acme-us-c0001/"+txID, "v5/acme-us-c0001/"+id)
	}
	responses := func(s *servertest.Server) (all []string) {
		for _, inquiry := range inquiries {
			got := s.Acme().Do("GET /data/"+inquiry, "").Want(t, http.StatusOK)
			all = append(all, volatile.ReplaceAllString(got.Body, ""))
		}
		return all
	}
	stream := export(source, "acme")
	load(target, "acme", stream, http.StatusOK, `{"imported":0,"skipped":0,"imported_companies":3,"skipped_companies":0,`)
	want := responses(source)
	if diff := cmp.Diff(want, responses(target)); diff != "" {
		t.Errorf("- source, + target:\n%s", diff)
	}
	load(target, "acme", stream, http.StatusOK, `"imported_companies":0,"skipped_companies":3,`)
	if diff := cmp.Diff(want, responses(target)); diff != "" {
		t.Errorf("after the second import, - source, + target:\n%s", diff)
	}
	if n := servertest.Value[int](target, "select count(*) from events"); n != 0 {
		t.Errorf("the import published %d events", n)
	}
	load(target, "globex", stream, http.StatusConflict, "another transaction of this server has the ids of its report; 0 submissions were imported")
	load(target, "globex", strings.Replace(stream, "companies/acme-", "companies/ACME-", 1), http.StatusBadRequest, "The archive is damaged")
}

// TestOtherTenantKeepsSubmissions imports submissions that another tenant of the server
// has: the import ends with 409.
func TestOtherTenantKeepsSubmissions(t *testing.T) {
	s := servertest.New(t)
	txID := s.Acme().Submit("letter.txt", servertest.Letter)
	files := s.StoredFiles()
	load(s, "globex", export(s, "acme"), http.StatusConflict, "Transaction "+txID+": the submission belongs to another tenant of this server; 0 submissions were imported")
	if diff := cmp.Diff(files, s.StoredFiles()); diff != "" {
		t.Errorf("files:\n%s", diff)
	}
}

// TestTakenReportIDs imports a submission whose report ids another transaction has.
func TestTakenReportIDs(t *testing.T) {
	s := servertest.New(t)
	s.Acme().Submit("letter.txt", servertest.Letter)
	stream, files := export(s, "acme"), s.StoredFiles()
	s.Exec("delete from submissions")
	load(s, "acme", stream, http.StatusConflict, "another transaction of this server has the ids of its report")
	if n := servertest.Value[int](s, "select count(*) from submissions"); n != 0 || len(s.StoredFiles()) != len(files) {
		t.Errorf("%d submissions, %d files", n, len(s.StoredFiles()))
	}
}

// TestMissingFile exports a submission whose file is gone: its rows are copied, and the
// import says so.
func TestMissingFile(t *testing.T) {
	source, target := servertest.New(t), servertest.Open(t)
	txID := source.Acme().Submit("letter.txt", servertest.Letter)
	key := servertest.Value[string](source, "select object_key from submissions")
	if err := source.App.Objects.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	load(target, "acme", export(source, "acme"), http.StatusOK, `{"imported":1,"skipped":0,"imported_companies":0,"skipped_companies":0,"missing_files":1,"problems":["submission `+txID+`: the export did not find its file"]}`)
	if diff := cmp.Diff(shown(source, txID), shown(target, txID)); diff != "" {
		t.Errorf("- source, + target:\n%s", diff)
	}
	target.Tenant("acme").Control("GET /transactions/"+txID+"/document", "").Want(t, http.StatusNotFound)
}

// TestQuotas imports more submissions and bytes than the tenant's quotas allow.
func TestQuotas(t *testing.T) {
	s := servertest.New(t)
	for range 3 {
		s.Acme().Submit("letter.txt", servertest.Letter)
	}
	stream := export(s, "acme")
	for _, c := range []struct {
		settings string
		want     int
	}{{`{"max_submissions":2}`, 2}, {fmt.Sprintf(`{"max_stored_bytes":%d}`, len(servertest.Letter)+1), 1}, {`{"max_upload_bytes":2}`, 0}} {
		target := servertest.Open(t)
		target.Tenant("acme").Control("PATCH /settings", c.settings).Want(t, http.StatusOK)
		load(target, "acme", stream, http.StatusTooManyRequests, "Too Many Requests")
		if got := servertest.Value[int](target, "select count(*) from submissions"); got != c.want || len(target.StoredFiles()) != c.want {
			t.Errorf("%s: %d submissions, %d files", c.settings, got, len(target.StoredFiles()))
		}
	}
}

// TestImportOfSeededIDs imports the submissions of a tenant with an id seed into a tenant of
// the same name and seed: its new submissions get other ids.
func TestImportOfSeededIDs(t *testing.T) {
	source, target := servertest.New(t), servertest.Open(t)
	exported := source.NewNamedTenant("snapshot", `{"id_seed":7}`)
	const count = 40
	for range 4 {
		exported.Do(servertest.SubmitCompany, bakery).Want(t, http.StatusOK)
	}
	for range count {
		exported.SubmitFile("letter.txt", servertest.Letter)
	}
	source.Settle()
	imported := target.NewNamedTenant("snapshot", `{"id_seed":7}`)
	load(target, "snapshot", export(source, "snapshot"), http.StatusOK, fmt.Sprintf(`"imported":%d`, count))
	for range 2 {
		txID := imported.Submit("letter.txt", servertest.Letter)
		if status := imported.Status(txID).Text(t, "status"); status != "Completed" {
			t.Errorf("status %s", status)
		}
		imported.Do(servertest.SubmitCompany, bakery).Want(t, http.StatusOK)
	}
	load(target, "snapshot", export(target, "snapshot"), http.StatusOK, fmt.Sprintf(`"skipped":%d,"imported_companies":0,"skipped_companies":6`, count+2))
}
