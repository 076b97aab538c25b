package universal_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestPartialUploadIsRefused sends a part of a file, with a Content-Range, to an upload URL. It is
// refused, and not stored as the whole file.
func TestPartialUploadIsRefused(t *testing.T) {
	s := servertest.New(t)
	_, uploadURL := s.Acme().Announce("letter.txt")
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"letter.txt\"\r\n\r\npart\r\n--b--\r\n"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, uploadURL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	request.Header.Set("Content-Range", "bytes 0-3/100")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if hint := response.Header.Get("X-Understudy-Hint"); response.StatusCode != http.StatusBadRequest || !strings.Contains(hint, "Content-Range") {
		t.Errorf("status %d, hint %q", response.StatusCode, hint)
	}
	if files := s.StoredFiles(); len(files) != 0 {
		t.Errorf("%d files are stored", len(files))
	}
}
