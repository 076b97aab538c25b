package server_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestHalfClosedConnectionGetsItsResponse checks that a client which closes its side
// of the connection after the request has its work done and gets the response.
func TestHalfClosedConnectionGetsItsResponse(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	contentType, upload := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("Insured: Foxglove Bakery LLC")})
	const company = `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`
	for _, request := range []string{
		servertest.RequestHead("PUT "+strings.TrimPrefix(url, s.URL), acme.Token, contentType, len(upload)) + upload,
		servertest.RequestHead(servertest.SubmitCompany, acme.Token, "application/json", len(company)) + company,
	} {
		connection := s.Dial(request)
		if err := connection.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("response %d %s, %v", response.StatusCode, body, err)
		}
	}
	acme.Trigger(txID).Want(t, http.StatusOK)
}

// TestFileSentToTheWrongURLIsRead checks that a client which writes a whole file
// before it reads gets to see the refusal.
func TestFileSentToTheWrongURLIsRead(t *testing.T) {
	s := servertest.New(t)
	contentType, file := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: bytes.Repeat([]byte("x"), 20<<20)})
	for line, status := range map[string]int{
		"POST /file-transfer/upload-file?data=x": http.StatusForbidden, // it takes PUT
		"PUT /upload":                            http.StatusForbidden,
		"PUT /hooks":                             http.StatusNotFound,
		"PUT /auth/token":                        http.StatusMethodNotAllowed,
	} {
		connection := s.Dial(servertest.RequestHead(line, "", contentType, len(file)) + file)
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("%s: response %d, want %d", line, response.StatusCode, status)
		}
	}
}

// TestUploadShorterThanAnnouncedIsCutOff checks that an upload which ends before its
// Content-Length is not stored, even after the last boundary.
func TestUploadShorterThanAnnouncedIsCutOff(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: a cut connection stores nothing")
	s := servertest.New(t)
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	contentType, upload := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("cut")})
	connection := s.Dial(servertest.RequestHead("PUT "+strings.TrimPrefix(url, s.URL), acme.Token, contentType, len(upload)+1000) + upload)
	if err := connection.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, connection) // until the server has ended the call
	acme.Trigger(txID).Want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
}

// TestClientReadsTheRefusalOfALargeBody checks that a client which sends far more
// than the server takes gets to see the refusal.
func TestClientReadsTheRefusalOfALargeBody(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	large := `{"filename":"` + strings.Repeat("x", 8<<20) + `"}`
	acme.Do(servertest.GetUploadURL, large).Want(t, http.StatusRequestEntityTooLarge, `{"message":"Request Too Long"}`)
	s.Do(servertest.Call{
		Line:   "POST /auth/token",
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		Body:   strings.Repeat("x", 8<<20),
	}).Want(t, http.StatusRequestEntityTooLarge)
}

// TestEscapedPath checks that an unnecessary escape in a path does not matter.
func TestEscapedPath(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("a.txt", []byte("Insured: Foxglove Bakery LLC"))
	acme.Do("GET /data/v2/acme%2Dus-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
}

// TestHeadsOfOneTenant keeps requests of one tenant in progress until their heads use all
// memory for heads: the tenant loses connections, and the calls of another one succeed.
func TestHeadsOfOneTenant(t *testing.T) {
	s := servertest.New(t)
	heavy, other := s.NewTenant("{}"), s.NewTenant("{}")
	heavy.Fault(`{"route":"GET /hooks","delay":"1m"}`)
	closed := make(chan struct{}, 10_000)
	hold := func(pad int) {
		connection := s.Dial("GET /hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + heavy.Token + "\r\nX-Pad: " + strings.Repeat("x", pad) + "\r\n\r\n")
		go func() {
			io.Copy(io.Discard, connection)
			closed <- struct{}{}
		}()
	}
	for full := false; !full; {
		hold(14_000)
		select {
		case <-closed:
			full = true
		default:
		}
	}
	for range 200 { // fill the rest of the memory for heads
		hold(1)
	}
	for range 4 {
		call := servertest.Call{Line: "GET /hooks", Token: other.Token, Header: map[string]string{"X-Pad": strings.Repeat("x", 4000)}}
		s.DoWith(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, call).Want(t, http.StatusOK)
	}
}
