package universal_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
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
			u, err := url.Parse(upload)
			if err != nil {
				t.Fatal(err)
			}
			line := "PUT " + u.RequestURI()
			if test.direct {
				line = "POST /universal/v3/universal-submit/file"
			}
			contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
			connection := s.Dial(fmt.Sprintf("%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nX-Api-Key: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
				line, u.Host, tenant.Token, tenant.Key, contentType, len(body)))
			responses := bufio.NewReader(connection)
			// The server has admitted the call and begun to read the file.
			if status, err := responses.ReadString('\n'); !strings.HasPrefix(status, "HTTP/1.1 100") {
				t.Fatalf("response %q, %v", status, err)
			}
			responses.ReadString('\n')
			if got := tenant.Control(test.control, ""); got.Status >= 300 {
				t.Fatalf("%s: %d %s", test.control, got.Status, got.Body)
			}
			fmt.Fprint(connection, body)
			response, err := http.ReadResponse(responses, nil)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != test.status {
				t.Errorf("status %d, want %d", response.StatusCode, test.status)
			}
			if response.StatusCode == http.StatusOK {
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
