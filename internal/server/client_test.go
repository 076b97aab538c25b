package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// dial opens a connection to the world's server and sends the text.
func (w *servertest.Server) dial(text string) *net.TCPConn {
	w.T.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { connection.Close() })
	if _, err := io.WriteString(connection, text); err != nil {
		w.T.Fatal(err)
	}
	return connection.(*net.TCPConn)
}

// head is the start of a request with a body of the given length.
func head(line, token, kind string, length int) string {
	return fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Api-Key: acme-api-key\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		line, token, kind, length)
}

// TestHalfClosedClient: a client that stops sending after its request has its
// work done, and hears of it.
func TestHalfClosedClient(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	kind, upload := servertest.Form(t, servertest.Part{"file", "a.txt", []byte("Insured: Foxglove Bakery LLC")})
	seed := `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`
	for _, request := range []string{
		head("PUT "+strings.TrimPrefix(url, w.URL), acme.Token, kind, len(upload)) + upload,
		head("POST /company/v1/company_submit", acme.Token, "application/json", len(seed)) + seed,
	} {
		connection := w.dial(request)
		if err := connection.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		servertest.Response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("answer %d %s, %v", answer.StatusCode, body, err)
		}
	}
	acme.Trigger(txID).Want(t, http.StatusOK)
}

// TestFileToTheWrongPlace: a client that writes a whole file before it reads
// hears why it was refused.
func TestFileToTheWrongPlace(t *testing.T) {
	w := servertest.New(t)
	kind, file := servertest.Form(t, servertest.Part{"file", "a.txt", bytes.Repeat([]byte("x"), 20<<20)})
	for line, status := range map[string]int{
		"POST /file-transfer/upload-file?data=x": http.StatusForbidden, // it takes PUT
		"PUT /upload":                            http.StatusForbidden,
		"PUT /hooks":                             http.StatusNotFound,
		"PUT /auth/token":                        http.StatusMethodNotAllowed,
	} {
		servertest.Response, err := http.ReadResponse(bufio.NewReader(w.dial(head(line, "", kind, len(file))+file)), nil)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		answer.Body.Close()
		if answer.StatusCode != status {
			t.Errorf("%s: %d, want %d", line, answer.StatusCode, status)
		}
	}
}

// TestUploadCutBehindItsEnd: a body shorter than was said is a cut upload,
// even when its last boundary came.
func TestUploadCutBehindItsEnd(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	kind, upload := servertest.Form(t, servertest.Part{"file", "a.txt", []byte("cut")})
	connection := w.dial(head("PUT "+strings.TrimPrefix(url, w.URL), acme.Token, kind, len(upload)+1000) + upload)
	if err := connection.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, connection) // until the server has done with it
	acme.Trigger(txID).Want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
}

// TestLargeRefusalIsHeard: a client that sends far more than is taken gets to
// read why.
func TestLargeRefusalIsHeard(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	large := `{"filename":"` + strings.Repeat("x", 8<<20) + `"}`
	acme.Do("POST /universal/v2/universal-submit/file-upload-url", large).
		Want(t, http.StatusRequestEntityTooLarge, `{"message":"Request Too Long"}`)
	w.Do(servertest.Call{
		Line:   "POST /auth/token",
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		Body:   strings.Repeat("x", 8<<20),
	}).Want(t, http.StatusRequestEntityTooLarge)
}

// TestEscapedPath: an escape that need not be one names the same thing.
func TestEscapedPath(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID := acme.Submit("a.txt", []byte("Insured: Foxglove Bakery LLC"))
	acme.Do("GET /data/v2/acme%2Dus-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
}
