package universal_test

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

// contentType returns the header of a body of the type; nil for "".
func contentType(kind string) map[string]string {
	if kind == "" {
		return nil
	}
	return map[string]string{"Content-Type": kind}
}

// uploadSlowly uploads the body to the URL, and calls admitted when the server
// has accepted the request's head and waits for the body. It does not call it if
// the server refuses the head.
func uploadSlowly(s *servertest.Server, url, kind, body string, admitted func()) servertest.Response {
	s.T.Helper()
	transport := &http.Transport{ExpectContinueTimeout: time.Hour}
	s.T.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: apitest.New(s.T, openapi.Document).Transport(s.T, transport)}
	paused := &pausedReader{Reader: strings.NewReader(body), firstRead: make(chan struct{}), resume: make(chan struct{})}
	request, err := http.NewRequest(http.MethodPut, url, paused)
	if err != nil {
		s.T.Fatal(err)
	}
	request.ContentLength = int64(len(body))
	request.Header = http.Header{"Content-Type": {kind}, "Expect": {"100-continue"}}
	var response servertest.Response
	done := make(chan struct{})
	go func() {
		defer close(done)
		response, err = servertest.Try(client, request)
	}()
	select {
	case <-paused.firstRead:
		func() {
			defer close(paused.resume)
			admitted()
		}()
	case <-done:
	}
	<-done
	if err != nil {
		s.T.Fatal(err)
	}
	return response
}

// pausedReader closes firstRead when it is read for the first time, and returns
// nothing until resume is closed.
type pausedReader struct {
	io.Reader
	firstRead, resume chan struct{}
	once              sync.Once
}

func (r *pausedReader) Read(p []byte) (int, error) {
	r.once.Do(func() { close(r.firstRead) })
	<-r.resume
	return r.Reader.Read(p)
}

// storedFile returns the content of the submission's file, and checks that the
// submission's row has its size and hash. It returns "" if there is no file.
func storedFile(t *testing.T, s *servertest.Server, txID string) string {
	t.Helper()
	key := servertest.Value[string](s, "select coalesce(object_key, '') from submissions where tx_id = $1", txID)
	if key == "" {
		return ""
	}
	object, err := s.App.Objects.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	content, err := io.ReadAll(io.NewSectionReader(object, 0, object.Size()))
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(content)
	if !servertest.Value[bool](s, "select sha256 = $2 and size = $3 from submissions where tx_id = $1", txID, digest[:], len(content)) {
		t.Error("the submission's size and hash are not those of its file")
	}
	return string(content)
}

func TestUploadIsStored(t *testing.T) {
	servertest.Proves(t, "Upload response: data",
		"Chosen, universal submit: upload: the location of the file")
	s := servertest.New(t)
	acme := s.Acme()
	// In the location, control characters and path separators are replaced.
	for filename, shown := range map[string]string{
		"a.txt": "a.txt", "Übersicht 2026.xlsx": "Übersicht 2026.xlsx", `quote".pdf`: `quote".pdf`, ".": ".", "..": "..", "新.docx": "新.docx",
		"../../etc/passwd": ".._.._etc_passwd", `a/b\c.eml`: "a_b_c.eml", "a\nb\t\x7f\u0085.txt": "a_b___.txt",
	} {
		txID, url := acme.Announce(filename)
		if got := s.Tenant("acme").Control("GET /transactions/"+txID, "").Text(t, "filename"); got != filename {
			t.Errorf("filename %q, want %q as in the request for the upload URL", got, filename)
		}
		// The announced name counts, whatever the part's is.
		location, err := json.Marshal("s3://understudy/acme/" + txID + "/" + shown)
		if err != nil {
			t.Fatal(err)
		}
		s.Upload(url, "other.bin", []byte(filename)).Want(t, http.StatusOK, `{"data":`+string(location)+`}`)
		if got := storedFile(t, s, txID); got != filename {
			t.Errorf("%s: file %q, want %q", filename, got, filename)
		}
	}
	// The form may have other parts.
	txID, url := acme.Announce("a.txt")
	kind, body := servertest.Form(t,
		servertest.Part{Name: "note", Content: []byte("x")},
		servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("hello")},
		servertest.Part{Name: "after"})
	s.Do(servertest.Call{Line: "PUT " + url, Header: contentType(kind), Body: body}).Want(t, http.StatusOK)
	if got := storedFile(t, s, txID); got != "hello" {
		t.Errorf("file %q, want %q", got, "hello")
	}
}

func TestUploadReplacesFile(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: another upload replaces the file as a whole")
	s := servertest.New(t)
	txID, url := s.Acme().Announce("a.txt")
	for _, content := range []string{"first, and longer", "second", strings.Repeat("third", 10_000), "second"} {
		s.Upload(url, "a.txt", []byte(content)).Want(t, http.StatusOK)
		if got := storedFile(t, s, txID); got != content {
			t.Errorf("file %.20q, want %.20q", got, content)
		}
		if files := s.StoredFiles(); len(files) != 1 {
			t.Errorf("%d files are stored, want 1", len(files))
		}
	}
}

// TestConcurrentUploadsNeverMix checks that the stored file is one of those that
// were uploaded at the same time, whole.
func TestConcurrentUploadsNeverMix(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: another upload replaces the file as a whole")
	s := servertest.New(t)
	txID, url := s.Acme().Announce("a.txt")
	contents := []string{strings.Repeat("a", 700_000), strings.Repeat("b", 900_000), strings.Repeat("c", 300_000), "d"}
	var admitted, done sync.WaitGroup
	admitted.Add(len(contents))
	responses := make([]servertest.Response, len(contents))
	for i, content := range contents {
		kind, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte(content)})
		done.Go(func() {
			responses[i] = uploadSlowly(s, url, kind, body, func() {
				admitted.Done()
				admitted.Wait()
			})
		})
	}
	done.Wait()
	for _, response := range responses {
		response.Want(t, http.StatusOK)
	}
	got := storedFile(t, s, txID)
	found := false
	for _, content := range contents {
		found = found || got == content
	}
	if !found {
		t.Errorf("the file of %d bytes is none of those uploaded", len(got))
	}
	if files := s.StoredFiles(); len(files) != 1 {
		t.Errorf("%d files are stored, want 1", len(files))
	}
}

func TestUploadAfterTrigger(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: upload after the trigger: 409")
	s := servertest.New(t)
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	s.Upload(url, "a.txt", []byte("first")).Want(t, http.StatusOK)
	kind, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("second")})
	put := func(kind string) servertest.Call {
		return servertest.Call{Line: "PUT " + url, Header: contentType(kind), Body: body}
	}
	const closed = `{"message":"Upload is closed"}`
	// An upload that was in flight when the trigger came.
	uploadSlowly(s, url, kind, body, func() { acme.Trigger(txID).Want(t, http.StatusOK) }).Want(t, http.StatusConflict, closed)
	for range 4 {
		s.Refused(t, put(kind), http.StatusConflict, closed)
		// The form is checked before the state.
		s.Refused(t, put("text/plain"), http.StatusUnsupportedMediaType, `{"message":"Unsupported Media Type"}`)
		s.Pass(2 * time.Second)
		s.Work()
	}
	if got := storedFile(t, s, txID); got != "first" || len(s.StoredFiles()) != 1 {
		t.Errorf("file %q, want %q", got, "first")
	}
	s.Pass(5 * time.Minute)
	s.Refused(t, put(kind), http.StatusForbidden, `{"message":"Request has expired"}`)
}
