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

// maxSent is the largest request body that is checked, in bytes. Larger ones
// pass through unseen.
const maxSent = 1 << 20

// Transport returns a RoundTripper that sends requests through base
// (http.DefaultTransport if nil) and checks every answer against the documents:
// status, headers, content type and body; and the request too when it was
// accepted, that is answered with 2xx. A breach is an error of t. The request's
// body is sent as it comes; the answer's is read whole first, save an event
// stream's, of which only the head is checked.
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
	sent := &recording{size: req.ContentLength}
	passed := req.Clone(req.Context())
	if req.Body != nil && req.Body != http.NoBody {
		passed.Body = sent.start(req.Body)
		if req.GetBody != nil {
			passed.GetBody = func() (io.ReadCloser, error) {
				body, err := req.GetBody()
				if err != nil {
					return nil, err
				}
				return sent.start(body), nil
			}
		}
	}
	res, err := tr.base.RoundTrip(passed)
	if err != nil {
		return nil, err
	}

	e := exchange{request: req.Clone(req.Context()), response: res}
	e.request.Body, e.request.GetBody = nil, nil
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" {
		e.streamed = true
	} else {
		e.body, err = io.ReadAll(res.Body)
		res.Body.Close() // read whole
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(e.body), failing{err}))
		if err != nil {
			return res, nil // cut off; the caller gets to see it
		}
	}
	e.sent, e.whole = sent.recorded()
	if problems := tr.contract.check(e); len(problems) > 0 {
		tr.t.Helper()
		tr.t.Errorf("contract: %s %s answered %d (request id %q)\n%v\nbody: %s", req.Method, req.URL.Path,
			res.StatusCode, res.Header.Get("X-Request-Id"), errors.Join(problems...), shortened(e.body))
	}
	return res, nil
}

// shortened is a body as a message can hold it.
func shortened(body []byte) []byte {
	const most = 4 << 10
	if len(body) <= most {
		return body
	}
	return append(bytes.Clone(body[:most]), "…"...)
}

// failing reads as err, or as the end if it is nil.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// recording keeps a request's body while it is sent. The base transport may
// still read when the answer has come, and start again when a connection broke.
type recording struct {
	size  int64 // 0 or -1: not told
	mu    sync.Mutex
	text  []byte
	ended bool
	run   int
}

// start returns body with a fresh recording of what is read from it.
func (r *recording) start(body io.ReadCloser) io.ReadCloser {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text, r.ended = nil, false
	r.run++
	return &recorded{body, r, r.run}
}

// recorded returns the body, and whether that is all of it.
func (r *recording) recorded() (text []byte, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.text) > maxSent {
		return nil, false
	}
	// The transport sees the end of a body of known size late, or never.
	whole = r.run == 0 || r.ended || int64(len(r.text)) == r.size
	return bytes.Clone(r.text), whole
}

type recorded struct {
	io.ReadCloser
	recording *recording
	run       int
}

func (b *recorded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	r := b.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == b.run {
		if len(r.text) <= maxSent {
			r.text = append(r.text, p[:n]...)
		}
		r.ended = err == io.EOF
	}
	return n, err
}
