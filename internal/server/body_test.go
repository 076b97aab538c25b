package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestBadBodies: what is not one plain JSON object is refused as a whole.
func TestBadBodies(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	const invalid = `{"message":"Invalid request body"}`
	good := map[string]string{
		"POST /universal/v2/universal-submit/file-upload-url": `{"filename":"a.txt"}`,
		"POST /company/v1/company_submit":                     `{"company_name":"A","address":"B"}`,
	}
	for line, body := range good {
		key := strings.Split(body, `"`)[1]
		inner := body[1 : len(body)-1]
		for name, bad := range map[string]string{
			"empty":                      "",
			"space":                      " \n",
			"cut off":                    body[:len(body)-1],
			"only an open brace":         "{",
			"array":                      "[" + body + "]",
			"empty array":                "[]",
			"string":                     `"` + key + `"`,
			"null":                       "null",
			"number":                     "1",
			"form":                       key + "=a",
			"trailing data":              body + "x",
			"two objects":                body + body,
			"trailing comma":             "{" + inner + ",}",
			"no quotes":                  strings.ReplaceAll(body, `"`, ""),
			"single quotes":              strings.ReplaceAll(body, `"`, "'"),
			"comment":                    "{/**/" + inner + "}",
			"byte order mark":            "\ufeff" + body,
			"key twice":                  "{" + inner + "," + inner + "}",
			"key twice, by escape":       "{" + inner + `,"` + strings.Replace(key, "a", `\u0061`, 1) + `":"x"}`,
			"key in another case":        "{" + inner + `,"` + strings.ToUpper(key) + `":"x"}`,
			"unknown key twice":          "{" + inner + `,"x":1,"x":1}`,
			"unknown key in two cases":   "{" + inner + `,"x":1,"X":1}`,
			"NUL":                        strings.Replace(body, `":"`, `":"\u0000`, 1),
			"NUL in a key":               "{" + inner + `,"\u0000":1}`,
			"NUL in an unknown value":    "{" + inner + `,"x":["\u0000"]}`,
			"bare NUL":                   strings.Replace(body, `":"`, "\":\"\x00", 1),
			"bare line feed":             strings.Replace(body, `":"`, "\":\"\n", 1),
			"not UTF-8":                  strings.Replace(body, `":"`, "\":\"\xff", 1),
			"not UTF-8, overlong":        strings.Replace(body, `":"`, "\":\"\xc0\xaf", 1),
			"unknown key that is broken": "{" + inner + `,"x":{]}`,
		} {
			t.Run(line+" "+name, func(t *testing.T) {
				w.refused(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Body: bad}, http.StatusBadRequest, invalid)
			})
		}
		// A backslash before u0000 is no NUL, and an unknown key is nobody's.
		acme.Do(line, "{"+inner+`,"x":"\\u0000","y":{"a":[1,null]}}`).Want(t, http.StatusOK)
		acme.Do(line, "{ \r\n\t"+inner+"\n}\n").Want(t, http.StatusOK)
	}
}

func TestBodyTooLarge(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	const most = 1 << 20
	for line, open := range map[string]string{
		"POST /universal/v2/universal-submit/file-upload-url": `{"filename":"a.txt","x":"`,
		"POST /company/v1/company_submit":                     `{"company_name":"A","address":"B","x":"`,
	} {
		fits := open + strings.Repeat("x", most-len(open)-2) + `"}`
		for _, c := range []struct {
			body   string
			status int
		}{{fits, http.StatusOK}, {fits + " ", http.StatusRequestEntityTooLarge}, {strings.Repeat(fits, 2), http.StatusRequestEntityTooLarge}} {
			for _, known := range []bool{true, false} {
				method, path, _ := strings.Cut(line, " ")
				var body io.Reader = strings.NewReader(c.body)
				if !known {
					body = io.MultiReader(body) // of unknown length, and so sent in chunks
				}
				request, err := http.NewRequest(method, w.URL+path, body)
				if err != nil {
					t.Fatal(err)
				}
				request.Header = http.Header{"Authorization": {"Bearer " + acme.Token}, "X-Api-Key": {acme.Key}, "Content-Type": {"application/json"}}
				if c.status == http.StatusOK {
					w.send(request).Want(t, c.status)
					continue
				}
				w.Unchanged(t, func() { w.send(request).Want(t, c.status, `{"message":"Request Too Long"}`) })
			}
		}
	}
}
