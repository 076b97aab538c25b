package data_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

// through takes a line of version 2 to another version.
func through(version, line string) string {
	return strings.Replace(line, "/v2/universal-submit", "/"+version+"/universal-submit", 1)
}

// TestSubmitVersions: every version takes a file the same way, and any of them
// sees what another began.
func TestSubmitVersions(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	versions := []string{"v1", "v2", "v3", "v4"}
	for _, version := range versions {
		announced := acme.Do(through(version, uploadURL), `{"filename":"a.txt"}`).Want(t, http.StatusOK)
		txID := announced.Text(t, "tx_id")
		w.Upload(announced.Text(t, "upload_url"), "a.txt", servertest.Letter).Want(t, http.StatusOK)
		begun := acme.Do(through(version, "POST /universal/v2/universal-submit/file/"+txID), "").Want(t, http.StatusOK)
		keys(t, begun.Get(t), "tx_id:s tx_start_time:s tx_end_time:s response_time_secs:n tenant_id:s status:s")
		for _, other := range versions {
			acme.Do(through(other, "POST /universal/v2/universal-submit/file/"+txID), "").Want(t, http.StatusOK, begun.Body)
		}
		for _, state := range []struct {
			after                 time.Duration
			status, txStatus, ids string
		}{
			{0, "Submission_in_progress", "Scheduled", ""},
			{500 * time.Millisecond, "Scheduled", "Scheduled", ""},
			{time.Second, "Started", "Started", ""},
			{2 * time.Second, "Completed", "COMPLETED", " c_report_id:s l_report_id:s"},
		} {
			w.Pass(state.after)
			w.Work()
			answers := map[string]map[string]any{}
			for _, other := range versions {
				got := acme.Do(through(other, "GET /universal/v2/universal-submit/status/"+txID), "").Want(t, http.StatusOK)
				answers[other] = got.Get(t).(map[string]any)
				if got.Text(t, "status") != state.status {
					t.Errorf("%s: %s, want %s", other, got.Body, state.status)
				}
			}
			keys(t, answers["v4"], "tx_id:s tenant_id:s user_id:s tx_start_time:s tx_end_time:s response_time_secs:n status:s tx_status:s"+state.ids)
			if answers["v4"]["tx_status"] != state.txStatus {
				t.Errorf("tx_status %v, want %s", answers["v4"]["tx_status"], state.txStatus)
			}
			delete(answers["v4"], "tx_status")
			for _, other := range versions {
				if diff := cmp.Diff(answers["v2"], answers[other]); diff != "" {
					t.Errorf("v2 and %s:\n%s", other, diff)
				}
			}
		}
	}
}

// TestTxStatus: version 4's second word, at every end and before the trigger.
// The tenant's vocabulary changes neither word.
func TestTxStatus(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	pending, _ := acme.Announce("a.txt")
	for _, vocabulary := range []string{"processing", "polling"} {
		w.Settings("acme", `{"status_vocabulary":"`+vocabulary+`"}`)
		for txID, want := range map[string]string{
			pending:                                 "Pending Scheduled",
			acme.Submit("a.txt", servertest.Letter): "Completed COMPLETED",
			acme.Submit("a.fail.txt", servertest.Letter):   "Failed FAILED",
			acme.Submit("a.review.txt", servertest.Letter): "Completed Review_required",
			acme.Submit("a.bin", []byte("\x01")):           "Failed FAILED",
		} {
			got := acme.Do("GET /universal/v4/universal-submit/status/"+txID, "").Want(t, http.StatusOK)
			if words := got.Text(t, "status") + " " + got.Text(t, "tx_status"); words != want {
				t.Errorf("%s: %s, want %s", vocabulary, words, want)
			}
		}
	}
	// What is to be reviewed can be read.
	acme.Do("GET /data/v4/acme-us-c0001/"+acme.Submit("b.review.txt", servertest.Letter), "").Want(t, http.StatusOK)
}

// TestVersionPermissions: each version has permissions of its own, save that
// those of v3 allow v4, and those of data v2 the later ones.
func TestVersionPermissions(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID := acme.Submit("a.txt", servertest.Letter)
	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", servertest.Letter})
	calls := map[string]call{}
	for _, version := range []string{"v1", "v2", "v3", "v4"} {
		calls[version+" post url"] = servertest.Call{Line: through(version, uploadURL), Body: `{"filename":"a.txt"}`}
		calls[version+" post trigger"] = servertest.Call{Line: through(version, "POST /universal/v2/universal-submit/file/"+txID)}
		calls[version+" get"] = servertest.Call{Line: through(version, "GET /universal/v2/universal-submit/status/"+txID)}
	}
	for _, version := range []string{"v3", "v4"} {
		calls[version+" post file"] = servertest.Call{Line: "POST /universal/" + version + "/universal-submit/file", Header: header("", kind), Body: body}
	}
	for _, version := range []string{"v2", "v3", "v4", "v5"} {
		calls["data "+version] = servertest.Call{Line: "GET /data/" + version + "/acme-us-c0001/" + txID + "?idType=transaction"}
	}
	for permission, allowed := range map[string]string{
		"::universal/v1/universal-submit:get":  "v1 get",
		"::universal/v1/universal-submit:post": "v1 post trigger, v1 post url",
		"::universal/v2/universal-submit:get":  "v2 get",
		"::universal/v2/universal-submit:post": "v2 post trigger, v2 post url",
		"::universal/v3/universal-submit:get":  "v3 get, v4 get",
		"::universal/v3/universal-submit:post": "v3 post file, v3 post trigger, v3 post url, v4 post file, v4 post trigger, v4 post url",
		"::data/v1:get":                        "",
		"::data/v2:get":                        "data v2, data v3, data v4, data v5",
	} {
		w.Exec("update clients set permissions = $1 where id = 'acme-client'", []string{permission})
		w.Pass(time.Second)
		var got []string
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			c := calls[name]
			c.Token, c.Key = acme.Token, acme.Key
			answer := w.Do(c)
			if answer.Status == http.StatusOK {
				got = append(got, name)
				continue
			}
			answer.Want(t, http.StatusForbidden, notPermitted)
		}
		if diff := cmp.Diff(allowed, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s allows (- want, + got):\n%s", permission, diff)
		}
	}
}

// TestInquiryVersions: from version 3 on, the package tells the shape, and any
// of the ids will do.
func TestInquiryVersions(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID := acme.Submit("servertest.Letter.txt", servertest.Letter)
	w.report(txID, everything())
	status := acme.Status(txID)
	company := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	sov := acme.Do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	for _, id := range []string{txID, status.Text(t, "c_report_id"), status.Text(t, "l_report_id")} {
		for _, query := range []string{"", "?idType=transaction", "?idType=sov", "?idType=", "?idType=nonsense"} {
			for _, version := range []string{"v3", "v4"} {
				c := acme.Do("GET /data/"+version+"/acme-us-c0001/"+id+query, "").Want(t, http.StatusOK)
				checkCompanyV2(t, c)
				l := acme.Do("GET /data/"+version+"/acme-us-l0001/"+id+query, "").Want(t, http.StatusOK)
				checkLocationsV2(t, l)
				if plain(c) != plain(company) || plain(l) != plain(sov) {
					t.Errorf("%s %s%s is not as v2 is", version, id, query)
				}
			}
			// Version 5: the same, in other places.
			c := acme.Do("GET /data/v5/acme-us-c0001/"+id+query, "").Want(t, http.StatusOK)
			keys(t, c.Get(t), headFields+"response_time_secs:s doc_reference_id:s seed_input:o cleansed_input:o data:a additional_data:o")
			one := c.Get(t, "data").([]any)
			if len(one) != 1 {
				t.Fatalf("data %v", one)
			}
			keys(t, one[0], "facts:o options:o scores:o")
			want := company.Get(t, "data").(map[string]any)
			want["scores"] = company.Get(t, "scores")
			if diff := cmp.Diff(want, one[0]); diff != "" {
				t.Errorf("company of v5:\n%s", diff)
			}
			l := acme.Do("GET /data/v5/acme-us-l0001/"+id+query, "").Want(t, http.StatusOK)
			keys(t, l.Get(t), headFields+"response_time_secs:s doc_reference_id:s data:a additional_data:o")
			if diff := cmp.Diff(sov.Get(t, "data"), l.Get(t, "data")); diff != "" {
				t.Errorf("locations of v5:\n%s", diff)
			}
		}
	}
	// No locations: an array still.
	w.report(txID, enrich.Report{})
	none := acme.Do("GET /data/v5/acme-us-l0001/"+txID, "").Want(t, http.StatusOK)
	if !strings.HasSuffix(none.Body, `"data":[],"additional_data":{}}`) {
		t.Errorf("answer %s", none.Body)
	}
}

// plain is an answer's body without what is fresh in each.
func plain(a servertest.Response) string {
	start := strings.Index(a.Body, `"data_package_id"`)
	return a.Body[start:]
}

// TestInquiryOfCompanySubmit: a company submit's ids are good from version 3
// on.
func TestInquiryOfCompanySubmit(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	done := acme.Do(companySubmit, `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`).Want(t, http.StatusOK)
	for _, id := range []string{"tx_id", "c_report_id", "l_report_id"} {
		for _, version := range []string{"v3", "v4", "v5"} {
			got := acme.Do("GET /data/"+version+"/acme-us-c0001/"+done.Text(t, id), "").Want(t, http.StatusOK)
			if got.Text(t, "doc_reference_id") != done.Text(t, "tx_id") || got.Text(t, "c_report_id") != done.Text(t, "c_report_id") {
				t.Errorf("%s %s: %s", version, id, got.Body)
			}
		}
	}
}

func TestLaterInquiryRefusals(t *testing.T) {
	w := servertest.New(t)
	acme, globex := w.Acme(), w.Globex()
	done, theirs := acme.Submit("servertest.Letter.txt", servertest.Letter), globex.Submit("servertest.Letter.txt", servertest.Letter)
	failed := acme.Submit("noise.bin", []byte(noise(5000)))
	pending, _ := acme.Announce("a.txt")
	report, theirReport := acme.Status(done), globex.Status(theirs)
	company := globex.Do(companySubmit, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)

	const noPackage, noReport = `{"message":"Data package not found"}`, `{"message":"Report not found"}`
	const incomplete = `{"message":"Transaction is not complete","status":`
	for _, version := range []string{"v3", "v4", "v5"} {
		for _, c := range []struct {
			path, body string
			status     int
		}{
			{"acme-us-c0002/" + done, noPackage, 404},
			{"globex-us-c0001/" + done, noPackage, 404},
			{"globex-us-l0001/" + theirReport.Text(t, "c_report_id"), noPackage, 404},
			{"%00/" + done, noPackage, 404},
			{"acme-us-c0001/" + absent, noSuch, 404},
			{"acme-us-c0001/" + theirs, noSuch, 404},
			{"acme-us-l0001/" + theirs, noSuch, 404},
			{"acme-us-c0001/" + company.Text(t, "tx_id"), noSuch, 404},
			{"acme-us-c0001/%00", noSuch, 404},
			{"acme-us-c0001/%FF", noSuch, 404},
			{"acme-us-c0001/" + strings.ToLower(report.Text(t, "c_report_id")), noSuch, 404},
			{"acme-us-c0001/CUS1187A2AAE214E4540", noReport, 404},
			{"acme-us-c0001/LZZ0", noReport, 404},
			{"acme-us-c0001/" + theirReport.Text(t, "c_report_id"), noReport, 404},
			{"acme-us-l0001/" + theirReport.Text(t, "l_report_id"), noReport, 404},
			{"acme-us-l0001/" + company.Text(t, "c_report_id"), noReport, 404},
			{"acme-us-c0001/" + pending, incomplete + `"Pending"}`, 409},
			{"acme-us-l0001/" + pending, incomplete + `"Pending"}`, 409},
			{"acme-us-l0001/" + failed, incomplete + `"Failed"}`, 409},
		} {
			w.refused(t, servertest.Call{Line: "GET /data/" + version + "/" + c.path, Token: acme.Token, Key: acme.Key}, c.status, c.body)
		}
	}
}

// TestQuickSubmit: a company submit and its report in one answer.
func TestQuickSubmit(t *testing.T) {
	w := servertest.New(t)
	acme, companyOnly := w.Acme(), w.Login(demoOf("acme-company-client"))
	const line = "POST /company/v1/quick_submit?dpid=acme-us-c0001"
	const body = `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`
	submitted := acme.Do(companySubmit, body).Want(t, http.StatusOK)
	for _, c := range []servertest.Client{acme, companyOnly} {
		got := c.Do(line, body).Want(t, http.StatusOK)
		checkCompanyV1(t, got)
		if !companyTxID.MatchString(got.Text(t, "tx_id")) || got.Text(t, "c_report_id") == submitted.Text(t, "c_report_id") {
			t.Errorf("ids of %s", got.Body)
		}
		later := acme.Do("GET /data/v1/acme-us-c0001/"+got.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		for _, name := range []string{"data_package_id", "seed_input", "cleansed_input", "data", "scores", "l_report_id", "tenant_id"} {
			if diff := cmp.Diff(later.Get(t, name), got.Get(t, name)); diff != "" {
				t.Errorf("%s (- inquiry, + quick submit):\n%s", name, diff)
			}
		}
		if known(t, got.Get(t, "data"), field.Report)["company_id"] != true || got.Text(t, "data", "company_id") != got.Text(t, "c_report_id") {
			t.Errorf("company_id of %s", got.Body)
		}
	}

	faults := w.faults()
	w.Exec("update clients set permissions = '{}' where id = 'acme-company-client'")
	w.Pass(time.Second)
	const noPackage = `{"message":"Data package not found"}`
	w.orderly(t, servertest.Call{Line: line, Body: body, Token: acme.Token, Key: acme.Key}, append(faults,
		fault{"body", func(c *call) { c.body = `[]` }, 400, `{"message":"Invalid request body"}`},
		fault{"company_name", func(c *call) { c.body = `{}` }, 400, `{"message":"company_name is required"}`},
		fault{"address", func(c *call) { c.body = `{"company_name":"A"}` }, 400, `{"message":"address is required"}`},
		fault{"package", func(c *call) { c.line = strings.Replace(c.line, "acme-us-c0001", "acme-us-c0009", 1) }, 404, noPackage},
	))
	for _, query := range []string{"", "?dpid=", "?dpid=acme-us-l0001", "?dpid=globex-us-c0001", "?dpid=%00", "?dpid=%FF", "?DPID=acme-us-c0001"} {
		w.refused(t, servertest.Call{Line: "POST /company/v1/quick_submit" + query, Body: body, Token: acme.Token, Key: acme.Key}, http.StatusNotFound, noPackage)
	}
}

// TestKnownByName: what is known only by its name says so to who may call it.
func TestKnownByName(t *testing.T) {
	w := servertest.New(t)
	acme, faults := w.Acme(), w.faults()
	for _, line := range []string{
		"POST /location/v1/location_submit", "GET /audit/v1/report/" + absent,
	} {
		good := servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}
		w.orderly(t, good, append(faults, fault{"nothing", func(*call) {}, 501, `{"message":"Not Implemented"}`}))
	}
	// A path of any length, which the document has no words for.
	w.DoWith(http.DefaultClient, servertest.Call{Line: "GET /audit/v1/report/a/b", Token: acme.Token, Key: acme.Key}).
		Want(t, http.StatusNotImplemented, `{"message":"Not Implemented"}`)
	for _, line := range []string{
		"GET /location/v1/location_submit", "POST /audit/v1/report/x", "GET /audit/v1/report", "POST /location/v2/location_submit",
		"POST /universal/v1/universal-submit/file", "POST /universal/v2/universal-submit/file", "GET /universal/v3/universal-submit/file",
		"PUT /universal/v4/universal-submit/file", "POST /universal/v5/universal-submit/file-upload-url", "GET /data/v6/acme-us-c0001/" + absent,
		"GET /company/v1/quick_submit?dpid=acme-us-c0001", "POST /company/v2/quick_submit",
	} {
		w.refused(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}, http.StatusForbidden, `{"message":"Missing Authentication Token"}`)
	}
}
