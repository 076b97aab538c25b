package apitest

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"
	"testing"
)

// maxRecordedBytes is the maximum size of a request body that is checked. Larger
// bodies are passed on unchecked.
const maxRecordedBytes = 1 << 20

// Transport returns a RoundTripper that sends requests through base
// (http.DefaultTransport if nil) and checks each response against the documents:
// status, headers, content type and body. If the status is 2xx, it checks the
// request too. Violations are reported as errors of t. The request body is
// streamed. The response body is read completely before it is returned, except
// for an event stream, of which only status and headers are checked.
func (c *Contract) Transport(t testing.TB, base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{contract: c, t: t, base: base}
}

type transport struct {
	contract *Contract
	t        testing.TB
	base     http.RoundTripper
}

func (tr *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	recorder := &bodyRecorder{size: req.ContentLength}
	forwarded := req.Clone(req.Context())
	if req.Body != nil && req.Body != http.NoBody {
		forwarded.Body = recorder.startAttempt(req.Body)
		if req.GetBody != nil {
			forwarded.GetBody = func() (io.ReadCloser, error) {
				body, err := req.GetBody()
				if err != nil {
					return nil, err
				}
				return recorder.startAttempt(body), nil
			}
		}
	}
	res, err := tr.base.RoundTrip(forwarded)
	if err != nil {
		return nil, err
	}

	e := exchange{request: req.Clone(req.Context()), response: res}
	e.request.Body, e.request.GetBody = nil, nil
	if mediaType, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); mediaType == "text/event-stream" {
		e.streamed = true
	} else {
		e.responseBody, err = io.ReadAll(res.Body)
		res.Body.Close()
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(e.responseBody), errorReader{err}))
		if err != nil {
			return res, nil // the caller gets the error when it reads the body
		}
	}
	e.requestBody, e.requestBodyComplete = recorder.body()
	if problems := tr.contract.check(e); len(problems) > 0 {
		tr.t.Helper()
		tr.t.Errorf("contract violation: %s %s: status %d (request ID %q)\n%v\nbody: %s", req.Method, req.URL.Path,
			res.StatusCode, res.Header.Get("X-Request-Id"), errors.Join(problems...), truncate(e.responseBody))
	}
	return res, nil
}

// truncate limits a body to 4 KiB for use in a message.
func truncate(body []byte) []byte {
	const maxBytes = 4 << 10
	if len(body) <= maxBytes {
		return body
	}
	return append(bytes.Clone(body[:maxBytes]), "…"...)
}

// errorReader is a reader without data. Its reads return err, or io.EOF if that
// is nil.
type errorReader struct{ err error }

func (f errorReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// bodyRecorder records a request body while it is sent. The base transport may
// still read the body after it has returned the response, and may send the body
// again if a connection breaks.
type bodyRecorder struct {
	size    int64 // 0 or -1 if unknown
	mu      sync.Mutex
	text    []byte
	ended   bool
	attempt int // number of the current attempt, 0 before the first
}

// startAttempt starts a new recording and returns a reader of body that records
// what is read.
func (r *bodyRecorder) startAttempt(body io.ReadCloser) io.ReadCloser {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text, r.ended = nil, false
	r.attempt++
	return &recordedBody{body, r, r.attempt}
}

// body returns the recorded body, and whether it is complete.
func (r *bodyRecorder) body() (text []byte, complete bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.text) > maxRecordedBytes {
		return nil, false
	}
	// The transport may read the end of a body of known size late, or never.
	complete = r.attempt == 0 || r.ended || int64(len(r.text)) == r.size
	return bytes.Clone(r.text), complete
}

// recordedBody is the body of one attempt to send a request.
type recordedBody struct {
	io.ReadCloser
	recorder *bodyRecorder
	attempt  int
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	r := b.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.attempt == b.attempt {
		if len(r.text) <= maxRecordedBytes {
			r.text = append(r.text, p[:n]...)
		}
		r.ended = err == io.EOF
	}
	return n, err
}
