package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// question is a call that is to be made. It is a value: change a copy.
type question struct {
	method, path string // path and query, without the host
	host         string // scheme and host
	token, key   string
	id, secret   string // Basic credentials
	kind         string // content type
	body         string
}

func ask(host, line string) question {
	method, path, _ := strings.Cut(line, " ")
	return question{method: method, path: path, host: strings.TrimSuffix(host, "/")}
}

// call is a call of submit, status, company or data: "GET /path".
func (r *run) call(line string) question {
	q := ask(r.target.BaseURL, line)
	q.token, q.key = r.token, r.target.APIKey
	return q
}

// hook is a webhook call.
func (r *run) hook(line string) question {
	q := ask(r.target.HooksURL, line)
	q.token = r.token
	return q
}

// with returns the call with a JSON body.
func (q question) with(body string) question {
	q.kind, q.body = "application/json", body
	return q
}

// as returns the call by another token.
func (q question) as(token string) question {
	q.token = token
	return q
}

// by returns the call with another API key.
func (q question) by(key string) question {
	q.key = key
	return q
}

// to returns the call at a complete address.
func to(method, address string) question {
	path := address
	host, rest, ok := strings.Cut(address, "://")
	if ok {
		name, after, _ := strings.Cut(rest, "/")
		host, path = host+"://"+name, "/"+after
	}
	return question{method: method, path: path, host: host}
}

// carrying returns the call with a form in parts.
func (q question) carrying(parts ...part) question {
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q", p.name))
		if p.filename != "" {
			header.Set("Content-Disposition", multipart.FileContentDisposition(p.name, p.filename))
			header.Set("Content-Type", p.kind)
		}
		out, _ := writer.CreatePart(header) // never fails: the buffer takes all
		out.Write([]byte(p.content))
	}
	writer.Close()
	q.kind, q.body = writer.FormDataContentType(), buffer.String()
	return q
}

// part is one part of a form; a file when it has a file name.
type part struct{ name, filename, kind, content string }

// reply is what came back; a call that failed has no status.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error
}

const (
	callTimeout = time.Minute
	maxBody     = 16 << 20
	maxPatience = 30 * time.Second // with one Retry-After
)

// ask makes the call. A deployment that asks for patience, since there are many
// calls in a row, gets it three times.
func (r *run) ask(q question) reply {
	for tries := 0; ; tries++ {
		got := r.once(q)
		if got.status != http.StatusTooManyRequests || tries == 3 {
			return got
		}
		seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
		if err != nil {
			seconds = 1
		}
		if !r.wait(min(time.Duration(seconds)*time.Second, maxPatience)) {
			return got
		}
	}
}

// wait tells whether the run goes on after the wait.
func (r *run) wait(d time.Duration) bool {
	select {
	case <-r.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// once makes the call.
func (r *run) once(q question) reply {
	request, err := http.NewRequestWithContext(r.ctx, q.method, q.host+q.path, strings.NewReader(q.body))
	if err != nil {
		return reply{err: err}
	}
	for name, value := range map[string]string{"Content-Type": q.kind, "X-Api-Key": q.key} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	if q.token != "" {
		request.Header.Set("Authorization", "Bearer "+q.token)
	}
	if q.id != "" {
		request.SetBasicAuth(q.id, q.secret)
	}
	client := *r.options.Client
	client.Timeout = callTimeout
	response, err := client.Do(request)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return reply{err: err}
	}
	return reply{response.StatusCode, response.Header, body, nil}
}

func (a reply) text() string { return strings.TrimSpace(string(a.body)) }

// seen tells the status code; where it is not the expected one, the text too.
func (a reply) seen(expected int) string {
	switch {
	case a.err != nil:
		return a.err.Error()
	case a.status == expected:
		return fmt.Sprint(a.status)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.status, shorten(a.text())))
}

func shorten(text string) string {
	const most = 300
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// at returns the value at the path of keys in the answer's JSON, nil where
// there is none.
func (a reply) at(path ...string) any {
	var value any
	if json.Unmarshal(a.body, &value) != nil {
		return nil
	}
	for _, key := range path {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// string returns the text at the path of keys, empty where there is none.
func (a reply) string(path ...string) string {
	text, _ := a.at(path...).(string)
	return text
}

// sameJSON compares texts as JSON: white space and order of keys do not count.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return reflect.DeepEqual(x, y)
}
