package universal_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// submitFile submits a file directly.
func (c servertest.Client) submitFile(version, filename string, content []byte) servertest.Response {
	c.T.Helper()
	kind, body := form(c.T, servertest.Part{"file", filename, content})
	return c.Server.Do(servertest.Call{
		Line: "POST /universal/" + version + "/universal-submit/file", Token: c.Token, Key: c.Key, Body: body,
		Header: map[string]string{"Content-Type": kind, "x-tenantId": "nobody"},
	})
}

// TestDirectSubmit: one call does what announce, upload and trigger do.
func TestDirectSubmit(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	for _, version := range []string{"v3", "v4"} {
		begun := acme.submitFile(version, "servertest.Letter.txt", servertest.Letter).Want(t, http.StatusOK)
		keys(t, begun.Get(t), "tx_id:s tx_start_time:s tx_end_time:s response_time_secs:n tenant_id:s status:s")
		txID := begun.Text(t, "tx_id")
		// It is the trigger's servertest.Response, also to a trigger that comes after it.
		acme.Trigger(txID).Want(t, http.StatusOK, begun.Body)
		if got := w.file(t, txID); got != string(servertest.Letter) {
			t.Errorf("file %q", got)
		}
		if status := acme.Status(txID).Want(t, http.StatusOK); status.Text(t, "status") != "Submission_in_progress" ||
			status.Text(t, "tx_start_time") != begun.Text(t, "tx_start_time") {
			t.Errorf("status %s", status.Body)
		}
		w.Settle()
		w.oneRun(t, txID)
		direct := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
		other := acme.Do("GET /data/v2/acme-us-c0001/"+acme.Submit("servertest.Letter.txt", servertest.Letter)+"?idType=transaction", "").Want(t, http.StatusOK)
		if diff := cmp.Diff(other.Get(t, "data"), direct.Get(t, "data")); diff != "" {
			t.Errorf("(- three calls, + one):\n%s", diff)
		}
	}
	// The file's name works as the announced one does.
	failed := acme.submitFile("v4", "a.fail.txt", servertest.Letter).Want(t, http.StatusOK).Text(t, "tx_id")
	w.Settle()
	if got := acme.Do("GET /universal/v4/universal-submit/status/"+failed, "").Text(t, "tx_status"); got != "FAILED" {
		t.Errorf("tx_status %s", got)
	}
}

// TestDirectSubmitInJournal: the journal tells of the file, and keeps none of it.
func TestDirectSubmitInJournal(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	txID := d.Acme().submitFile("v3", "servertest.Letter.txt", servertest.Letter).Want(t, http.StatusOK).Text(t, "tx_id")
	d.Acme().submitFile("v3", "empty.txt", nil).Want(t, http.StatusBadRequest)
	all := d.Journal("route=POST%20/universal/v3/universal-submit/file")
	if len(all) != 2 {
		t.Fatalf("journal %+v", all)
	}
	file := all[1].Request.File
	if all[1].TxID != txID || all[1].Request.Body != "" || file == nil || file.Name != "servertest.Letter.txt" || file.SHA256 == "" {
		t.Errorf("call %+v", all[1])
	}
	if all[0].TxID != "" {
		t.Errorf("call %+v", all[0])
	}
}

func TestDirectSubmitRefusals(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	const boundary = "b"
	const kind = "multipart/form-data; boundary=" + boundary
	multipart := func(parts ...string) string {
		var body strings.Builder
		for _, p := range parts {
			body.WriteString("--" + boundary + "\r\nContent-Disposition: form-data; " + p + "\r\n")
		}
		return body.String() + "--" + boundary + "--\r\n"
	}
	const good = "name=\"file\"; filename=\"a.txt\"\r\nContent-Type: application/octet-stream\r\n\r\nhello"
	large := func(size int) string {
		return multipart("name=\"file\"; filename=\"a.txt\"\r\n\r\n" + strings.Repeat("x", size))
	}
	const required, unnamed = `{"message":"file is required"}`, `{"message":"filename is required"}`
	const unsupported, tooLong = `{"message":"Unsupported Media Type"}`, `{"message":"Request Too Long"}`
	for name, c := range map[string]struct {
		kind, body string
		status     int
		answer     string
	}{
		"no content type":      {"", multipart(good), 415, unsupported},
		"JSON":                 {"application/json", `{"filename":"a.txt"}`, 415, unsupported},
		"bare bytes":           {"application/octet-stream", "hello", 415, unsupported},
		"urlencoded":           {urlencoded, "file=hello", 415, unsupported},
		"no boundary":          {"multipart/form-data", multipart(good), 415, unsupported},
		"empty body":           {kind, "", 400, required},
		"no part of the name":  {kind, multipart(strings.Replace(good, `"file"`, `"document"`, 1)), 400, required},
		"two files":            {kind, multipart(good, good), 400, required},
		"empty file":           {kind, multipart("name=\"file\"; filename=\"a.txt\"\r\n\r\n"), 400, required},
		"cut within the file":  {kind, strings.SplitAfter(multipart(good), "hel")[0], 400, required},
		"cut before the end":   {kind, strings.TrimSuffix(multipart(good), "--\r\n"), 400, required},
		"no file name":         {kind, multipart("name=\"file\"\r\n\r\nhello"), 400, unnamed},
		"blank file name":      {kind, multipart("name=\"file\"; filename=\" \"\r\n\r\nhello"), 400, unnamed},
		"file name of NUL":     {kind, multipart("name=\"file\"; filename*=utf-8''a%00.txt\r\n\r\nhello"), 400, unnamed},
		"file name no UTF-8":   {kind, multipart("name=\"file\"; filename*=utf-8''a%FF.txt\r\n\r\nhello"), 400, unnamed},
		"file name too long":   {kind, multipart("name=\"file\"; filename=\"" + strings.Repeat("a", 256) + "\"\r\n\r\nhello"), 400, unnamed},
		"10 MB":                {kind, large(10 << 20), 413, tooLong},
		"far more":             {kind, large(40 << 20), 413, tooLong},
		"other part too large": {kind, multipart("name=\"x\"\r\n\r\n"+strings.Repeat("x", 12<<20), good), 413, tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range []string{"v3", "v4"} {
				line := "POST /universal/" + version + "/universal-submit/file"
				w.refused(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Header: header("", c.kind), Body: c.body}, c.status, c.answer)
				// The same in chunks, so that no length is told beforehand.
				w.Unchanged(t, func() {
					request, err := http.NewRequest(http.MethodPost, w.URL+strings.TrimPrefix(line, "POST "), io.MultiReader(strings.NewReader(c.body)))
					if err != nil {
						t.Fatal(err)
					}
					request.Header = http.Header{"Authorization": {"Bearer " + acme.Token}, "X-Api-Key": {acme.Key}}
					if c.kind != "" {
						request.Header.Set("Content-Type", c.kind)
					}
					w.send(request).Want(t, c.status, c.answer)
				})
			}
		})
	}
	// Just below the limit; one byte of a name just at its.
	begun := acme.submitFile("v3", strings.Repeat("a", 255), make([]byte, 10<<20-1)).Want(t, http.StatusOK)
	if size := servertest.Value[int](w, "select size from submissions where tx_id = $1", begun.Text(t, "tx_id")); size != 10<<20-1 {
		t.Errorf("%d bytes", size)
	}
}

func TestOrderOfDirectSubmit(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", servertest.Letter})
	good := servertest.Call{Line: "POST /universal/v3/universal-submit/file", Token: acme.Token, Key: acme.Key, Header: header("", kind), Body: body}
	w.orderly(t, good, append(w.faults(),
		fault{"form", func(c *call) { c.header = header("", "text/plain") }, 415, `{"message":"Unsupported Media Type"}`},
		fault{"file", func(c *call) { c.body = "" }, 400, `{"message":"file is required"}`},
	))
	w.Do(good).Want(t, http.StatusOK)
}

// TestDirectSubmitStreams: what has come lies in the object store before the
// rest does; cut there, nothing is left.
func TestDirectSubmitStreams(t *testing.T) {
	for _, cut := range []bool{false, true} {
		t.Run(fmt.Sprintf("cut %v", cut), func(t *testing.T) {
			w := servertest.New(t)
			token := w.NewToken(auth.Demos[0]).Text(t, "access_token")
			rows, files := w.Rows(), w.StoredFiles()
			kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", []byte(strings.Repeat("x", 6<<20))})
			connection, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			io.WriteString(connection, head("POST /universal/v4/universal-submit/file", token, kind, len(body))+body[:4<<20])
			servertest.Until(t, "3 MiB are in the store", func() bool {
				size := 0
				for _, content := range w.StoredFiles() {
					size += len(content)
				}
				return size >= 3<<20
			})
			if cut {
				connection.Close()
				<-w.App.Requests.Stop()
				if diff := cmp.Diff(rows, w.Rows()); diff != "" {
					t.Errorf("rows changed:\n%s", diff)
				}
				if diff := cmp.Diff(files, w.StoredFiles()); diff != "" {
					t.Errorf("files changed:\n%s", diff)
				}
				return
			}
			io.WriteString(connection, body[4<<20:])
			servertest.Response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("answer %+v, %v", servertest.Response, err)
			}
		})
	}
}
