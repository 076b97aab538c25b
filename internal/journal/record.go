package journal

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"understudy.example/internal/api"
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
	requestBody    []byte // the part that was read, at most MaxBody bytes; nil for a file
	requestSize    int64  // bytes read
	status         int    // 0 = no response
	responseHeader http.Header
	responseBody   []byte // together with responseEnd at most MaxBody bytes
	responseEnd    []byte // the rest of the body, which is shared: see call.Record
	responseSize   int64
}

// Record is middleware that records calls. A call whose tenant the handler does not
// know is attributed, if possible. The call is queued before the response ends, so
// that a client that has the response finds the call.
func (j *Journal) Record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := j.now()
		record := call.From(r.Context())
		requestBody := &requestPrefix{ctx: r.Context(), prefix: prefix{max: api.SmallBody}}
		file := carriesFile(r)
		if file {
			requestBody.max, requestBody.settled = maxPartHeaders, true
		}
		if r.Body != http.NoBody {
			r.Body = teeBody{r.Body, requestBody}
		}
		responseBody := &responsePrefix{prefix: prefix{max: MaxBody}, record: record}
		out, wrapped := w.(middleware.WrapResponseWriter)
		if !wrapped {
			out = middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		}
		out.Tee(responseBody)
		defer func() {
			j.attributeCall(r, requestBody.bytes) // without a turn, because it can wait for the database
			// Nothing cancels the wait: every call is recorded. Masking a body can cost many times as
			// much as parsing it.
			pass, _ := api.Turn(context.WithoutCancel(r.Context()), 8*len(requestBody.bytes))
			defer pass()
			if file {
				if record.Parts == nil {
					record.Parts = partsIn(r.Header.Get("Content-Type"), requestBody.bytes)
				}
				requestBody.bytes = nil
			}
			recorded := exchange{
				Record: record, id: w.Header().Get("X-Request-Id"), begunAt: begun, duration: j.now().Sub(begun),
				request: r, requestBody: requestBody.bytes, requestSize: requestBody.size,
				status: out.Status(), responseHeader: w.Header(), responseBody: responseBody.bytes, responseEnd: responseBody.end, responseSize: responseBody.size,
			}
			secrets := j.IsSecret.findMisplaced(recorded)
			if len(secrets) > 0 {
				record.Mask = secrets.mask
			}
			j.add(newRow(recorded, secrets))
		}()
		next.ServeHTTP(out, r)
	})
}

// attributionTimeout is the maximum time for attributing a call to a tenant.
const attributionTimeout = time.Second

// attributeCall attributes a call whose tenant is not known yet.
func (j *Journal) attributeCall(r *http.Request, body []byte) {
	record := call.From(r.Context())
	if record.TenantID != unattributed {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), attributionTimeout)
	defer cancel()
	for _, attribute := range j.attribute {
		if record.TenantID != unattributed {
			return
		}
		if err := attribute(ctx, r, body); err != nil {
			slog.WarnContext(ctx, "call not attributed to a tenant", "path", api.LoggedPath(r.URL.Path, api.Mask), "err", err)
			return
		}
	}
}

// maxPartHeaders is how much of a file's multipart body is searched for the headers of
// its parts, in bytes.
const maxPartHeaders = 4 << 10

// carriesFile reports whether the body is a file, which is not recorded: every body sent
// to the upload URL, and multipart forms, except those of the token endpoint.
func carriesFile(r *http.Request) bool {
	if r.ContentLength == 0 {
		return false
	}
	rt, _ := route.Find(route.API, "", r.URL.Path)
	multipart := strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/")
	return rt.Operation == route.UploadFile || multipart && rt.Operation != route.CreateToken
}

// partsIn returns the parts whose headers are in the first bytes of a multipart body.
func partsIn(contentType string, body []byte) []call.Part {
	_, params, err := api.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return nil
	}
	var parts []call.Part
	for reader := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		part, err := reader.NextRawPart()
		if err != nil {
			return parts
		}
		parts = append(parts, api.DescribePart(part))
	}
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

// responsePrefix keeps the first bytes of a response's body. It does not copy the shared end if a
// single call of Write writes it and nothing follows.
type responsePrefix struct {
	prefix
	record *call.Record
	end    []byte // follows bytes
}

// Write implements io.Writer.
func (p *responsePrefix) Write(b []byte) (int, error) {
	if p.end != nil {
		p.bytes, p.end = append(p.bytes, p.end...), nil
	}
	shared := p.record.SharedEnd
	if len(b) == 0 || len(b) != len(shared) || &b[0] != &shared[0] || len(p.bytes)+len(b) > p.max {
		return p.prefix.Write(b)
	}
	p.end = shared
	p.size += int64(len(b))
	return len(b), nil
}

// requestPrefix keeps the first bytes of a request's body: at most MaxBody, and only
// api.SmallBody while there is no memory for more.
type requestPrefix struct {
	prefix
	ctx     context.Context
	settled bool // whether max is final
}

// Write implements io.Writer.
func (p *requestPrefix) Write(b []byte) (int, error) {
	if !p.settled && len(p.bytes)+len(b) > p.max {
		p.settled = true
		if api.KeepBody(p.ctx, MaxBody) {
			p.max = MaxBody
		}
	}
	return p.prefix.Write(b)
}

// teeBody copies a request's body to the prefix while it is read.
type teeBody struct {
	io.ReadCloser
	to *requestPrefix
}

// Read implements io.Reader.
func (t teeBody) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	t.to.Write(b[:n]) // never fails
	return n, err
}
