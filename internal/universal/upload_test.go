package universal_test

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
	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

// slowly puts a file at the address and calls begun when the server has judged
// the head and wants the body. A refusal comes without that call.
func (w *servertest.Server) slowly(url, contentType, body string, begun func()) servertest.Response {
	w.T.Helper()
	transport := &http.Transport{ExpectContinueTimeout: time.Hour}
	w.T.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: apitest.New(w.T, openapi.Document).Transport(w.T, transport)}
	paused := &pausing{Reader: strings.NewReader(body), asked: make(chan struct{}), told: make(chan struct{})}
	request, err := http.NewRequest(http.MethodPut, url, paused)
	if err != nil {
		w.T.Fatal(err)
	}
	request.ContentLength = int64(len(body))
	request.Header = http.Header{"Content-Type": {contentType}, "Expect": {"100-continue"}}
	var got servertest.Response
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
		w.T.Fatal(err)
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
func (w *servertest.Server) file(t *testing.T, txID string) string {
	t.Helper()
	key := servertest.Value[string](w, "select coalesce(object_key, '') from submissions where tx_id = $1", txID)
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
	if !servertest.Value[bool](w, "select sha256 = $2 and size = $3 from submissions where tx_id = $1", txID, digest[:], len(content)) {
		t.Error("the row describes another file")
	}
	return string(content)
}

func TestUploadIsKept(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	for _, filename := range []string{"a.txt", "Übersicht 2026.xlsx", `quote".pdf`, "../../etc/passwd", "a/b\\c.eml", ".", "..", "新.docx"} {
		txID, url := acme.Announce(filename)
		// The announced name counts, whatever the part says.
		w.Upload(url, "other.bin", []byte(filename)).Want(t, http.StatusOK, `{"data":`+quoted("s3://understudy/acme/"+txID+"/"+filename)+`}`)
		if got := w.file(t, txID); got != filename {
			t.Errorf("%s: file %q", filename, got)
		}
	}
	// Other parts may stand around it.
	txID, url := acme.Announce("a.txt")
	kind, body := servertest.Form(t, servertest.Part{name: "note", content: []byte("x")}, servertest.Part{"file", "a.txt", []byte("hello")}, servertest.Part{name: "after"})
	w.Do(servertest.Call{Line: "PUT " + url, Header: header("", kind), Body: body}).Want(t, http.StatusOK)
	if got := w.file(t, txID); got != "hello" {
		t.Errorf("file %q", got)
	}
}

func TestUploadReplaces(t *testing.T) {
	w := servertest.New(t)
	txID, url := w.Acme().Announce("a.txt")
	for _, content := range []string{"first, and longer", "second", strings.Repeat("third", 10_000), "second"} {
		w.Upload(url, "a.txt", []byte(content)).Want(t, http.StatusOK)
		if got := w.file(t, txID); got != content {
			t.Errorf("file %.20q, want %.20q", got, content)
		}
		if files := w.StoredFiles(); len(files) != 1 {
			t.Errorf("%d files are kept", len(files))
		}
	}
}

func TestUploadRefusals(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, good := acme.Announce("a.txt")
	w.Upload(good, "a.txt", []byte("kept")).Want(t, http.StatusOK)
	_, empty := acme.Announce("b.txt")
	_, staging := w.Environment("staging").Acme().Announce("a.txt")
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

	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", []byte("new")})
	boundary := strings.TrimPrefix(kind, "multipart/form-data; boundary=")
	multipart := func(parts ...part) string {
		_, text := servertest.Form(t, parts...)
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
		"no part of the name":    {good, kind, multipart(servertest.Part{"document", "a.txt", []byte("new")}), 400, required},
		"name in another case":   {good, kind, multipart(servertest.Part{"File", "a.txt", []byte("new")}), 400, required},
		"two files":              {good, kind, multipart(servertest.Part{"file", "a.txt", []byte("new")}, servertest.Part{"file", "b.txt", []byte("newer")}), 400, required},
		"two files, one empty":   {good, kind, multipart(servertest.Part{"file", "a.txt", []byte("new")}, servertest.Part{"file", "b.txt", nil}), 400, required},
		"two files apart":        {good, kind, multipart(servertest.Part{"file", "a.txt", []byte("new")}, servertest.Part{name: "x"}, servertest.Part{"file", "b.txt", []byte("newer")}), 400, required},
		"empty file":             {good, kind, multipart(servertest.Part{"file", "a.txt", nil}), 400, required},
		"empty file, first":      {empty, kind, multipart(servertest.Part{"file", "a.txt", nil}), 400, required},
		"cut within the file":    {good, kind, body[:strings.Index(body, "new")+2], 400, required},
		"cut before the end":     {good, kind, body[:len(body)-6], 400, required},
		"cut within the head":    {good, kind, body[:len(boundary)+20], 400, required},
		"a byte above the limit": {good, kind, multipart(servertest.Part{"file", "a.txt", make([]byte, 1<<20+1)}), 413, tooLong},
		"far above the limit":    {good, kind, multipart(servertest.Part{"file", "a.txt", make([]byte, 5<<20)}), 413, tooLong},
		"other parts too large":  {good, kind, multipart(servertest.Part{name: "x", content: make([]byte, 5<<20)}, servertest.Part{"file", "a.txt", []byte("new")}), 413, tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(t, servertest.Call{Line: "PUT " + c.url, Header: header("", c.kind), Body: c.body}, c.status, c.answer)
			// The same in chunks, so that no length is told beforehand.
			w.Unchanged(t, func() {
				request, err := http.NewRequest(http.MethodPut, c.url, io.MultiReader(strings.NewReader(c.body)))
				if err != nil {
					t.Fatal(err)
				}
				if c.kind != "" {
					request.Header.Set("Content-Type", c.kind)
				}
				w.send(request).Want(t, c.status, c.answer)
			})
		})
	}
	if got := w.file(t, txID); got != "kept" {
		t.Errorf("file %q", got)
	}
	w.Upload(empty, "b.txt", make([]byte, 1<<20)).Want(t, http.StatusOK) // just the limit
}

func TestUploadAddressExpires(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", []byte("new")})
	// The head counts: a body that comes slowly is taken.
	w.Pass(5 * time.Minute)
	w.slowly(url, kind, body, func() { w.Pass(time.Hour) }).Want(t, http.StatusOK)
	if got := w.file(t, txID); got != "new" {
		t.Errorf("file %q", got)
	}
	const expired = `{"message":"Request has expired"}`
	_, url = acme.Announce("a.txt")
	w.Pass(5*time.Minute + time.Microsecond)
	w.refused(t, servertest.Call{Line: "PUT " + url, Header: header("", kind), Body: body}, http.StatusForbidden, expired)
	w.refused(t, servertest.Call{Line: "PUT " + url, Header: header("", "text/plain"), Body: "x"}, http.StatusForbidden, expired)
	w.Unchanged(t, func() {
		w.slowly(url, kind, body, func() { t.Error("the body of a refused upload was asked for") }).Want(t, http.StatusForbidden, expired)
	})
}

func TestUploadsAtOnceNeverMix(t *testing.T) {
	w := servertest.New(t)
	txID, url := w.Acme().Announce("a.txt")
	contents := []string{strings.Repeat("a", 700_000), strings.Repeat("b", 900_000), strings.Repeat("c", 300_000), "d"}
	var begun, done sync.WaitGroup
	begun.Add(len(contents))
	answers := make([]servertest.Response, len(contents))
	for i, content := range contents {
		kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", []byte(content)})
		done.Go(func() {
			answers[i] = w.slowly(url, kind, body, func() {
				begun.Done()
				begun.Wait()
			})
		})
	}
	done.Wait()
	for _, a := range answers {
		a.Want(t, http.StatusOK)
	}
	got := w.file(t, txID)
	found := false
	for _, content := range contents {
		found = found || got == content
	}
	if files := w.StoredFiles(); !found || len(files) != 1 {
		t.Errorf("%d files; the submission's has %d bytes and is one of them: %v", len(files), len(got), found)
	}
}

func TestUploadAfterTheTrigger(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	w.Upload(url, "a.txt", []byte("first")).Want(t, http.StatusOK)
	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", []byte("second")})
	const closed = `{"message":"Upload is closed"}`
	// One that was under way when the trigger came.
	w.slowly(url, kind, body, func() { acme.Trigger(txID).Want(t, http.StatusOK) }).Want(t, http.StatusConflict, closed)
	for range 4 {
		w.refused(t, servertest.Call{Line: "PUT " + url, Header: header("", kind), Body: body}, http.StatusConflict, closed)
		// The form is judged before the state.
		w.refused(t, servertest.Call{Line: "PUT " + url, Header: header("", "text/plain"), Body: body}, http.StatusUnsupportedMediaType, `{"message":"Unsupported Media Type"}`)
		w.Pass(2 * time.Second)
		w.Work()
	}
	if got := w.file(t, txID); got != "first" || len(w.StoredFiles()) != 1 {
		t.Errorf("file %q", got)
	}
	w.Pass(5 * time.Minute)
	w.refused(t, servertest.Call{Line: "PUT " + url, Header: header("", kind), Body: body}, http.StatusForbidden, `{"message":"Request has expired"}`)
}
