package universal_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// TestCutUpload: a client that goes away leaves nothing behind.
func TestCutUpload(t *testing.T) {
	for _, chunked := range []bool{false, true} {
		t.Run(fmt.Sprintf("chunked %v", chunked), func(t *testing.T) {
			w := servertest.New(t)
			acme := w.Acme()
			_, address := acme.Announce("a.txt")
			u, _ := url.Parse(address)
			connection, err := net.Dial("tcp", u.Host)
			if err != nil {
				t.Fatal(err)
			}
			length := "Content-Length: 500000"
			if chunked {
				length = "Transfer-Encoding: chunked"
			}
			rows, files := w.Rows(), w.StoredFiles()
			fmt.Fprintf(connection, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Type: multipart/form-data; boundary=b\r\n%s\r\nExpect: 100-continue\r\n\r\n", u.RequestURI(), u.Host, length)
			// The server has begun to take the file.
			if line, err := bufio.NewReader(connection).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 100") {
				t.Fatalf("answer %q, %v", line, err)
			}
			half := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + strings.Repeat("x", 300_000)
			if chunked {
				half = fmt.Sprintf("%x\r\n%s\r\n", len(half), half)
			}
			io.WriteString(connection, half)
			connection.Close()
			<-w.App.Requests.Stop()
			if diff := cmp.Diff(rows, w.Rows()); diff != "" {
				t.Errorf("rows changed:\n%s", diff)
			}
			if diff := cmp.Diff(files, w.StoredFiles()); diff != "" {
				t.Errorf("files changed:\n%s", diff)
			}
		})
	}
}
