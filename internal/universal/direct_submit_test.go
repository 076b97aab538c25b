package universal_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// TestDirectSubmit checks that one call does what announcement, upload and
// trigger do.
func TestDirectSubmit(t *testing.T) {
	servertest.Proves(t,
		"Chosen, universal submit: direct submission responds as the trigger",
		"Chosen, universal submit: direct submission ignores x-tenantId")
	s := servertest.New(t)
	acme := s.Acme()
	for _, version := range []string{"v3", "v4"} {
		submitted := acme.SubmitDirectly(version, "letter.txt", servertest.Letter).Want(t, http.StatusOK)
		servertest.CheckKeys(t, submitted.Get(t), "tx_id:s tx_start_time:s tx_end_time:s response_time_secs:n tenant_id:s status:s")
		txID := submitted.Text(t, "tx_id")
		// A later trigger has the same response.
		acme.Trigger(txID).Want(t, http.StatusOK, submitted.Body)
		if got := storedFile(t, s, txID); got != string(servertest.Letter) {
			t.Errorf("file %q", got)
		}
		if status := acme.Status(txID).Want(t, http.StatusOK); status.Text(t, "status") != "Submission_in_progress" ||
			status.Text(t, "tx_start_time") != submitted.Text(t, "tx_start_time") {
			t.Errorf("status %s", status.Body)
		}
		s.Settle()
		checkProcessedOnce(t, s, txID)
		direct := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
		other := acme.Do("GET /data/v2/acme-us-c0001/"+acme.Submit("letter.txt", servertest.Letter)+"?idType=transaction", "").Want(t, http.StatusOK)
		if diff := cmp.Diff(other.Get(t, "data"), direct.Get(t, "data")); diff != "" {
			t.Errorf("data (- three calls, + one call):\n%s", diff)
		}
	}
	// The part's file name counts as the announced one does.
	failed := acme.SubmitDirectly("v4", "a.fail.txt", servertest.Letter).Want(t, http.StatusOK).Text(t, "tx_id")
	s.Settle()
	if got := acme.Do("GET /universal/v4/universal-submit/status/"+failed, "").Text(t, "tx_status"); got != "FAILED" {
		t.Errorf("tx_status %s, want FAILED", got)
	}
}

// TestDirectSubmitAfterMoveOfClock moves the clock as another server does, so that this
// server's copy is outdated. The response must have the same start as later responses.
func TestDirectSubmitAfterMoveOfClock(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	acme.Do("GET /hooks", "").Want(t, http.StatusOK) // reads the clock
	s.Exec("update tenants set clock_offset = clock_offset + '1 hour' where name = 'acme'")
	submitted := acme.SubmitDirectly("v3", "letter.txt", servertest.Letter).Want(t, http.StatusOK)
	txID := submitted.Text(t, "tx_id")
	acme.Trigger(txID).Want(t, http.StatusOK, submitted.Body)
	if got, want := acme.Status(txID).Text(t, "tx_start_time"), submitted.Text(t, "tx_start_time"); got != want {
		t.Errorf("the status has the start %s, the response of the submission %s", got, want)
	}
}

// TestDirectSubmitInJournal checks that the journal describes the file without
// its content.
func TestDirectSubmitInJournal(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.SubmitDirectly("v3", "letter.txt", servertest.Letter).Want(t, http.StatusOK).Text(t, "tx_id")
	acme.SubmitDirectly("v3", "empty.txt", nil).Want(t, http.StatusBadRequest)
	calls := s.Tenant("acme").Journal("route=POST%20/universal/v3/universal-submit/file")
	if len(calls) != 2 {
		t.Fatalf("journal %+v, want 2 calls", calls)
	}
	refused, submitted := calls[0], calls[1]
	file := submitted.Request.File
	if submitted.TxID != txID || submitted.Request.Body != "" || file == nil || file.Name != "letter.txt" || file.SHA256 == "" {
		t.Errorf("call %+v", submitted)
	}
	if refused.TxID != "" {
		t.Errorf("refused call %+v, want no tx_id", refused)
	}
}

func TestDirectSubmitRefusals(t *testing.T) {
	servertest.Proves(t, "Limits: large files",
		"Chosen, universal submit: direct submission of 10 MB or more: 413")
	s := servertest.New(t)
	acme := s.Acme()
	const boundary = "b"
	const kind = "multipart/form-data; boundary=" + boundary
	form := func(parts ...string) string {
		var body strings.Builder
		for _, part := range parts {
			body.WriteString("--" + boundary + "\r\nContent-Disposition: form-data; " + part + "\r\n")
		}
		return body.String() + "--" + boundary + "--\r\n"
	}
	const good = "name=\"file\"; filename=\"a.txt\"\r\nContent-Type: application/octet-stream\r\n\r\nhello"
	large := func(size int) string {
		return form("name=\"file\"; filename=\"a.txt\"\r\n\r\n" + strings.Repeat("x", size))
	}
	const filenameRequired = `{"message":"filename is required"}`
	for name, c := range map[string]struct {
		kind, body string
		status     int
		response   string
	}{
		"no content type":      {"", form(good), 415, unsupportedMediaType},
		"JSON":                 {"application/json", `{"filename":"a.txt"}`, 415, unsupportedMediaType},
		"bare bytes":           {"application/octet-stream", "hello", 415, unsupportedMediaType},
		"urlencoded":           {"application/x-www-form-urlencoded", "file=hello", 415, unsupportedMediaType},
		"no boundary":          {"multipart/form-data", form(good), 415, unsupportedMediaType},
		"empty body":           {kind, "", 400, fileRequired},
		"no part of the name":  {kind, form(strings.Replace(good, `"file"`, `"document"`, 1)), 400, fileRequired},
		"two files":            {kind, form(good, good), 400, fileRequired},
		"empty file":           {kind, form("name=\"file\"; filename=\"a.txt\"\r\n\r\n"), 400, fileRequired},
		"cut within the file":  {kind, strings.SplitAfter(form(good), "hel")[0], 400, fileRequired},
		"cut before the end":   {kind, strings.TrimSuffix(form(good), "--\r\n"), 400, fileRequired},
		"no file name":         {kind, form("name=\"file\"\r\n\r\nhello"), 400, filenameRequired},
		"blank file name":      {kind, form("name=\"file\"; filename=\" \"\r\n\r\nhello"), 400, filenameRequired},
		"file name with NUL":   {kind, form("name=\"file\"; filename*=utf-8''a%00.txt\r\n\r\nhello"), 400, filenameRequired},
		"file name not UTF-8":  {kind, form("name=\"file\"; filename*=utf-8''a%FF.txt\r\n\r\nhello"), 400, filenameRequired},
		"file name too long":   {kind, form("name=\"file\"; filename=\"" + strings.Repeat("a", 256) + "\"\r\n\r\nhello"), 400, `{"message":"filename must be at most 255 bytes"}`},
		"10 MB":                {kind, large(10 << 20), 413, requestTooLong},
		"far more":             {kind, large(40 << 20), 413, requestTooLong},
		"other part too large": {kind, form("name=\"x\"\r\n\r\n"+strings.Repeat("x", 12<<20), good), 413, requestTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range []string{"v3", "v4"} {
				refuseUpload(t, s, servertest.Call{
					Line:  "POST /universal/" + version + "/universal-submit/file",
					Token: acme.Token, Key: acme.Key, Header: contentType(c.kind), Body: c.body,
				}, c.status, c.response)
			}
		})
	}
	// The largest file with the longest name.
	submitted := acme.SubmitDirectly("v3", strings.Repeat("a", 255), make([]byte, 10<<20-1)).Want(t, http.StatusOK)
	if size := servertest.Value[int](s, "select size from submissions where tx_id = $1", submitted.Text(t, "tx_id")); size != 10<<20-1 {
		t.Errorf("file of %d bytes, want %d", size, 10<<20-1)
	}
}

func TestOrderOfDirectSubmitChecks(t *testing.T) {
	servertest.Proves(t, "Chosen, order of checks: route, Authorization, token, permission, API key")
	s := servertest.New(t)
	acme := s.Acme()
	kind, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
	good := servertest.Call{Line: "POST /universal/v3/universal-submit/file", Token: acme.Token, Key: acme.Key, Header: contentType(kind), Body: body}
	s.CheckOrder(t, good, append(s.GateMistakes(),
		servertest.Mistake{Name: "form", Make: func(c *servertest.Call) { c.Header = contentType("text/plain") }, Status: 415, Body: unsupportedMediaType},
		servertest.Mistake{Name: "file", Make: func(c *servertest.Call) { c.Body = "" }, Status: 400, Body: fileRequired},
	))
	s.Do(good).Want(t, http.StatusOK)
}

// TestDirectSubmitStreams checks that the file is stored while it arrives, and
// that nothing is left of it if the client disconnects.
func TestDirectSubmitStreams(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		t.Run(fmt.Sprintf("interrupted %v", interrupted), func(t *testing.T) {
			s := servertest.New(t)
			kind, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte(strings.Repeat("x", 6<<20))})
			head := servertest.RequestHead("POST /universal/v4/universal-submit/file", s.Acme().Token, kind, len(body))
			submit := func() {
				connection := s.Dial(head + body[:4<<20])
				servertest.Until(t, "3 MiB are in the object store", func() bool {
					size := 0
					for _, content := range s.StoredFiles() {
						size += len(content)
					}
					return size >= 3<<20
				})
				if interrupted {
					connection.Close()
					<-s.App.Requests.Stop()
					return
				}
				io.WriteString(connection, body[4<<20:])
				response, err := http.ReadResponse(bufio.NewReader(connection), nil)
				if err != nil || response.StatusCode != http.StatusOK {
					t.Errorf("response %+v, %v", response, err)
				}
			}
			if interrupted {
				s.Unchanged(t, submit)
			} else {
				submit()
			}
		})
	}
}
