package main

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
)

// submitFile submits a file directly.
func (c caller) submitFile(version, filename string, content []byte) answer {
	c.t.Helper()
	kind, body := form(c.t, part{"file", filename, content})
	return c.world.do(call{
		line: "POST /universal/" + version + "/universal-submit/file", token: c.token, key: c.key, body: body,
		header: map[string]string{"Content-Type": kind, "x-tenantId": "nobody"},
	})
}

// TestDirectSubmit: one call does what announce, upload and trigger do.
func TestDirectSubmit(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	for _, version := range []string{"v3", "v4"} {
		begun := acme.submitFile(version, "letter.txt", letter).want(t, http.StatusOK)
		keys(t, begun.get(t), "tx_id:s tx_start_time:s tx_end_time:s response_time_secs:n tenant_id:s status:s")
		txID := begun.text(t, "tx_id")
		// It is the trigger's answer, also to a trigger that comes after it.
		acme.trigger(txID).want(t, http.StatusOK, begun.Body)
		if got := w.file(t, txID); got != string(letter) {
			t.Errorf("file %q", got)
		}
		if status := acme.status(txID).want(t, http.StatusOK); status.text(t, "status") != "Submission_in_progress" ||
			status.text(t, "tx_start_time") != begun.text(t, "tx_start_time") {
			t.Errorf("status %s", status.Body)
		}
		w.settle()
		w.oneRun(t, txID)
		direct := acme.do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").want(t, http.StatusOK)
		other := acme.do("GET /data/v2/acme-us-c0001/"+acme.submit("letter.txt", letter)+"?idType=transaction", "").want(t, http.StatusOK)
		if diff := cmp.Diff(other.get(t, "data"), direct.get(t, "data")); diff != "" {
			t.Errorf("(- three calls, + one):\n%s", diff)
		}
	}
	// The file's name works as the announced one does.
	failed := acme.submitFile("v4", "a.fail.txt", letter).want(t, http.StatusOK).text(t, "tx_id")
	w.settle()
	if got := acme.do("GET /universal/v4/universal-submit/status/"+failed, "").text(t, "tx_status"); got != "FAILED" {
		t.Errorf("tx_status %s", got)
	}
}

// TestDirectSubmitInJournal: the journal tells of the file, and keeps none of it.
func TestDirectSubmitInJournal(t *testing.T) {
	d := newDesk(t, "acme")
	txID := d.acme().submitFile("v3", "letter.txt", letter).want(t, http.StatusOK).text(t, "tx_id")
	d.acme().submitFile("v3", "empty.txt", nil).want(t, http.StatusBadRequest)
	all := d.journal("route=POST%20/universal/v3/universal-submit/file")
	if len(all) != 2 {
		t.Fatalf("journal %+v", all)
	}
	file := all[1].Request.File
	if all[1].TxID != txID || all[1].Request.Body != "" || file == nil || file.Name != "letter.txt" || file.SHA256 == "" {
		t.Errorf("call %+v", all[1])
	}
	if all[0].TxID != "" {
		t.Errorf("call %+v", all[0])
	}
}

func TestDirectSubmitRefusals(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
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
				w.refused(t, call{line: line, token: acme.token, key: acme.key, header: header("", c.kind), body: c.body}, c.status, c.answer)
				// The same in chunks, so that no length is told beforehand.
				w.unchanged(t, func() {
					request, err := http.NewRequest(http.MethodPost, w.url+strings.TrimPrefix(line, "POST "), io.MultiReader(strings.NewReader(c.body)))
					if err != nil {
						t.Fatal(err)
					}
					request.Header = http.Header{"Authorization": {"Bearer " + acme.token}, "X-Api-Key": {acme.key}}
					if c.kind != "" {
						request.Header.Set("Content-Type", c.kind)
					}
					w.send(request).want(t, c.status, c.answer)
				})
			}
		})
	}
	// Just below the limit; one byte of a name just at its.
	begun := acme.submitFile("v3", strings.Repeat("a", 255), make([]byte, 10<<20-1)).want(t, http.StatusOK)
	if size := read[int](w, "select size from submissions where tx_id = $1", begun.text(t, "tx_id")); size != 10<<20-1 {
		t.Errorf("%d bytes", size)
	}
}

func TestOrderOfDirectSubmit(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	kind, body := form(t, part{"file", "a.txt", letter})
	good := call{line: "POST /universal/v3/universal-submit/file", token: acme.token, key: acme.key, header: header("", kind), body: body}
	w.orderly(t, good, append(w.faults(),
		fault{"form", func(c *call) { c.header = header("", "text/plain") }, 415, `{"message":"Unsupported Media Type"}`},
		fault{"file", func(c *call) { c.body = "" }, 400, `{"message":"file is required"}`},
	))
	w.do(good).want(t, http.StatusOK)
}

// TestDirectSubmitStreams: what has come lies in the object store before the
// rest does; cut there, nothing is left.
func TestDirectSubmitStreams(t *testing.T) {
	for _, cut := range []bool{false, true} {
		t.Run(fmt.Sprintf("cut %v", cut), func(t *testing.T) {
			var requests *inFlight
			w := newWorld(t, func(p *parts) { requests = p.requests })
			token := w.token(auth.Demos[0]).text(t, "access_token")
			rows, files := w.rows(), w.stored()
			kind, body := form(t, part{"file", "a.txt", []byte(strings.Repeat("x", 6<<20))})
			connection, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			io.WriteString(connection, head("POST /universal/v4/universal-submit/file", token, kind, len(body))+body[:4<<20])
			until(t, "3 MiB are in the store", func() bool {
				size := 0
				for _, content := range w.stored() {
					size += len(content)
				}
				return size >= 3<<20
			})
			if cut {
				connection.Close()
				<-requests.Stop()
				if diff := cmp.Diff(rows, w.rows()); diff != "" {
					t.Errorf("rows changed:\n%s", diff)
				}
				if diff := cmp.Diff(files, w.stored()); diff != "" {
					t.Errorf("files changed:\n%s", diff)
				}
				return
			}
			io.WriteString(connection, body[4<<20:])
			answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("answer %+v, %v", answer, err)
			}
		})
	}
}
