package universal

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal/filepart"
)

// FuzzFileReader checks that the reader ends for any body, and returns either a
// whole file within the limit or a refusal.
func FuzzFileReader(f *testing.F) {
	const boundary, limit = "b", 64
	part := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
	f.Add(part + "hello\r\n--b--\r\n")
	f.Add(part + "hello")
	f.Add(part + "\r\n--b--\r\n")
	f.Add(part + "one\r\n" + part + "two\r\n--b--\r\n")
	f.Add(part + strings.Repeat("x", limit+1) + "\r\n--b--\r\n")
	f.Add("--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b--\r\n")
	uploads := oneUpload(f)
	f.Fuzz(func(t *testing.T, body string) {
		request := httptest.NewRequest(http.MethodPut, "/", strings.NewReader(body))
		request.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		begun, err := uploads.begin(t.Context(), uuid.Nil, uuid.Nil, limit)
		if err != nil {
			t.Fatal(err)
		}
		defer begun.end()
		file, err := filepart.New(request, begun.body, limit, begun.grow)
		if err != nil {
			return
		}
		content, err := io.ReadAll(file)
		if err == nil && (len(content) == 0 || len(content) > limit || file.Size() != int64(len(content))) {
			t.Errorf("read %d bytes of a file of %d", len(content), file.Size())
		}
		if err == nil && !strings.HasPrefix(body, "--b") && !strings.Contains(body, "\n--b") {
			t.Errorf("read a file from a body without parts: %q", body)
		}
		if err != nil && err != file.Refusal() {
			t.Errorf("error %v, want the refusal %v", err, file.Refusal())
		}
	})
}

// oneUpload returns Uploads with at most one in progress.
func oneUpload(t testing.TB) *Uploads {
	backend, err := storage.OpenObjects("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return NewUploads(&storage.Store{Backend: backend}, UploadLimits{Total: 1, PerTenant: 1, Wait: time.Minute})
}

// sizedReader records the size of the largest buffer into which it is read.
type sizedReader struct {
	io.Reader
	largest int
}

func (r *sizedReader) Read(p []byte) (int, error) {
	r.largest = max(r.largest, len(p))
	return r.Reader.Read(p)
}

// TestUploadUsesASmallBuffer checks the size of the buffer of a body, because clients can
// keep many uploads in progress.
func TestUploadUsesASmallBuffer(t *testing.T) {
	t.Parallel()
	begun, err := oneUpload(t).begin(t.Context(), uuid.Nil, uuid.Nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer begun.end()
	body := &sizedReader{Reader: strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n" + strings.Repeat("a", 1<<20) + "\r\n--b--\r\n")}
	request := httptest.NewRequest(http.MethodPut, "/", body)
	request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	file, err := filepart.New(request, begun.body, 2<<20, begun.grow)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, file); err != nil || n != 1<<20 || body.largest != 32<<10 {
		t.Errorf("%d bytes, %v, read into %d bytes, want 32 KiB", n, err, body.largest)
	}
}
