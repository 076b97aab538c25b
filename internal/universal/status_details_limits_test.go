package universal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestDetailsOfManyParts checks the details of a mail with many attachments that have long
// names: the names are truncated, and memory is reserved until the client has read the
// response.
func TestDetailsOfManyParts(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) { o.Transfers.Stall = 5 * time.Minute })
	acme := s.Acme()
	var mail strings.Builder
	mail.WriteString("From: ann@quill.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n")
	const count = 900
	for i := range count {
		fmt.Fprintf(&mail, "--b\r\nContent-Disposition: attachment; filename=\"%d%s.txt\"\r\n\r\nhello\r\n", i, strings.Repeat("n", 1000))
	}
	mail.WriteString("--b--\r\n")
	txID := acme.Submit("many.eml", []byte(mail.String()))
	details := acme.Do(detailsOf+txID+"/details", "").Want(t, http.StatusOK)
	files := details.Get(t, "files").([]any)
	if len(files) != 1+count {
		t.Errorf("%d files", len(files))
	}
	for _, file := range files {
		if name := file.(map[string]any)["filename"].(string); len(name) > 255 {
			t.Fatalf("a name of %d bytes", len(name))
		}
	}
	connection := s.Dial("")
	if err := connection.SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	head := servertest.RequestHead(detailsOf+txID+"/details", acme.Token, "application/json", 0)
	if _, err := connection.Write([]byte(head)); err != nil {
		t.Fatal(err)
	}
	servertest.Until(t, "memory is reserved for the response", func() bool { return s.App.Budget.Used() > 0 })
	connection.Close()
	servertest.Until(t, "the memory is released", func() bool { return s.App.Budget.Used() == 0 })
}

// TestDetailsDoNotReadTheExtraction checks that the details of a submission do not read its
// extraction, which can be large, also after an import.
func TestDetailsDoNotReadTheExtraction(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("mail.eml", []byte(mailWith("schedule.csv", statementOfValues(2))))
	want := acme.Do(detailsOf+txID+"/details", "").Want(t, http.StatusOK).Body
	archive := s.Tenant("acme").Control("GET /archive", "").Want(t, http.StatusOK).Body
	imported := servertest.Open(t)
	imported.ControlWith(t, imported.ControlClient, "POST /tenants/acme/archive", archive, map[string]string{"Content-Type": "application/x-tar"}).Want(t, http.StatusOK)
	for _, server := range []*servertest.Server{s, imported} {
		server.Exec("update submissions set extraction = null")
		if got := server.Acme().Do(detailsOf+txID+"/details", "").Want(t, http.StatusOK).Body; got != want {
			t.Errorf("details %s, want %s", got, want)
		}
	}
	// A server that does not know the column parts has written the row.
	s.Exec(`update submissions set parts = null, extraction = '{"parts":[{"name":"a"},{"name":"old.txt"}]}'`)
	if got := acme.Do(detailsOf+txID+"/details", "").Want(t, http.StatusOK).Body; !strings.Contains(got, "old.txt") {
		t.Errorf("details %s", got)
	}
}
