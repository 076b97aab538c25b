package servertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"mime/multipart"
	"net/textproto"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Letter is a document that states the basics.
var Letter = []byte("Named Insured: Foxglove Bakery LLC\nMailing Address: 12 Mill Street, Springfield, IL 62701\n" +
	"Effective Date: 04/01/2026\nExpiration Date: 04/01/2027\n")

// Part is one part of a multipart body.
type Part struct {
	Name, Filename string
	Content        []byte
}

// Form returns a multipart body and its content type.
func Form(t testing.TB, parts ...Part) (contentType, body string) {
	t.Helper()
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	for _, part := range parts {
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", multipart.FileContentDisposition(part.Name, part.Filename))
		header.Set("Content-Type", "application/octet-stream")
		out, err := writer.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(part.Content)
	}
	writer.Close()
	return writer.FormDataContentType(), buffer.String()
}

// Root returns the directory of the repository.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// ReadFile reads a file of the repository.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(Root(t), path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Example reads one of the example documents.
func Example(t testing.TB, name string) []byte {
	t.Helper()
	return ReadFile(t, "examples/"+name)
}

// Update is set by -update: rewrite the expected bodies in testdata.
var Update = flag.Bool("update", false, "rewrite the expected bodies in testdata")

// Golden fails the test unless the JSON is that of testdata/name.
func Golden(t *testing.T, name, body string) {
	t.Helper()
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(body), "", "  "); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	text.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *Update {
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("%s (- want, + got):\n%s", path, diff)
	}
}
