package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// jsonBodies are valid bodies of the calls that take JSON.
var jsonBodies = map[string]string{
	servertest.GetUploadURL:  `{"filename":"a.txt"}`,
	servertest.SubmitCompany: `{"company_name":"A","address":"B"}`,
}

// TestBodyMustBeOnePlainJSONObject checks that any other body is refused as a whole.
func TestBodyMustBeOnePlainJSONObject(t *testing.T) {
	servertest.Slow(t)
	servertest.Proves(t, "Chosen, bearer token and API key: malformed JSON: 400")
	s := servertest.New(t)
	acme := s.Acme()
	for line, body := range jsonBodies {
		key := strings.Split(body, `"`)[1]
		inner := body[1 : len(body)-1]
		for name, bad := range map[string]string{
			"empty":                     "",
			"space":                     " \n",
			"cut off":                   body[:len(body)-1],
			"only an opening brace":     "{",
			"array":                     "[" + body + "]",
			"empty array":               "[]",
			"string":                    `"` + key + `"`,
			"null":                      "null",
			"number":                    "1",
			"form":                      key + "=a",
			"trailing data":             body + "x",
			"two objects":               body + body,
			"trailing comma":            "{" + inner + ",}",
			"no quotes":                 strings.ReplaceAll(body, `"`, ""),
			"single quotes":             strings.ReplaceAll(body, `"`, "'"),
			"comment":                   "{/**/" + inner + "}",
			"byte order mark":           "\ufeff" + body,
			"duplicate key":             "{" + inner + "," + inner + "}",
			"duplicate key, escaped":    "{" + inner + `,"` + strings.Replace(key, "a", `\u0061`, 1) + `":"x"}`,
			"duplicate unknown key":     "{" + inner + `,"x":1,"x":1}`,
			"NUL":                       strings.Replace(body, `":"`, `":"\u0000`, 1),
			"NUL in a key":              "{" + inner + `,"\u0000":1}`,
			"NUL in an unknown value":   "{" + inner + `,"x":["\u0000"]}`,
			"unescaped NUL":             strings.Replace(body, `":"`, "\":\"\x00", 1),
			"unescaped line feed":       strings.Replace(body, `":"`, "\":\"\n", 1),
			"not UTF-8":                 strings.Replace(body, `":"`, "\":\"\xff", 1),
			"not UTF-8, overlong":       strings.Replace(body, `":"`, "\":\"\xc0\xaf", 1),
			"malformed value, not read": "{" + inner + `,"x":{]}`,
		} {
			t.Run(line+" "+name, func(t *testing.T) {
				s.Refused(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Body: bad}, http.StatusBadRequest, `{"message":"Invalid request body"}`)
			})
		}
		// A backslash before u0000 is not a NUL, and unknown keys are ignored. Keys that
		// differ only in case are different keys.
		acme.Do(line, "{"+inner+`,"`+strings.ToUpper(key)+`":5,"x":1,"X":1}`).Want(t, http.StatusOK)
		acme.Do(line, "{"+inner+`,"x":"\\u0000","y":{"a":[1,null]}}`).Want(t, http.StatusOK)
		acme.Do(line, "{ \r\n\t"+inner+"\n}\n").Want(t, http.StatusOK)
	}
}

// TestBodySizeLimit checks the limit of 1 MiB for bodies of known and of unknown
// length.
func TestBodySizeLimit(t *testing.T) {
	servertest.Slow(t)
	servertest.Proves(t, "Chosen, bearer token and API key: body too large: 413")
	s := servertest.New(t)
	acme := s.Acme()
	const limit = 1 << 20
	for line, body := range jsonBodies {
		open := strings.TrimSuffix(body, "}") + `,"x":"`
		fits := open + strings.Repeat("x", limit-len(open)-2) + `"}`
		for _, test := range []struct {
			body   string
			status int
		}{
			{fits, http.StatusOK},
			{fits + " ", http.StatusRequestEntityTooLarge},
			{strings.Repeat(fits, 2), http.StatusRequestEntityTooLarge},
		} {
			for _, lengthKnown := range []bool{true, false} {
				request := s.Request(servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Body: test.body})
				if !lengthKnown {
					request.Body, request.ContentLength, request.GetBody = io.NopCloser(strings.NewReader(test.body)), -1, nil // sent in chunks
				}
				if test.status == http.StatusOK {
					s.Send(request).Want(t, test.status)
					continue
				}
				s.Unchanged(t, func() { s.Send(request).Want(t, test.status, `{"message":"Request Too Long"}`) })
			}
		}
	}
}

// TestEncodedBodiesAreRefused checks every call that takes JSON.
func TestEncodedBodiesAreRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: a JSON body with a Content-Encoding: 415")
	s := servertest.New(t)
	acme := s.Acme()
	checked := 0
	for family, body := range map[route.Family]string{
		route.Message: `{"message":"Unsupported Media Type"}`,
		route.Hooks:   `{"status":415,"error":"Unsupported Media Type"}`,
	} {
		for _, rt := range servertest.Gated(family) {
			call := servertest.Sample(t, rt)
			if !strings.HasPrefix(call.Body, "{") {
				continue
			}
			for _, encoding := range []string{"gzip", "br", "x-nothing"} {
				call.Token, call.Key, call.Header = acme.Token, acme.Key, map[string]string{"Content-Encoding": encoding}
				s.Refused(t, call, http.StatusUnsupportedMediaType, body)
			}
			checked++
		}
	}
	if checked != 9 {
		t.Errorf("%d calls take JSON, want 9", checked)
	}
}
