package snippet

import (
	"bytes"
	"cmp"
	"strings"
	"text/template"
)

// GoTest, PythonTest and JavaScriptTest return a test that makes a call again. It reads a
// secret from an environment variable, and a file from the working directory.
var (
	GoTest = newTest(" + ", goQuote, func(name string) string { return `os.Getenv("` + name + `")` }, `package client_test

import (
{{- if .Parts}}
	"bytes"{{end}}
	"io"
{{- if .Parts}}
	"mime/multipart"{{end}}
	"net/http"
{{- if .Parts}}
	"net/textproto"{{end}}
{{- if .NeedsOS}}
	"os"{{end}}
{{- if not .Parts}}
	"strings"{{end}}
	"testing"
)

func TestCall(t *testing.T) {
{{- if .Cut}}
	// The journal has only the first 64 KB of the body.{{end}}
{{- if .Parts}}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
{{- range .Parts}}
	{
		{{if .Filename}}content, err := os.ReadFile({{quote .File}})
		if err != nil {
			t.Fatal(err)
		}
		part, err := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {{"{"}}{{quote .Disposition}}{{"}"}},{{if .ContentType}}
			"Content-Type":        {{"{"}}{{quote .ContentType}}{{"}"}},{{end}}
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(content); err != nil {
			t.Fatal(err)
		}{{else}}if err := form.WriteField({{quote .Name}}, ""); err != nil {
			t.Fatal(err)
		}{{end}}
	}
{{- end}}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest({{quote .Method}}, {{phrase .URL}}, &body)
{{- else}}
	request, err := http.NewRequest({{quote .Method}}, {{phrase .URL}}, strings.NewReader({{phrase .Body}}))
{{- end}}
	if err != nil {
		t.Fatal(err)
	}
{{- range .Headers}}
	request.Header.Add({{quote .Name}}, {{phrase .Value}})
{{- end}}
{{- if .Parts}}
	request.Header.Set("Content-Type", form.FormDataContentType())
{{- end}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != {{.Want}} {
		t.Errorf("status %d, want {{.Want}}: %s", response.StatusCode, text)
	}
}
`)
	PythonTest = newTest(" + ", pythonQuote, func(name string) string { return `os.environ["` + name + `"]` }, `{{if .NeedsOS}}import os
{{end}}import unittest
import urllib.error
import urllib.request
{{if .Parts}}import uuid
{{end}}

class CallTest(unittest.TestCase):
    def test_call(self):
{{- if .Cut}}
        # The journal has only the first 64 KB of the body.{{end}}
{{- if .Parts}}
        boundary = uuid.uuid4().hex
        body = b""
{{- range .Parts}}
        body += ("--" + boundary + "\r\n" + {{quote (print "Content-Disposition: " .Disposition "\r\n")}}{{if .ContentType}} + {{quote (print "Content-Type: " .ContentType "\r\n")}}{{end}} + "\r\n").encode()
{{- if .Filename}}
        with open({{quote .File}}, "rb") as file:
            body += file.read()
{{- end}}
        body += b"\r\n"
{{- end}}
        body += ("--" + boundary + "--\r\n").encode()
{{- else if .Body}}
        body = ({{phrase .Body}}).encode()
{{- else}}
        body = None
{{- end}}
        request = urllib.request.Request({{phrase .URL}}, data=body, method={{quote .Method}})
{{- range .Headers}}
        request.add_header({{quote .Name}}, {{phrase .Value}})
{{- end}}
{{- if .Parts}}
        request.add_header("Content-Type", "multipart/form-data; boundary=" + boundary)
{{- end}}
        try:
            response = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read()
        self.assertEqual(response.status, {{.Want}}, text)


if __name__ == "__main__":
    unittest.main()
`)
	JavaScriptTest = newTest(" + ", jsonQuote, func(name string) string { return "process.env." + name }, `import assert from 'node:assert/strict';
{{if .ReadsFile}}import { readFile } from 'node:fs/promises';
{{end}}import test from 'node:test';

test('call', async () => {
{{- if .Cut}}
  // The journal has only the first 64 KB of the body.{{end}}
{{- if .Parts}}
  const body = new FormData();
{{- range .Parts}}
{{- if .Filename}}
  body.append({{quote .Name}}, new Blob([await readFile({{quote .File}})], { type: {{quote .ContentType}} }), {{quote .Filename}});
{{- else}}
  body.append({{quote .Name}}, '');
{{- end}}
{{- end}}
{{- end}}
  const headers = new Headers();
{{- range .Headers}}
  headers.append({{quote .Name}}, {{phrase .Value}});
{{- end}}
  const response = await fetch({{phrase .URL}}, {
    method: {{quote .Method}},
    headers,
{{- if .Parts}}
    body,
{{- else if .Body}}
    body: {{phrase .Body}},
{{- end}}
  });
  assert.equal(response.status, {{.Want}}, await response.text());
});
`)
)

// newTest returns a function that writes a call as a test. quote returns a text as a
// string of the language, and variable returns the expression for an environment
// variable. joined stands between the parts of a string.
func newTest(joined string, quote, variable func(string) string, text string) func(Call) (string, error) {
	parsed := template.Must(template.New("").Funcs(template.FuncMap{
		"quote":  quote,
		"phrase": func(p phrase) string { return p.write(joined, quote, variable) },
	}).Parse(text))
	return func(r Call) (string, error) {
		var out bytes.Buffer
		err := parsed.Execute(&out, testCall{r})
		return out.String(), err
	}
}

// testCall is what the template of a test uses.
type testCall struct{ Call }

// Want returns the status that the test expects.
func (c testCall) Want() int { return cmp.Or(c.Status, 200) }

// ReadsFile reports whether the test reads a file.
func (c testCall) ReadsFile() bool {
	for _, p := range c.Parts() {
		if p.Filename != "" {
			return true
		}
	}
	return false
}

// NeedsOS reports whether the test reads a file or an environment variable.
func (c testCall) NeedsOS() bool { return c.ReadsFile() || len(c.Variables()) > 0 }

// Parts returns the parts of the body.
func (c testCall) Parts() []testPart {
	parts := make([]testPart, len(c.Call.Parts))
	for i, p := range c.Call.Parts {
		parts[i] = testPart{p, p.filename()}
	}
	return parts
}

type testPart struct {
	part
	File string // from which it is read
}

// Disposition returns the header Content-Disposition of the part.
func (p testPart) Disposition() string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "")
	disposition := `form-data; name="` + escape.Replace(p.Name) + `"`
	if p.Filename != "" {
		disposition += `; filename="` + escape.Replace(p.Filename) + `"`
	}
	return disposition
}
