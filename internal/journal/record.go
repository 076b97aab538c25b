package journal

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"understudy.example/internal/call"
	"understudy.example/internal/route"
)

// exchange is a call with its response, as seen from outside the handler.
type exchange struct {
	*call.Record
	id             string // X-Request-Id of the response
	begunAt        time.Time
	duration       time.Duration
	request        *http.Request
	requestBody    []byte // the part that was read, at most MaxBody bytes
	requestSize    int64  // bytes read
	status         int    // 0 = no response
	responseHeader http.Header
	responseBody   []byte // at most MaxBody bytes
	responseSize   int64
}

// Record is middleware that records the calls to a route. A call whose tenant is
// unknown is not recorded. The call is queued before the response ends, so that a
// client that has the response finds the call.
func (j *Journal) Record(rt route.Route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := j.now()
		record := &call.Record{ResponseHeader: w.Header()}
		r = r.WithContext(call.With(r.Context(), record))
		requestBody := &prefix{max: maxRequestBody(rt, r)}
		r.Body = teeBody{r.Body, requestBody}
		responseBody := &prefix{max: MaxBody}
		out := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		out.Tee(responseBody)
		defer func() {
			if record.TenantID == uuid.Nil {
				return
			}
			j.add(newRow(exchange{
				Record: record, id: w.Header().Get("X-Request-Id"), begunAt: begun, duration: j.now().Sub(begun),
				request: r, requestBody: requestBody.bytes, requestSize: requestBody.size,
				status: out.Status(), responseHeader: w.Header(), responseBody: responseBody.bytes, responseSize: responseBody.size,
			}))
		}()
		next.ServeHTTP(out, r)
	})
}

// maxRequestBody returns how many bytes of the request's body are recorded: none of a
// file, whichever route it was sent to. Only the token endpoint accepts multipart
// forms that are not files.
func maxRequestBody(rt route.Route, r *http.Request) int {
	multipart := strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/")
	if rt.Upload || multipart && rt.Operation != route.CreateToken {
		return 0
	}
	return MaxBody
}

// prefix keeps the first bytes that are written to it and counts all of them.
type prefix struct {
	max   int
	bytes []byte
	size  int64
}

// Write implements io.Writer.
func (p *prefix) Write(b []byte) (int, error) {
	p.bytes = append(p.bytes, b[:min(len(b), p.max-len(p.bytes))]...)
	p.size += int64(len(b))
	return len(b), nil
}

// teeBody copies a request's body to the prefix while it is read.
type teeBody struct {
	io.ReadCloser
	to *prefix
}

// Read implements io.Reader.
func (t teeBody) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	t.to.Write(b[:n]) // never fails
	return n, err
}
