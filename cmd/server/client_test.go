package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// dial opens a connection to the world's server and sends the text.
func (w *world) dial(text string) *net.TCPConn {
	w.t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { connection.Close() })
	if _, err := io.WriteString(connection, text); err != nil {
		w.t.Fatal(err)
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
	w := newWorld(t)
	acme := w.acme()
	txID, url := acme.announce("a.txt")
	kind, upload := form(t, part{"file", "a.txt", []byte("Insured: Foxglove Bakery LLC")})
	seed := `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`
	for _, request := range []string{
		head("PUT "+strings.TrimPrefix(url, w.url), acme.token, kind, len(upload)) + upload,
		head("POST /company/v1/company_submit", acme.token, "application/json", len(seed)) + seed,
	} {
		connection := w.dial(request)
		if err := connection.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("answer %d %s, %v", answer.StatusCode, body, err)
		}
	}
	acme.trigger(txID).want(t, http.StatusOK)
}

// TestFileToTheWrongPlace: a client that writes a whole file before it reads
// hears why it was refused.
func TestFileToTheWrongPlace(t *testing.T) {
	w := newWorld(t)
	kind, file := form(t, part{"file", "a.txt", bytes.Repeat([]byte("x"), 20<<20)})
	for line, status := range map[string]int{
		"POST /file-transfer/upload-file?data=x": http.StatusForbidden, // it takes PUT
		"PUT /upload":                            http.StatusForbidden,
		"PUT /hooks":                             http.StatusNotFound,
		"PUT /auth/token":                        http.StatusMethodNotAllowed,
	} {
		answer, err := http.ReadResponse(bufio.NewReader(w.dial(head(line, "", kind, len(file))+file)), nil)
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
	w := newWorld(t)
	acme := w.acme()
	txID, url := acme.announce("a.txt")
	kind, upload := form(t, part{"file", "a.txt", []byte("cut")})
	connection := w.dial(head("PUT "+strings.TrimPrefix(url, w.url), acme.token, kind, len(upload)+1000) + upload)
	if err := connection.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, connection) // until the server has done with it
	acme.trigger(txID).want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
}

// TestLargeRefusalIsHeard: a client that sends far more than is taken gets to
// read why.
func TestLargeRefusalIsHeard(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	large := `{"filename":"` + strings.Repeat("x", 8<<20) + `"}`
	acme.do("POST /universal/v2/universal-submit/file-upload-url", large).
		want(t, http.StatusRequestEntityTooLarge, `{"message":"Request Too Long"}`)
	w.do(call{
		line:   "POST /auth/token",
		header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		body:   strings.Repeat("x", 8<<20),
	}).want(t, http.StatusRequestEntityTooLarge)
}

// TestEscapedPath: an escape that need not be one names the same thing.
func TestEscapedPath(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	txID := acme.submit("a.txt", []byte("Insured: Foxglove Bakery LLC"))
	acme.do("GET /data/v2/acme%2Dus-c0001/"+txID+"?idType=transaction", "").want(t, http.StatusOK)
}
