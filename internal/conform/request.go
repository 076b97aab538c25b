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

// request is a request to send. It is a value: its methods return a changed
// copy.
type request struct {
	method                 string
	path                   string // with query, without host
	host                   string // with scheme
	token, apiKey          string
	clientID, clientSecret string // Basic credentials
	contentType            string
	contentEncoding        string
	body                   string
}

// newRequest returns a request without credentials. The line is the method and
// the path, such as "GET /hooks".
func newRequest(host, line string) request {
	method, path, _ := strings.Cut(line, " ")
	return request{method: method, path: path, host: strings.TrimSuffix(host, "/")}
}

// apiRequest returns a request of the submit, status, company or data family,
// with the client's token and API key.
func (r *run) apiRequest(line string) request {
	req := newRequest(r.target.BaseURL, line)
	req.token, req.apiKey = r.token, r.target.APIKey
	return req
}

// hooksRequest returns a request of the webhook family, with the client's token.
func (r *run) hooksRequest(line string) request {
	req := newRequest(r.target.HooksURL, line)
	req.token = r.token
	return req
}

// withJSON returns the request with a JSON body.
func (req request) withJSON(body string) request {
	req.contentType, req.body = "application/json", body
	return req
}

// withToken returns the request with another access token.
func (req request) withToken(token string) request {
	req.token = token
	return req
}

// withAPIKey returns the request with another API key.
func (req request) withAPIKey(key string) request {
	req.apiKey = key
	return req
}

// urlRequest returns a request without credentials to an absolute URL.
func urlRequest(method, url string) request {
	path := url
	host, rest, ok := strings.Cut(url, "://")
	if ok {
		name, after, _ := strings.Cut(rest, "/")
		host, path = host+"://"+name, "/"+after
	}
	return request{method: method, path: path, host: host}
}

// withMultipart returns the request with a multipart form.
func (req request) withMultipart(parts ...formPart) request {
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q", p.name))
		if p.filename != "" {
			header.Set("Content-Disposition", multipart.FileContentDisposition(p.name, p.filename))
			header.Set("Content-Type", p.contentType)
		}
		out, _ := writer.CreatePart(header) // writing to a buffer never fails
		out.Write([]byte(p.content))
	}
	writer.Close()
	req.contentType, req.body = writer.FormDataContentType(), buffer.String()
	return req
}

// formPart is one part of a multipart form. It is a file if it has a filename.
type formPart struct{ name, filename, contentType, content string }

// response is the response to a request. If the request failed, err is set and
// status is 0.
type response struct {
	status int
	header http.Header
	body   []byte
	err    error
}

const (
	callTimeout   = time.Minute
	maxBodyBytes  = 16 << 20
	maxRetryDelay = 30 * time.Second // applies to each Retry-After
)

// send sends the request. Because a run makes many calls in a row, send retries
// up to three times when the response is 429, after the time in Retry-After.
func (r *run) send(req request) response {
	for retries := 0; ; retries++ {
		got := r.sendOnce(req)
		if got.status != http.StatusTooManyRequests || retries == 3 {
			return got
		}
		seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
		if err != nil {
			seconds = 1
		}
		if !r.wait(min(time.Duration(seconds)*time.Second, maxRetryDelay)) {
			return got
		}
	}
}

// wait waits for d. It reports whether the run continues, that is, whether its
// context is not done.
func (r *run) wait(d time.Duration) bool {
	select {
	case <-r.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (r *run) sendOnce(req request) response {
	httpRequest, err := http.NewRequestWithContext(r.ctx, req.method, req.host+req.path, strings.NewReader(req.body))
	if err != nil {
		return response{err: err}
	}
	for name, value := range map[string]string{"Content-Type": req.contentType, "Content-Encoding": req.contentEncoding, "X-Api-Key": req.apiKey} {
		if value != "" {
			httpRequest.Header.Set(name, value)
		}
	}
	if req.token != "" {
		httpRequest.Header.Set("Authorization", "Bearer "+req.token)
	}
	if req.clientID != "" {
		httpRequest.SetBasicAuth(req.clientID, req.clientSecret)
	}
	client := *r.options.Client
	client.Timeout = callTimeout
	httpResponse, err := client.Do(httpRequest)
	if err != nil {
		return response{err: err}
	}
	defer httpResponse.Body.Close()
	body, err := io.ReadAll(io.LimitReader(httpResponse.Body, maxBodyBytes))
	if err != nil {
		return response{err: err}
	}
	return response{httpResponse.StatusCode, httpResponse.Header, body, nil}
}

func (resp response) bodyText() string { return strings.TrimSpace(string(resp.body)) }

// describe returns the status code as text, followed by the body if it is not
// the expected status code. If the request failed, it returns the error.
func (resp response) describe(expected int) string {
	switch {
	case resp.err != nil:
		return resp.err.Error()
	case resp.status == expected:
		return fmt.Sprint(resp.status)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", resp.status, shorten(resp.bodyText())))
}

func shorten(text string) string {
	const maxBytes = 300
	if len(text) > maxBytes {
		return strings.ToValidUTF8(text[:maxBytes], "") + "…"
	}
	return text
}

// value returns the value at the path of keys in the JSON body, or nil if there
// is none.
func (resp response) value(path ...string) any {
	var value any
	if json.Unmarshal(resp.body, &value) != nil {
		return nil
	}
	for _, key := range path {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// stringValue returns the string at the path of keys, or "" if there is none.
func (resp response) stringValue(path ...string) string {
	text, _ := resp.value(path...).(string)
	return text
}

// sameJSON reports whether a and b are the same JSON value, or the same text if
// one of them is not JSON.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return reflect.DeepEqual(x, y)
}
