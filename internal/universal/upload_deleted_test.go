package universal_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestUploadOfADeletedTenant deletes, or resets, a tenant while a file arrives: the
// upload is refused and leaves neither a file nor a directory.
func TestUploadOfADeletedTenant(t *testing.T) {
	for name, test := range map[string]struct {
		direct  bool
		control string
		status  int
	}{
		"deleted, upload URL":      {false, "DELETE ", http.StatusForbidden},
		"deleted, submit directly": {true, "DELETE ", http.StatusUnauthorized},
		"reset, upload URL":        {false, "POST /reset", http.StatusForbidden},
		"reset, submit directly":   {true, "POST /reset", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t)
			tenant := s.NewTenant(`{}`)
			_, upload := tenant.Announce("a.txt")
			line := "PUT " + strings.TrimPrefix(upload, s.URL)
			if test.direct {
				line = "POST /universal/v3/universal-submit/file"
			}
			started := startUpload(s, tenant, line)
			if got := tenant.Control(test.control, ""); got.Status >= 300 {
				t.Fatalf("%s: %d %s", test.control, got.Status, got.Body)
			}
			status := started.finish(t)
			if status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			if status == http.StatusOK {
				return // submitted after the reset
			}
			if files := s.StoredFiles(); len(files) > 0 {
				t.Errorf("files %v", files)
			}
			if _, err := os.Stat(filepath.Join(s.Files, "objects", tenant.Name)); !os.IsNotExist(err) {
				t.Errorf("the tenant's directory: %v", err)
			}
		})
	}
}

// startedUpload is an upload that the server has admitted, and whose body it waits for.
type startedUpload struct {
	connection *net.TCPConn
	responses  *bufio.Reader
	body       string
}

// finish sends the body and returns the status of the response.
func (u startedUpload) finish(t *testing.T) int {
	t.Helper()
	fmt.Fprint(u.connection, u.body)
	response, err := http.ReadResponse(u.responses, nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// startUpload starts an upload to the path.
func startUpload(s *servertest.Server, tenant *servertest.Tenant, line string) startedUpload {
	s.T.Helper()
	return startUploadOf(s, tenant, line, servertest.Letter)
}

// startUploadOf is startUpload for a file with the content.
func startUploadOf(s *servertest.Server, tenant *servertest.Tenant, line string, content []byte) startedUpload {
	s.T.Helper()
	contentType, body := servertest.Form(s.T, servertest.Part{Name: "file", Filename: "a.txt", Content: content})
	connection := s.Dial(fmt.Sprintf("%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nX-Api-Key: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		line, strings.TrimPrefix(s.URL, "http://"), tenant.Token, tenant.Key, contentType, len(body)))
	responses := bufio.NewReader(connection)
	// The server has admitted the call and begun to read the file.
	if status, err := responses.ReadString('\n'); !strings.HasPrefix(status, "HTTP/1.1 100") {
		s.T.Fatalf("response %q, %v", status, err)
	}
	responses.ReadString('\n')
	return startedUpload{connection, responses, body}
}

// TestUploadOfAnEarlierSubmission resets a tenant with an id seed while a file arrives, and
// announces a file again, which has the same id: the upload is refused, and the later
// submission has no file.
func TestUploadOfAnEarlierSubmission(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"id_seed":7}`)
	earlier, uploadURL := tenant.Announce("a.txt")
	upload := startUpload(s, tenant, "PUT "+strings.TrimPrefix(uploadURL, s.URL))
	if got := tenant.Control("POST /reset", ""); got.Status >= 300 {
		t.Fatalf("reset: %d %s", got.Status, got.Body)
	}
	later, _ := tenant.Announce("b.txt") // at the same time, because the server's clock stands still
	if earlier != later {
		t.Fatalf("ids %s and %s, want the same", earlier, later)
	}
	if status := upload.finish(t); status != http.StatusForbidden {
		t.Errorf("status %d, want 403", status)
	}
	s.Upload(uploadURL, "a.txt", []byte("a")).Want(t, http.StatusForbidden)
	if files := s.StoredFiles(); len(files) > 0 {
		t.Errorf("files %v", files)
	}
	tenant.Trigger(later).Want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
}
