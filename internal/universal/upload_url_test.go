package universal_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/server/servertest"
)

func TestUploadURLRefusals(t *testing.T) {
	servertest.Proves(t, "Endpoint 2, upload URL: body and response",
		"Chosen, universal submit: filename missing, blank, no string or too long: 400")
	s := servertest.New(t)
	acme := s.Acme()
	const required, notString, tooLong = "filename is required", "filename must be a string", "filename must be at most 255 bytes"
	for name, c := range map[string]struct{ body, message string }{
		"missing":                  {`{}`, required},
		"another key":              {`{"file_name":"a.txt"}`, required},
		"key in another case":      {`{"Filename":"a.txt"}`, required},
		"empty":                    {`{"filename":""}`, required},
		"blank":                    {`{"filename":" \t\n"}`, required},
		"blank beyond ASCII":       {`{"filename":"\u00a0\u2003"}`, required},
		"null":                     {`{"filename":null}`, required},
		"number":                   {`{"filename":1}`, notString},
		"boolean":                  {`{"filename":true}`, notString},
		"array":                    {`{"filename":["a.txt"]}`, notString},
		"object":                   {`{"filename":{"filename":"a.txt"}}`, notString},
		"256 bytes":                {`{"filename":"` + strings.Repeat("a", 252) + `.txt"}`, tooLong},
		"256 bytes in 128 letters": {`{"filename":"` + strings.Repeat("é", 128) + `"}`, tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			call := servertest.Call{Line: servertest.GetUploadURL, Token: acme.Token, Key: acme.Key, Body: c.body}
			s.Refused(t, call, http.StatusBadRequest, `{"message":"`+c.message+`"}`)
		})
	}
}

func TestUploadURL(t *testing.T) {
	servertest.Proves(t,
		"Upload-URL response: upload_url",
		"Endpoint 2, upload URL: method and path",
		"Chosen, universal submit: upload URL: its path, and data that cannot be guessed")
	s := servertest.New(t)
	acme := s.Acme()
	seen := map[string]bool{}
	for _, filename := range []string{"a.txt", "a.txt", "a", strings.Repeat("a", 251) + ".txt", strings.Repeat("é", 127) + "x", " a b .txt", "../a.txt", "a\t.txt"} {
		txID, uploadURL := acme.Announce(filename)
		if id, err := uuid.Parse(txID); err != nil || id.String() != txID || seen[txID] {
			t.Errorf("tx_id %s, want a new UUID", txID)
		}
		seen[txID] = true
		u, err := url.Parse(uploadURL)
		if err != nil || u.Scheme+"://"+u.Host != s.URL || u.Path != "/file-transfer/upload-file" || len(u.Query()) != 1 {
			t.Errorf("upload_url %s", uploadURL)
		}
		data, err := base64.RawURLEncoding.DecodeString(u.Query().Get("data"))
		if err != nil || len(data) < 128/8 || seen[string(data)] {
			t.Errorf("upload_url %s: data is not 128 new bits or more", uploadURL)
		}
		seen[string(data)] = true
		if got := servertest.Value[string](s, "select filename from submissions where tx_id = $1", txID); got != filename {
			t.Errorf("filename %q, want %q", got, filename)
		}
	}
}

func TestPublicURL(t *testing.T) {
	servertest.Proves(t, "Chosen, process: upload URLs start with the public URL")
	for _, public := range []string{"https://submit.example.com", "https://submit.example.com/", "http://host.example:8443"} {
		t.Run(public, func(t *testing.T) {
			s := servertest.New(t, func(o *servertest.Options) { o.PublicURL = public })
			_, uploadURL := s.Acme().Announce("a.txt")
			const path = "/file-transfer/upload-file?data="
			data, found := strings.CutPrefix(uploadURL, strings.TrimSuffix(public, "/")+path)
			if !found {
				t.Fatalf("upload_url %s", uploadURL)
			}
			s.Upload(s.URL+path+data, "a.txt", servertest.Letter).Want(t, http.StatusOK)
		})
	}
}

// TestBadPublicURL checks that a server does not start with a public URL that
// clients could not use.
func TestBadPublicURL(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"host.example:8443", "not a url", "ftp://host.example", "https://", "https://host.example/?a=b"} {
		if output := servertest.Refusal(t, "--data-dir", t.TempDir(), "PUBLIC_URL="+bad); !strings.Contains(output, "PUBLIC_URL") {
			t.Errorf("PUBLIC_URL=%s: output %s", bad, output)
		}
	}
}
