package universal_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// Bodies of refused uploads.
const (
	fileRequired         = `{"message":"file is required"}`
	unsupportedMediaType = `{"message":"Unsupported Media Type"}`
	requestTooLong       = `{"message":"Request Too Long"}`
)

// refuseUpload makes the call with a Content-Length and then in chunks, and checks
// that it is refused both times and changes nothing.
func refuseUpload(t *testing.T, s *servertest.Server, c servertest.Call, status int, body string) {
	t.Helper()
	s.Refused(t, c, status, body)
	s.Unchanged(t, func() {
		method, target, _ := strings.Cut(c.Line, " ")
		if strings.HasPrefix(target, "/") {
			target = s.URL + target
		}
		request, err := http.NewRequest(method, target, io.MultiReader(strings.NewReader(c.Body)))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range c.Header {
			request.Header.Set(name, value)
		}
		if c.Token != "" {
			request.Header.Set("Authorization", "Bearer "+c.Token)
			request.Header.Set("X-Api-Key", c.Key)
		}
		s.Send(request).Want(t, status, body)
	})
}

// TestUploadURLForgeries checks that only the URL that the server signed is
// accepted.
func TestUploadURLForgeries(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: the environment is bound into upload URLs",
		"Chosen, universal submit: upload URL without data or altered: 403")
	s := servertest.New(t)
	txID, signed := s.Acme().Announce("a.txt")
	_, staging := s.Environment("staging").Acme().Announce("a.txt")
	data := queryOf(t, signed).Get("data")
	flip := func(i int) string {
		b := []byte(data)
		b[i] = map[bool]byte{true: 'B', false: 'A'}[b[i] == 'A']
		return "data=" + string(b)
	}
	kind, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("new")})
	for name, query := range map[string]string{
		"no query":                   "",
		"data empty":                 "data=",
		"data garbage":               "data=abc",
		"data the tx_id":             "data=" + txID,
		"data twice":                 "data=" + data + "&data=" + data,
		"data shortened":             "data=" + data[:len(data)-1],
		"data lengthened":            "data=" + data + "A",
		"data padded":                "data=" + data + "==",
		"data altered at the start":  flip(0),
		"data altered in the middle": flip(30),
		"data altered at the end":    flip(len(data) - 2),
		"another environment's":      "data=" + queryOf(t, staging).Get("data"),
	} {
		t.Run(name, func(t *testing.T) {
			line := "PUT /file-transfer/upload-file?" + query
			refuseUpload(t, s, servertest.Call{Line: line, Header: contentType(kind), Body: body}, http.StatusForbidden, servertest.Forbidden)
			// The URL is checked before the body.
			refuseUpload(t, s, servertest.Call{Line: line, Header: contentType("text/plain"), Body: "x"}, http.StatusForbidden, servertest.Forbidden)
		})
	}
	s.Upload(signed, "a.txt", servertest.Letter).Want(t, http.StatusOK)
}

func queryOf(t *testing.T, text string) url.Values {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func TestUploadRefusals(t *testing.T) {
	servertest.Proves(t, "Endpoint 3, upload: one part named file",
		"Chosen, universal submit: upload without a file, with two or an empty one: 400",
		"Chosen, universal submit: upload that is not multipart: 415",
		"Chosen, universal submit: upload above the limit: 413")
	s := servertest.New(t)
	acme := s.Acme()
	txID, used := acme.Announce("a.txt")
	s.Upload(used, "a.txt", []byte("stored")).Want(t, http.StatusOK)
	_, unused := acme.Announce("b.txt")

	file := func(name, content string) servertest.Part {
		return servertest.Part{Name: name, Filename: "a.txt", Content: []byte(content)}
	}
	kind, body := servertest.Form(t, file("file", "new"))
	boundary := strings.TrimPrefix(kind, "multipart/form-data; boundary=")
	form := func(parts ...servertest.Part) string { // with the same boundary
		t.Helper()
		other, text := servertest.Form(t, parts...)
		return strings.ReplaceAll(text, strings.TrimPrefix(other, "multipart/form-data; boundary="), boundary)
	}
	large := strings.Repeat("x", 5<<20)
	var manyFields strings.Builder
	for n := range 50 {
		fmt.Fprintf(&manyFields, "A%d: x\r\n", n)
	}
	for name, c := range map[string]struct {
		kind, body string
		status     int
		response   string
	}{
		"no content type":        {"", body, 415, unsupportedMediaType},
		"bare bytes":             {"application/octet-stream", "new", 415, unsupportedMediaType},
		"urlencoded":             {"application/x-www-form-urlencoded", "file=new", 415, unsupportedMediaType},
		"multipart of another":   {"multipart/mixed; boundary=" + boundary, body, 415, unsupportedMediaType},
		"no boundary":            {"multipart/form-data", body, 415, unsupportedMediaType},
		"broken content type":    {"multipart/form-data; boundary", body, 415, unsupportedMediaType},
		"empty body":             {kind, "", 400, fileRequired},
		"another boundary":       {"multipart/form-data; boundary=other", body, 400, fileRequired},
		"no parts":               {kind, "--" + boundary + "--\r\n", 400, fileRequired},
		"long header of a part":  {kind, form(servertest.Part{Name: "file", Filename: strings.Repeat("x", 9<<10), Content: []byte("new")}), 400, fileRequired},
		"many fields of a part":  {kind, strings.Replace(body, "Content-Disposition:", manyFields.String()+"Content-Disposition:", 1), 400, fileRequired},
		"101 parts":              {kind, form(append(slices.Repeat([]servertest.Part{{Name: "x"}}, 100), file("file", "new"))...), 400, fileRequired},
		"no part of the name":    {kind, form(file("document", "new")), 400, fileRequired},
		"name in another case":   {kind, form(file("File", "new")), 400, fileRequired},
		"two files":              {kind, form(file("file", "new"), file("file", "newer")), 400, fileRequired},
		"two files, one empty":   {kind, form(file("file", "new"), file("file", "")), 400, fileRequired},
		"two files apart":        {kind, form(file("file", "new"), servertest.Part{Name: "x"}, file("file", "newer")), 400, fileRequired},
		"empty file":             {kind, form(file("file", "")), 400, fileRequired},
		"cut within the file":    {kind, body[:strings.Index(body, "new")+2], 400, fileRequired},
		"cut before the end":     {kind, body[:len(body)-6], 400, fileRequired},
		"cut within the head":    {kind, body[:len(boundary)+20], 400, fileRequired},
		"a byte above the limit": {kind, form(file("file", large[:1<<20+1])), 413, requestTooLong},
		"far above the limit":    {kind, form(file("file", large)), 413, requestTooLong},
		"other parts too large":  {kind, form(servertest.Part{Name: "x", Content: []byte(large)}, file("file", "new")), 413, requestTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			for _, url := range []string{used, unused} {
				refuseUpload(t, s, servertest.Call{Line: "PUT " + url, Header: contentType(c.kind), Body: c.body}, c.status, c.response)
			}
		})
	}
	if got := storedFile(t, s, txID); got != "stored" {
		t.Errorf("file %q, want %q", got, "stored")
	}
	s.Upload(unused, "b.txt", make([]byte, 1<<20)).Want(t, http.StatusOK) // exactly the limit
}
