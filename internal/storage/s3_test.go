package storage_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/storage/storagetest/s3test"
)

func TestObjectLocations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for location, want := range map[string]string{
		"":                                  "",
		"file://" + dir:                     "",
		"file://localhost" + dir:            "",
		"file://elsewhere/dir":              "not of the form",
		"file:relative":                     "not of the form",
		"https://user:secret@h/dir":         "not of the form",
		"://":                               "not a URL",
		"s3://bucket?region=eu-west-1":      "",
		"s3://bucket/?region=eu-west-1":     "",
		"s3://bucket/a/b/?region=eu-west-1": "",
		"s3://bucket/a?endpoint=https://s3.example:9000&path_style=true": "",
		"s3://bucket/a?endpoint=http://127.0.0.1:1/&path_style=false":    "",
		"s3://":                                          "want the form",
		"s3:///prefix":                                   "want the form",
		"s3://bucket:9000/a":                             "want the form",
		"s3://key:secret@bucket/a":                       "an s3:// URL has no credentials",
		"s3://bucket/.a?region=x":                        "starts with a dot",
		"s3://bucket/a//b?region=x":                      "empty name",
		"s3://bucket?regoin=secret":                      `the parameter "regoin" is unknown: known are endpoint, region and path_style`,
		"s3://bucket?region=":                            `want one value for the parameter "region"`,
		"s3://bucket?region=a&region=b":                  `want one value for the parameter "region"`,
		"s3://bucket?region=x&path_style=maybe":          "want true or false",
		"s3://bucket?endpoint=s3.example.com":            "endpoint is not a URL",
		"s3://bucket?endpoint=ftp://s3.example.com":      "endpoint is not a URL",
		"s3://bucket?endpoint=https://key:secret@host":   "endpoint is not a URL",
		"s3://bucket?endpoint=https://host%3Fx%3Dsecret": "endpoint is not a URL",
		"s3://bucket?region=%zz":                         "the query is malformed",
	} {
		_, err := storage.OpenObjects(location, dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", location, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error contains the password", location)
		}
	}
}

// TestWrongS3Configuration checks that the errors of a wrong configuration say what to
// change.
func TestWrongS3Configuration(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	rejecting := s3test.Start(t, "--secret", "another-secret-key")
	unknown := s3test.Start(t, "--access", "another-access-key")
	right := server.ObjectsURL("a")
	for name, c := range map[string]struct{ location, state, want string }{
		"secret":     {rejecting.ObjectsURL("a"), "misconfigured", "the credentials were rejected: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		"access key": {unknown.ObjectsURL("a"), "misconfigured", "the credentials were rejected: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		"bucket":     {strings.Replace(right, "s3://understudy/", "s3://other/", 1), "misconfigured", `the bucket "other" at http://` + server.Address + " does not exist: create it, or correct OBJECTS_URL"},
		"region":     {strings.Replace(right, "us-east-1", "eu-west-1", 1), "misconfigured", "is in another region: set region=… in OBJECTS_URL"},
		"endpoint":   {s3test.ObjectsURL("127.0.0.1:1", "a"), "away", `the bucket "understudy" at http://127.0.0.1:1 cannot be reached`},
	} {
		_, err := storage.BindStore(t.Context(), storagetest.DB(t), openBackend(t, c.location), storagetest.Environment, never)
		if stateOf(err) != c.state || !strings.Contains(err.Error(), c.want) {
			t.Errorf("wrong %s: got %v, want %s, %q", name, err, c.state, c.want)
		}
	}
}

// TestS3ErrorsAreExplained checks the states and explanations for errors that the test
// server does not return, with responses as AWS and other servers send them.
func TestS3ErrorsAreExplained(t *testing.T) {
	t.Parallel()
	s3test.Start(t) // sets the credentials
	for name, c := range map[string]struct {
		status      int
		code        string
		header      string
		read, write string // states
		want        string
	}{
		"clock":      {403, "RequestTimeTooSkewed", "", "misconfigured", "misconfigured", "the clocks of this server and of the object store differ"},
		"expired":    {400, "ExpiredToken", "", "misconfigured", "misconfigured", "the credentials were rejected"},
		"region":     {301, "PermanentRedirect", "eu-central-1", "misconfigured", "misconfigured", "set region=eu-central-1 in OBJECTS_URL"},
		"denied":     {403, "AccessDenied", "", "misconfigured", "read-only", "the credentials are not allowed to "},
		"quota":      {403, "QuotaExceeded", "", "full", "full", "has no space left, or its quota is used up"},
		"disk":       {507, "XMinioStorageFull", "", "full", "full", "has no space left, or its quota is used up"},
		"throttling": {503, "SlowDown", "", "failing", "failing", "returns errors"},
		"gone":       {404, "NoSuchBucket", "", "misconfigured", "misconfigured", "does not exist: create it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/xml")
				if c.header != "" {
					w.Header().Set("X-Amz-Bucket-Region", c.header)
				}
				w.WriteHeader(c.status)
				fmt.Fprintf(w, "<Error><Code>%s</Code><Message>a message</Message></Error>", c.code)
			}))
			defer server.Close()
			backend := openBackend(t, s3test.ObjectsURL(server.Listener.Addr().String(), "a"))
			_, err := backend.Open(t.Context(), "a")
			if stateOf(err) != c.read || !strings.Contains(err.Error(), c.want) {
				t.Errorf("open: got %v, want %s, %q", err, c.read, c.want)
			}
			for _, size := range []int{1, 6 << 20} {
				err = backend.Put(t.Context(), "a", bytes.NewReader(make([]byte, size)))
				if stateOf(err) != c.write || !strings.Contains(err.Error(), c.want) {
					t.Errorf("put: got %v, want %s, %q", err, c.write, c.want)
				}
			}
			if err = backend.Delete(t.Context(), "a"); stateOf(err) != c.write {
				t.Errorf("delete: got %v, want %s", err, c.write)
			}
			if err = backend.List(t.Context(), "", nil); stateOf(err) != c.read {
				t.Errorf("list: got %v, want %s", err, c.read)
			}
		})
	}
}

// TestS3ThatHangs checks that calls to a server that accepts connections and never
// responds end.
func TestS3ThatHangs(t *testing.T) {
	t.Parallel()
	s3test.Start(t) // sets the credentials
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	backend := openBackend(t, s3test.ObjectsURL(listener.Addr().String(), "a"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	for name, call := range map[string]func() error{
		"open": func() error {
			_, err := backend.Open(ctx, "a")
			return err
		},
		"put":       func() error { return backend.Put(ctx, "a", strings.NewReader("x")) },
		"large put": func() error { return backend.Put(ctx, "a", bytes.NewReader(make([]byte, 6<<20))) },
		"delete":    func() error { return backend.Delete(ctx, "a") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := call(); stateOf(err) != "not responding" || ctx.Err() != nil {
				t.Errorf("got %v, want not responding", err)
			}
		})
	}
}

// TestFullAndReadOnlyS3 checks the errors of a server whose disk is full, and of one that
// accepts no writes.
func TestFullAndReadOnlyS3(t *testing.T) {
	t.Parallel()
	disk := storagetest.NewTmpfs(t, "2m")
	server := s3test.StartIn(t, disk.Dir)
	backend := openBackend(t, server.ObjectsURL("a"))
	store := bind(t, storagetest.DB(t), backend)
	if err := store.Put(t.Context(), "acme/a", strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	check := func(state, explanation string) {
		t.Helper()
		err := store.Put(t.Context(), "acme/b", bytes.NewReader(make([]byte, 100<<10)))
		if stateOf(err) != state || !strings.Contains(err.Error(), explanation) {
			t.Errorf("put: got %v, want %s", err, state)
		}
		store.ForgetTest()
		if err := store.Ready(t.Context()); stateOf(err) != state {
			t.Errorf("ready: got %v, want %s", err, state)
		}
		if got, err := readObject(t, store, "acme/a"); got != "content" {
			t.Errorf("read: %q, %v", got, err)
		}
		wantKeys(t, backend, "acme/a")
	}
	free := disk.Fill()
	check("full", "has no space left")
	free()
	server.Restart("--readonly")
	check("read-only", "the credentials are not allowed to write")
	server.Restart()
	store.ForgetTest()
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// TestS3OutageWhileReading checks that a read of an open object fails with the state of
// the store, so that the submission waits instead of failing.
func TestS3OutageWhileReading(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	store := bind(t, storagetest.DB(t), openBackend(t, server.ObjectsURL("")))
	if err := store.Put(t.Context(), "acme/a", bytes.NewReader(make([]byte, 1<<20))); err != nil {
		t.Fatal(err)
	}
	object, err := store.Open(t.Context(), "acme/a")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	server.Stop()
	if n, err := object.ReadAt(make([]byte, 1<<20), 0); stateOf(err) != "away" {
		t.Errorf("read %d bytes, %v, want away", n, err)
	}
	server.Restart()
	if n, err := object.ReadAt(make([]byte, 1<<20), 0); n != 1<<20 || err != nil {
		t.Errorf("read %d bytes, %v, want all", n, err)
	}
}

// TestS3ThatReturnsOtherBytes opens objects through a proxy that replaces their content, with the
// same length and ETag. That is a fault of the store, and not of the document.
func TestS3ThatReturnsOtherBytes(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	var replaces atomic.Bool
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server.Address})
	forward.ModifyResponse = func(response *http.Response) error {
		if replaces.Load() && response.Request.Method == http.MethodGet {
			response.Body = io.NopCloser(io.LimitReader(zeros{}, response.ContentLength))
		}
		return nil
	}
	proxy := httptest.NewServer(forward)
	t.Cleanup(proxy.Close)
	store := bind(t, storagetest.DB(t), openBackend(t, s3test.ObjectsURL(proxy.Listener.Addr().String(), "")))
	for _, size := range []int{1, 100, 1 << 20, 3<<20 + 1} {
		content := bytes.Repeat([]byte("a"), size)
		digest := sha256.Sum256(content)
		if err := store.Put(t.Context(), "acme/a", bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		for _, replaced := range []bool{false, true} {
			replaces.Store(replaced)
			object, err := store.OpenVerified(t.Context(), "acme/a", int64(size), digest[:])
			if (stateOf(err) == "failing") != replaced || errors.Is(err, storage.ErrDiffers) != replaced || (err == nil) == replaced {
				t.Errorf("%d bytes, replaced: %t: %v", size, replaced, err)
			}
			if err == nil {
				object.Close()
			}
		}
		replaces.Store(false)
	}
}

// storeBehind returns a store that reaches the server through a proxy. The proxy forwards a request unless
// responds has responded to it.
func storeBehind(t *testing.T, server *s3test.Server, responds func(http.ResponseWriter, *http.Request) bool) *storage.Store {
	t.Helper()
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server.Address})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !responds(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(proxy.Close)
	return bind(t, storagetest.DB(t), openBackend(t, s3test.ObjectsURL(proxy.Listener.Addr().String(), "")))
}

// TestS3ThatLosesAnObjectForAWhile opens an object through a proxy that first responds that there is
// none and later returns it. The first response counts as a fault of the store.
func TestS3ThatLosesAnObjectForAWhile(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	var loses atomic.Bool
	store := storeBehind(t, server, func(w http.ResponseWriter, r *http.Request) bool {
		lost := loses.Load() && strings.HasSuffix(r.URL.Path, "/acme/a")
		if lost {
			w.WriteHeader(http.StatusNotFound)
		}
		return lost
	})
	content := []byte("content")
	digest := sha256.Sum256(content)
	if err := store.Put(t.Context(), "acme/a", bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	loses.Store(true)
	if _, err := store.OpenVerified(t.Context(), "acme/a", int64(len(content)), digest[:]); stateOf(err) != "failing" || !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, storage.ErrDiffers) {
		t.Errorf("got %v, want a failing store that has no such object", err)
	}
	loses.Store(false)
	object, err := store.OpenVerified(t.Context(), "acme/a", int64(len(content)), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	object.Close()
}

// TestS3WithoutUploadID stores a large object through a proxy that responds to the start of the
// multipart upload with an empty 200.
func TestS3WithoutUploadID(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	var empty atomic.Bool
	store := storeBehind(t, server, func(_ http.ResponseWriter, r *http.Request) bool {
		return empty.Load() && r.Method == http.MethodPost && r.URL.Query().Has("uploads")
	})
	empty.Store(true)
	if err := store.Put(t.Context(), "acme/a", bytes.NewReader(make([]byte, 20<<20))); stateOf(err) != "failing" {
		t.Errorf("got %v, want a failing store", err)
	}
	empty.Store(false)
	if err := store.Put(t.Context(), "acme/a", bytes.NewReader(make([]byte, 20<<20))); err != nil {
		t.Error(err)
	}
}

// zeros reads zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestS3ThatIgnoresRanges reads through a proxy that sends something other than the
// requested range: the read fails, and it is not repeated without end.
func TestS3ThatIgnoresRanges(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	var respond atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool] // reports whether it has responded
	var calls atomic.Int64
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server.Address})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if respond := respond.Load(); respond != nil && r.Method == http.MethodGet && r.Header.Get("If-Match") != "" {
			calls.Add(1)
			if (*respond)(w, r) {
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	store := bind(t, storagetest.DB(t), openBackend(t, s3test.ObjectsURL(proxy.Listener.Addr().String(), "")))
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	if err := store.Put(t.Context(), "acme/a", bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	object, err := store.Open(t.Context(), "acme/a")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	got := make([]byte, len(content))
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"a page in place of the object": func(w http.ResponseWriter, _ *http.Request) bool {
			io.WriteString(w, "<p>under maintenance</p>")
			return true
		},
		"the whole object": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Write(content)
			return true
		},
		"another version": func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("ETag", `"other"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
			return true
		},
		"a few bytes at a time": func(w http.ResponseWriter, r *http.Request) bool {
			var off int
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &off)
			w.Header().Set("ETag", r.Header.Get("If-Match"))
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", off, len(content)-1, len(content)))
			w.Header().Set("Content-Length", fmt.Sprint(len(content)-off))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[off : off+10])
			return true
		},
	} {
		respond.Store(&answer)
		calls.Store(0)
		if n, err := object.ReadAt(got, 0); stateOf(err) == "" {
			t.Errorf("%s: read %d bytes, %v, want an error of the store", name, n, err)
		}
		if n := calls.Load(); n > 50 {
			t.Errorf("%s: %d calls", name, n)
		}
	}
	respond.Store(nil)
	if n, err := object.ReadAt(got, 0); err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, %v, want all", n, err)
	}
}
