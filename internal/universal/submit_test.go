package universal_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/server/servertest"
)

// servertest.Letter is a document that can be read.
const (
	uploadURL   = "POST /universal/v2/universal-submit/file-upload-url"
	noSuch      = `{"message":"Transaction not found"}`
	notUploaded = `{"message":"File has not been uploaded"}`
)

func TestUploadURLRefusals(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	for name, body := range map[string]string{
		"missing":                  `{}`,
		"another key":              `{"file_name":"a.txt"}`,
		"key in another case":      `{"Filename":"a.txt"}`,
		"empty":                    `{"filename":""}`,
		"blank":                    `{"filename":" \t\n"}`,
		"blank beyond ASCII":       `{"filename":"\u00a0\u2003"}`,
		"null":                     `{"filename":null}`,
		"number":                   `{"filename":1}`,
		"boolean":                  `{"filename":true}`,
		"array":                    `{"filename":["a.txt"]}`,
		"object":                   `{"filename":{"filename":"a.txt"}}`,
		"256 bytes":                `{"filename":"` + strings.Repeat("a", 252) + `.txt"}`,
		"256 bytes in 128 letters": `{"filename":"` + strings.Repeat("é", 128) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(t, servertest.Call{Line: uploadURL, Token: acme.Token, Key: acme.Key, Body: body}, http.StatusBadRequest, `{"message":"filename is required"}`)
		})
	}
}

func TestUploadURL(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	seen := map[string]bool{}
	for _, filename := range []string{"a.txt", "a.txt", "a", strings.Repeat("a", 251) + ".txt", strings.Repeat("é", 127) + "x", " a b .txt", "../a.txt", "a\t.txt"} {
		txID, address := acme.Announce(filename)
		if id, err := uuid.Parse(txID); err != nil || id.String() != txID || seen[txID] {
			t.Errorf("tx_id %s", txID)
		}
		seen[txID] = true
		u, err := url.Parse(address)
		if err != nil || u.Scheme+"://"+u.Host != w.URL || u.Path != "/file-transfer/upload-file" || len(u.Query()) != 1 {
			t.Errorf("upload_url %s", address)
		}
		data, err := base64.RawURLEncoding.DecodeString(u.Query().Get("data"))
		if err != nil || len(data) < 128/8 || seen[string(data)] {
			t.Errorf("data of %s", address)
		}
		seen[string(data)] = true
		if got := servertest.Value[string](w, "select filename from submissions where tx_id = $1", txID); got != filename {
			t.Errorf("filename %q, want %q", got, filename)
		}
	}
}

func TestPublicURL(t *testing.T) {
	for _, public := range []string{"https://submit.example.com", "https://submit.example.com/", "http://host.example:8443"} {
		t.Run(public, func(t *testing.T) {
			w := servertest.New(t, func(o *servertest.Options) { o.PublicURL = public })
			_, address := w.Acme().Announce("a.txt")
			base := strings.TrimSuffix(public, "/") + "/file-transfer/upload-file?data="
			data, found := strings.CutPrefix(address, base)
			if !found {
				t.Fatalf("upload_url %s", address)
			}
			w.Upload(w.URL+"/file-transfer/upload-file?data="+data, "a.txt", servertest.Letter).Want(t, http.StatusOK)
		})
	}
}

func TestBadPublicURL(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"host.example:8443", "not a url", "ftp://host.example", "https://", "https://host.example/?a=b"} {
		if said := servertest.Refusal(t, "--data-dir", t.TempDir(), "PUBLIC_URL="+bad); !strings.Contains(said, "PUBLIC_URL") {
			t.Errorf("with %q it says %s", bad, said)
		}
	}
}

// malformed are ids that no transaction can have, as a path holds them.
var malformed = []string{"x", "1", "null", "%20", "a%2Fb", "..%2F..", "%00", "%ff", "%FF", strings.Repeat("a", 4000), "acme-" + absent}

func TestUnknownTransactions(t *testing.T) {
	w := servertest.New(t)
	acme, globex := w.Acme(), w.Globex()
	own := acme.Submit("a.txt", servertest.Letter)
	pending, _ := acme.Announce("a.txt")
	variants := []string{strings.ToUpper(own), "{" + own + "}", "urn:uuid:" + own, strings.ReplaceAll(own, "-", ""), own + "%20", own + "x", own[:35]}
	for _, line := range []string{
		"POST /universal/v2/universal-submit/file/",
		"GET /universal/v2/universal-submit/status/",
		"GET /data/v2/globex-us-c0001/ID?idType=transaction",
		"GET /data/v2/globex-us-l0001/ID?idType=sov",
	} {
		at := func(id string) string {
			if strings.Contains(line, "ID") {
				return strings.Replace(line, "ID", id, 1)
			}
			return line + id
		}
		for _, id := range slices.Concat(malformed, []string{absent, uuid.Nil.String()}) {
			w.refused(t, servertest.Call{Line: at(id), Token: globex.Token, Key: globex.Key}, http.StatusNotFound, noSuch)
		}
		for _, id := range variants {
			w.refused(t, servertest.Call{Line: strings.Replace(at(id), "globex", "acme", 1), Token: acme.Token, Key: acme.Key}, http.StatusNotFound, noSuch)
		}
		// Another tenant's answers exactly as one that nobody has.
		unknown := w.refused(t, servertest.Call{Line: at(absent), Token: globex.Token, Key: globex.Key}, http.StatusNotFound, noSuch)
		for _, foreign := range []string{own, pending} {
			got := w.refused(t, servertest.Call{Line: at(foreign), Token: globex.Token, Key: globex.Key}, http.StatusNotFound, noSuch)
			for _, header := range []http.Header{unknown.Header, got.Header} {
				header.Del("Date")
				header.Del("X-Request-Id")
			}
			if diff := cmp.Diff(unknown, got); diff != "" {
				t.Errorf("%s: a foreign transaction shows:\n%s", line, diff)
			}
		}
	}
}

func TestTriggerWithoutUpload(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	w.refused(t, servertest.Call{Line: "POST /universal/v2/universal-submit/file/" + txID, Token: acme.Token, Key: acme.Key}, http.StatusConflict, notUploaded)
	w.Upload(url, "a.txt", nil).Want(t, http.StatusBadRequest)
	w.refused(t, servertest.Call{Line: "POST /universal/v2/universal-submit/file/" + txID, Token: acme.Token, Key: acme.Key}, http.StatusConflict, notUploaded)
	w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	// The upload counts, not its address's age.
	w.Pass(time.Hour)
	acme.Trigger(txID).Want(t, http.StatusOK)
}

func TestTriggerAgain(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	first := acme.Trigger(txID).Want(t, http.StatusOK)
	for _, wait := range []time.Duration{0, 500 * time.Millisecond, time.Second, 2 * time.Second, 11 * time.Hour} {
		w.Pass(wait)
		w.Unchanged(t, func() { acme.Trigger(txID).Want(t, http.StatusOK, first.Body) })
		w.Work()
		w.Unchanged(t, func() { acme.Trigger(txID).Want(t, http.StatusOK, first.Body) })
	}
	w.oneRun(t, txID)
}

// oneRun wants a submission to have been processed once, and completed.
func (w *servertest.Server) oneRun(t *testing.T, txID string) {
	t.Helper()
	if got := w.Timeline(txID); got != "Submission_in_progress Scheduled Started Completed" {
		t.Errorf("timeline %s", got)
	}
	if attempt := servertest.Value[int](w, "select attempt from submissions where tx_id = $1", txID); attempt != 1 {
		t.Errorf("%d attempts", attempt)
	}
	if reports := servertest.Value[int](w, "select count(*) from reports where tx_id = $1", txID); reports != 1 {
		t.Errorf("%d reports", reports)
	}
}

func TestTriggersAtOnce(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	var all sync.WaitGroup
	answers := make([]servertest.Response, 50)
	for i := range answers {
		all.Go(func() { answers[i] = acme.Trigger(txID) })
	}
	all.Wait()
	for _, a := range answers {
		a.Want(t, http.StatusOK, answers[0].Body)
	}
	// Several workers at once, too.
	for range 4 {
		w.Pass(2 * time.Second)
		for range 8 {
			all.Go(w.work)
		}
		all.Wait()
	}
	acme.Trigger(txID).Want(t, http.StatusOK, answers[0].Body)
	w.oneRun(t, txID)
}

var reportID = regexp.MustCompile(`^[CL][A-Z]{2}1[0-9A-F]{16}$`)

func TestStatusesNeverGoBack(t *testing.T) {
	for vocabulary, want := range map[string][]string{
		``:           {"Pending", "Submission_in_progress", "Scheduled", "Started", "Completed"},
		`processing`: {"Pending", "Submission_in_progress", "Scheduled", "Started", "Completed"},
		`polling`:    {"Pending", "Started", "Succeeded"},
	} {
		t.Run("vocabulary "+vocabulary, func(t *testing.T) {
			w := servertest.New(t)
			acme := w.Acme()
			if vocabulary != "" {
				w.Settings("acme", `{"status_vocabulary":"`+vocabulary+`"}`)
			}
			txID, url := acme.Announce("a.txt")
			w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
			var seen []string
			poll := func() servertest.Response {
				got := acme.Status(txID).Want(t, http.StatusOK)
				status := got.Text(t, "status")
				if len(seen) == 0 || seen[len(seen)-1] != status {
					seen = append(seen, status)
				}
				final := status == "Completed" || status == "Succeeded"
				if strings.Contains(got.Body, "report_id") != final || (got.Text(t, "tx_end_time") != "") != final {
					t.Errorf("status %s", got.Body)
				}
				if !final {
					acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").
						Want(t, http.StatusConflict, `{"message":"Transaction is not complete","status":"`+status+`"}`)
				}
				return got
			}
			poll()
			acme.Trigger(txID).Want(t, http.StatusOK)
			for range 100 {
				poll()
				w.Pass(50 * time.Millisecond)
				w.Work()
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("statuses (- want, + got):\n%s", diff)
			}
			end := poll()
			for _, id := range []string{end.Text(t, "c_report_id"), end.Text(t, "l_report_id")} {
				if !reportID.MatchString(id) {
					t.Errorf("report id %s", id)
				}
			}
			w.Pass(10 * time.Hour)
			w.Work()
			acme.Status(txID).Want(t, http.StatusOK, end.Body)
			w.oneRun(t, txID)
		})
	}
}

func TestSlowFilename(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("policy.slow.txt")
	w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	acme.Trigger(txID).Want(t, http.StatusOK)
	for _, step := range []struct {
		wait   time.Duration
		status string
	}{
		{5*time.Second - time.Millisecond, "Submission_in_progress"},
		{time.Millisecond, "Scheduled"},
		{10*time.Second - time.Millisecond, "Scheduled"},
		{time.Millisecond, "Started"},
		{20*time.Second - time.Millisecond, "Started"},
		{time.Millisecond, "Completed"},
	} {
		w.Pass(step.wait)
		w.Work()
		if got := acme.Status(txID).Text(t, "status"); got != step.status {
			t.Fatalf("status %s, want %s", got, step.status)
		}
	}
	if secs := acme.Status(txID).Get(t, "response_time_secs"); secs != 35.0 {
		t.Errorf("response_time_secs %v", secs)
	}
}
