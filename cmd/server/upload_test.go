package main

import (
	"crypto/sha256"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/api/apitest"
)

// slowly puts a file at the address and calls begun when the server has judged
// the head and wants the body. A refusal comes without that call.
func (w *world) slowly(url, contentType, body string, begun func()) answer {
	w.t.Helper()
	transport := &http.Transport{ExpectContinueTimeout: time.Hour}
	w.t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: apitest.New(w.t, document).Transport(w.t, transport)}
	paused := &pausing{Reader: strings.NewReader(body), asked: make(chan struct{}), told: make(chan struct{})}
	request, err := http.NewRequest(http.MethodPut, url, paused)
	if err != nil {
		w.t.Fatal(err)
	}
	request.ContentLength = int64(len(body))
	request.Header = http.Header{"Content-Type": {contentType}, "Expect": {"100-continue"}}
	var got answer
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err = try(client, request)
	}()
	select {
	case <-paused.asked:
		func() {
			defer close(paused.told)
			begun()
		}()
	case <-done:
	}
	<-done
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// pausing closes asked when it is first read, and goes on when it is told to.
type pausing struct {
	io.Reader
	asked, told chan struct{}
	once        sync.Once
}

func (r *pausing) Read(p []byte) (int, error) {
	r.once.Do(func() { close(r.asked) })
	<-r.told
	return r.Reader.Read(p)
}

// file is the bytes of the submission's file, found by its row; the row must
// describe them truly. "" when it has none.
func (w *world) file(t *testing.T, txID string) string {
	t.Helper()
	key := read[string](w, "select coalesce(object_key, '') from submissions where tx_id = $1", txID)
	if key == "" {
		return ""
	}
	object, err := w.objects.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	content, err := io.ReadAll(io.NewSectionReader(object, 0, object.Size()))
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(content)
	if !read[bool](w, "select sha256 = $2 and size = $3 from submissions where tx_id = $1", txID, digest[:], len(content)) {
		t.Error("the row describes another file")
	}
	return string(content)
}

func TestUploadIsKept(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	for _, filename := range []string{"a.txt", "Übersicht 2026.xlsx", `quote".pdf`, "../../etc/passwd", "a/b\\c.eml", ".", "..", "新.docx"} {
		txID, url := acme.announce(filename)
		// The announced name counts, whatever the part says.
		w.upload(url, "other.bin", []byte(filename)).want(t, http.StatusOK, `{"data":`+quoted("s3://understudy/acme/"+txID+"/"+filename)+`}`)
		if got := w.file(t, txID); got != filename {
			t.Errorf("%s: file %q", filename, got)
		}
	}
	// Other parts may stand around it.
	txID, url := acme.announce("a.txt")
	kind, body := form(t, part{name: "note", content: []byte("x")}, part{"file", "a.txt", []byte("hello")}, part{name: "after"})
	w.do(call{line: "PUT " + url, header: header("", kind), body: body}).want(t, http.StatusOK)
	if got := w.file(t, txID); got != "hello" {
		t.Errorf("file %q", got)
	}
}

func TestUploadReplaces(t *testing.T) {
	w := newWorld(t)
	txID, url := w.acme().announce("a.txt")
	for _, content := range []string{"first, and longer", "second", strings.Repeat("third", 10_000), "second"} {
		w.upload(url, "a.txt", []byte(content)).want(t, http.StatusOK)
		if got := w.file(t, txID); got != content {
			t.Errorf("file %.20q, want %.20q", got, content)
		}
		if files := w.stored(); len(files) != 1 {
			t.Errorf("%d files are kept", len(files))
		}
	}
}

func TestUploadRefusals(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	txID, good := acme.announce("a.txt")
	w.upload(good, "a.txt", []byte("kept")).want(t, http.StatusOK)
	_, empty := acme.announce("b.txt")
	_, staging := w.environment("staging").acme().announce("a.txt")
	query := func(raw string) string {
		u, _ := url.Parse(good)
		u.RawQuery = raw
		return u.String()
	}
	u, _ := url.Parse(good)
	data := u.Query().Get("data")
	flip := func(i int) string {
		b := []byte(data)
		b[i] = map[bool]byte{true: 'B', false: 'A'}[b[i] == 'A']
		return query("data=" + string(b))
	}
	foreign, _ := url.Parse(staging)

	kind, body := form(t, part{"file", "a.txt", []byte("new")})
	boundary := strings.TrimPrefix(kind, "multipart/form-data; boundary=")
	multipart := func(parts ...part) string {
		_, text := form(t, parts...)
		return strings.ReplaceAll(text, text[2:2+len(boundary)], boundary)
	}
	const required, unauthenticated = `{"message":"file is required"}`, `{"message":"Forbidden"}`
	const unsupported, tooLong = `{"message":"Unsupported Media Type"}`, `{"message":"Request Too Long"}`
	for name, c := range map[string]struct {
		url, kind, body string
		status          int
		answer          string
	}{
		"no query":                  {query(""), kind, body, 403, unauthenticated},
		"data empty":                {query("data="), kind, body, 403, unauthenticated},
		"data garbage":              {query("data=abc"), kind, body, 403, unauthenticated},
		"data the tx_id":            {query("data=" + txID), kind, body, 403, unauthenticated},
		"data twice":                {query("data=" + data + "&data=" + data), kind, body, 403, unauthenticated},
		"data shortened":            {query("data=" + data[:len(data)-1]), kind, body, 403, unauthenticated},
		"data lengthened":           {query("data=" + data + "A"), kind, body, 403, unauthenticated},
		"data padded":               {query("data=" + data + "=="), kind, body, 403, unauthenticated},
		"data altered at the start": {flip(0), kind, body, 403, unauthenticated},
		"data altered in the noise": {flip(30), kind, body, 403, unauthenticated},
		"data altered at the end":   {flip(len(data) - 2), kind, body, 403, unauthenticated},
		"another environment's":     {query(foreign.RawQuery), kind, body, 403, unauthenticated},
		"altered, not multipart":    {flip(0), "text/plain", "x", 403, unauthenticated},

		"no content type":        {good, "", body, 415, unsupported},
		"bare bytes":             {good, "application/octet-stream", "new", 415, unsupported},
		"urlencoded":             {good, urlencoded, "file=new", 415, unsupported},
		"multipart of another":   {good, "multipart/mixed; boundary=" + boundary, body, 415, unsupported},
		"no boundary":            {good, "multipart/form-data", body, 415, unsupported},
		"broken content type":    {good, "multipart/form-data; boundary", body, 415, unsupported},
		"empty body":             {good, kind, "", 400, required},
		"another boundary":       {good, "multipart/form-data; boundary=other", body, 400, required},
		"no parts":               {good, kind, "--" + boundary + "--\r\n", 400, required},
		"no part of the name":    {good, kind, multipart(part{"document", "a.txt", []byte("new")}), 400, required},
		"name in another case":   {good, kind, multipart(part{"File", "a.txt", []byte("new")}), 400, required},
		"two files":              {good, kind, multipart(part{"file", "a.txt", []byte("new")}, part{"file", "b.txt", []byte("newer")}), 400, required},
		"two files, one empty":   {good, kind, multipart(part{"file", "a.txt", []byte("new")}, part{"file", "b.txt", nil}), 400, required},
		"two files apart":        {good, kind, multipart(part{"file", "a.txt", []byte("new")}, part{name: "x"}, part{"file", "b.txt", []byte("newer")}), 400, required},
		"empty file":             {good, kind, multipart(part{"file", "a.txt", nil}), 400, required},
		"empty file, first":      {empty, kind, multipart(part{"file", "a.txt", nil}), 400, required},
		"cut within the file":    {good, kind, body[:strings.Index(body, "new")+2], 400, required},
		"cut before the end":     {good, kind, body[:len(body)-6], 400, required},
		"cut within the head":    {good, kind, body[:len(boundary)+20], 400, required},
		"a byte above the limit": {good, kind, multipart(part{"file", "a.txt", make([]byte, 1<<20+1)}), 413, tooLong},
		"far above the limit":    {good, kind, multipart(part{"file", "a.txt", make([]byte, 5<<20)}), 413, tooLong},
		"other parts too large":  {good, kind, multipart(part{name: "x", content: make([]byte, 5<<20)}, part{"file", "a.txt", []byte("new")}), 413, tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(t, call{line: "PUT " + c.url, header: header("", c.kind), body: c.body}, c.status, c.answer)
			// The same in chunks, so that no length is told beforehand.
			w.unchanged(t, func() {
				request, err := http.NewRequest(http.MethodPut, c.url, io.MultiReader(strings.NewReader(c.body)))
				if err != nil {
					t.Fatal(err)
				}
				if c.kind != "" {
					request.Header.Set("Content-Type", c.kind)
				}
				w.send(request).want(t, c.status, c.answer)
			})
		})
	}
	if got := w.file(t, txID); got != "kept" {
		t.Errorf("file %q", got)
	}
	w.upload(empty, "b.txt", make([]byte, 1<<20)).want(t, http.StatusOK) // just the limit
}

func TestUploadAddressExpires(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	txID, url := acme.announce("a.txt")
	kind, body := form(t, part{"file", "a.txt", []byte("new")})
	// The head counts: a body that comes slowly is taken.
	w.pass(5 * time.Minute)
	w.slowly(url, kind, body, func() { w.pass(time.Hour) }).want(t, http.StatusOK)
	if got := w.file(t, txID); got != "new" {
		t.Errorf("file %q", got)
	}
	const expired = `{"message":"Request has expired"}`
	_, url = acme.announce("a.txt")
	w.pass(5*time.Minute + time.Microsecond)
	w.refused(t, call{line: "PUT " + url, header: header("", kind), body: body}, http.StatusForbidden, expired)
	w.refused(t, call{line: "PUT " + url, header: header("", "text/plain"), body: "x"}, http.StatusForbidden, expired)
	w.unchanged(t, func() {
		w.slowly(url, kind, body, func() { t.Error("the body of a refused upload was asked for") }).want(t, http.StatusForbidden, expired)
	})
}

func TestUploadsAtOnceNeverMix(t *testing.T) {
	w := newWorld(t)
	txID, url := w.acme().announce("a.txt")
	contents := []string{strings.Repeat("a", 700_000), strings.Repeat("b", 900_000), strings.Repeat("c", 300_000), "d"}
	var begun, done sync.WaitGroup
	begun.Add(len(contents))
	answers := make([]answer, len(contents))
	for i, content := range contents {
		kind, body := form(t, part{"file", "a.txt", []byte(content)})
		done.Go(func() {
			answers[i] = w.slowly(url, kind, body, func() {
				begun.Done()
				begun.Wait()
			})
		})
	}
	done.Wait()
	for _, a := range answers {
		a.want(t, http.StatusOK)
	}
	got := w.file(t, txID)
	found := false
	for _, content := range contents {
		found = found || got == content
	}
	if files := w.stored(); !found || len(files) != 1 {
		t.Errorf("%d files; the submission's has %d bytes and is one of them: %v", len(files), len(got), found)
	}
}

func TestUploadAfterTheTrigger(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	txID, url := acme.announce("a.txt")
	w.upload(url, "a.txt", []byte("first")).want(t, http.StatusOK)
	kind, body := form(t, part{"file", "a.txt", []byte("second")})
	const closed = `{"message":"Upload is closed"}`
	// One that was under way when the trigger came.
	w.slowly(url, kind, body, func() { acme.trigger(txID).want(t, http.StatusOK) }).want(t, http.StatusConflict, closed)
	for range 4 {
		w.refused(t, call{line: "PUT " + url, header: header("", kind), body: body}, http.StatusConflict, closed)
		// The form is judged before the state.
		w.refused(t, call{line: "PUT " + url, header: header("", "text/plain"), body: body}, http.StatusUnsupportedMediaType, `{"message":"Unsupported Media Type"}`)
		w.pass(2 * time.Second)
		w.work()
	}
	if got := w.file(t, txID); got != "first" || len(w.stored()) != 1 {
		t.Errorf("file %q", got)
	}
	w.pass(5 * time.Minute)
	w.refused(t, call{line: "PUT " + url, header: header("", kind), body: body}, http.StatusForbidden, `{"message":"Request has expired"}`)
}
