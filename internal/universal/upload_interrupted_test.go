package universal_test

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestInterruptedUpload checks that an upload whose client disconnects changes
// nothing and leaves no file.
func TestInterruptedUpload(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: a cut connection stores nothing")
	for _, chunked := range []bool{false, true} {
		t.Run(fmt.Sprintf("chunked %v", chunked), func(t *testing.T) {
			s := servertest.New(t)
			acme := s.Acme()
			_, uploadURL := acme.Announce("a.txt")
			u, err := url.Parse(uploadURL)
			if err != nil {
				t.Fatal(err)
			}
			length := "Content-Length: 500000"
			if chunked {
				length = "Transfer-Encoding: chunked"
			}
			s.Unchanged(t, func() {
				connection := s.Dial(fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Type: multipart/form-data; boundary=b\r\n%s\r\nExpect: 100-continue\r\n\r\n",
					u.RequestURI(), u.Host, length))
				// The server has begun to read the file.
				if line, err := bufio.NewReader(connection).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 100") {
					t.Fatalf("response %q, %v", line, err)
				}
				half := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + strings.Repeat("x", 300_000)
				if chunked {
					half = fmt.Sprintf("%x\r\n%s\r\n", len(half), half)
				}
				io.WriteString(connection, half)
				connection.Close()
				<-s.App.Requests.Stop()
			})
		})
	}
}
