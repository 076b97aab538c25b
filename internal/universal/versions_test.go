package universal_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

var versions = []string{"v1", "v2", "v3", "v4"}

// inVersion returns the line of version 2 in another version.
func inVersion(version, line string) string {
	return strings.Replace(line, "/v2/", "/"+version+"/", 1)
}

// TestVersions submits a file through every version, and reads its status and
// triggers it again through every other.
func TestVersions(t *testing.T) {
	servertest.Proves(t, "Versioning: 2 more versions in the permission strings",
		"Chosen, universal submit: versions 1 to 4 on the same paths, version 1 as version 2",
		"Chosen, universal submit: status of version 4: status and tx_status")
	s := servertest.New(t)
	acme := s.Acme()
	for _, version := range versions {
		announced := acme.Do(inVersion(version, servertest.GetUploadURL), `{"filename":"a.txt"}`).Want(t, http.StatusOK)
		txID := announced.Text(t, "tx_id")
		trigger, status := "POST /universal/v2/universal-submit/file/"+txID, "GET /universal/v2/universal-submit/status/"+txID
		s.Upload(announced.Text(t, "upload_url"), "a.txt", servertest.Letter).Want(t, http.StatusOK)
		triggered := acme.Do(inVersion(version, trigger), "").Want(t, http.StatusOK)
		servertest.CheckKeys(t, triggered.Get(t), "tx_id:s tx_start_time:s tx_end_time:s response_time_secs:n tenant_id:s status:s")
		for _, other := range versions {
			acme.Do(inVersion(other, trigger), "").Want(t, http.StatusOK, triggered.Body)
		}
		for _, state := range []struct {
			after                    time.Duration
			status, txStatus, report string
		}{
			{0, "Submission_in_progress", "Scheduled", ""},
			{500 * time.Millisecond, "Scheduled", "Scheduled", ""},
			{time.Second, "Started", "Started", ""},
			{2 * time.Second, "Completed", "COMPLETED", " c_report_id:s l_report_id:s"},
		} {
			s.Pass(state.after)
			s.Work()
			responses := map[string]map[string]any{}
			for _, other := range versions {
				response := acme.Do(inVersion(other, status), "").Want(t, http.StatusOK)
				responses[other] = response.Get(t).(map[string]any)
				if response.Text(t, "status") != state.status {
					t.Errorf("%s: %s, want status %s", other, response.Body, state.status)
				}
			}
			v4 := responses["v4"]
			servertest.CheckKeys(t, v4, "tx_id:s tenant_id:s user_id:s tx_start_time:s tx_end_time:s response_time_secs:n status:s tx_status:s"+state.report)
			if v4["tx_status"] != state.txStatus {
				t.Errorf("tx_status %v, want %s", v4["tx_status"], state.txStatus)
			}
			delete(v4, "tx_status")
			for _, other := range versions {
				if diff := cmp.Diff(responses["v2"], responses[other]); diff != "" {
					t.Errorf("status (- v2, + %s):\n%s", other, diff)
				}
			}
		}
	}
}

// TestTxStatus checks version 4's tx_status before the trigger and at every end.
// The tenant's vocabulary changes neither it nor the status beside it.
func TestTxStatus(t *testing.T) {
	servertest.Proves(t,
		"Chosen, file names: .review. ends version 4 in Review_required",
		"Chosen, universal submit: status of version 4: status and tx_status")
	s := servertest.New(t)
	acme := s.Acme()
	pending, _ := acme.Announce("a.txt")
	for _, vocabulary := range []string{"processing", "polling"} {
		s.Settings("acme", `{"status_vocabulary":"`+vocabulary+`"}`)
		for txID, want := range map[string]string{
			pending:                                 "Pending Scheduled",
			acme.Submit("a.txt", servertest.Letter): "Completed COMPLETED",
			acme.Submit("a.fail.txt", servertest.Letter):   "Failed FAILED",
			acme.Submit("a.review.txt", servertest.Letter): "Completed Review_required",
			acme.Submit("a.bin", []byte("\x01")):           "Failed FAILED",
		} {
			response := acme.Do("GET /universal/v4/universal-submit/status/"+txID, "").Want(t, http.StatusOK)
			if got := response.Text(t, "status") + " " + response.Text(t, "tx_status"); got != want {
				t.Errorf("vocabulary %s: %s, want %s", vocabulary, got, want)
			}
		}
	}
	// The data of a submission that a person should review can be read.
	acme.Do("GET /data/v4/acme-us-c0001/"+acme.Submit("b.review.txt", servertest.Letter), "").Want(t, http.StatusOK)
}

// TestVersionPermissions checks which calls each permission allows: every version
// has its own, but version 4 has those of version 3.
func TestVersionPermissions(t *testing.T) {
	servertest.Proves(t,
		"Access token response: permission strings",
		"Versioning: 2 more versions in the permission strings",
		"Chosen, universal submit: each version has its permissions, version 4 those of version 3")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("a.txt", servertest.Letter)
	kind, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
	calls := map[string]servertest.Call{}
	for _, version := range versions {
		calls[version+" post url"] = servertest.Call{Line: inVersion(version, servertest.GetUploadURL), Body: `{"filename":"a.txt"}`}
		calls[version+" post trigger"] = servertest.Call{Line: inVersion(version, "POST /universal/v2/universal-submit/file/"+txID)}
		calls[version+" get"] = servertest.Call{Line: inVersion(version, "GET /universal/v2/universal-submit/status/"+txID)}
	}
	for _, version := range []string{"v3", "v4"} {
		calls[version+" post file"] = servertest.Call{Line: "POST /universal/" + version + "/universal-submit/file", Header: contentType(kind), Body: body}
	}
	for permission, want := range map[string]string{
		"::universal/v1/universal-submit:get":  "v1 get",
		"::universal/v1/universal-submit:post": "v1 post trigger, v1 post url",
		"::universal/v2/universal-submit:get":  "v2 get",
		"::universal/v2/universal-submit:post": "v2 post trigger, v2 post url",
		"::universal/v3/universal-submit:get":  "v3 get, v4 get",
		"::universal/v3/universal-submit:post": "v3 post file, v3 post trigger, v3 post url, v4 post file, v4 post trigger, v4 post url",
		"::data/v1:get":                        "",
		"::data/v2:get":                        "",
	} {
		s.Exec("update clients set permissions = $1 where id = 'acme-client'", []string{permission})
		s.Pass(time.Second)
		var allowed []string
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			call := calls[name]
			call.Token, call.Key = acme.Token, acme.Key
			response := s.Do(call)
			if response.Status == http.StatusOK {
				allowed = append(allowed, name)
				continue
			}
			response.Want(t, http.StatusForbidden, servertest.NotPermitted)
		}
		if diff := cmp.Diff(want, strings.Join(allowed, ", ")); diff != "" {
			t.Errorf("%s allows (- want, + got):\n%s", permission, diff)
		}
	}
}

// TestUnknownVersions checks that routes are refused that a version does not have.
func TestUnknownVersions(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	for _, line := range []string{
		"POST /universal/v1/universal-submit/file", "POST /universal/v2/universal-submit/file", // direct submission came with version 3
		"GET /universal/v3/universal-submit/file", "PUT /universal/v4/universal-submit/file",
		"POST /universal/v5/universal-submit/file-upload-url",
	} {
		s.Refused(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}, http.StatusForbidden, servertest.UnknownRoute)
	}
}
