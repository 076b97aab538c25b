// Package filepart reads the file of a multipart request.
package filepart

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
)

// maxOverhead is the maximum size in bytes of a multipart body without its file.
const maxOverhead = 1 << 20

// maxPartHeader is the maximum size in bytes of the header of a part, which is kept in
// memory, and of what is before the first part. maxPartFields is the maximum number of its
// fields: many short fields take much more time and memory than their size suggests.
const (
	maxPartHeader = 8 << 10
	maxPartFields = 50
)

// maxParts is the maximum number of parts of a body. Tiny parts cost much more time than
// their bytes.
const maxParts = 100

// maxRecordedParts is how many parts of a body the journal shows.
const maxRecordedParts = 20

// MaxDirectSize is the size in bytes of the largest file that can be submitted directly (service.md,
// "Limits"): files of 10 MB or more use an upload URL.
const MaxDirectSize = 10<<20 - 1

// Reader reads the content of the part named `file` of a multipart request.
// At its end it checks that the body is complete and has no second file, so that
// reading an interrupted or ambiguous upload ends in an error instead of io.EOF.
type Reader struct {
	body    io.Reader
	head    headReader // reads body for parts
	parts   *multipart.Reader
	part    *multipart.Part // nil at the end of the body
	count   int             // of parts so far
	size    int64           // bytes read of the file
	maxSize int64
	grow    func(bytes int64) error
	record  *call.Record
	refusal error // *api.Error for the fault found in the body; nil = none so far
}

// Part returns the part, with its header. Call it before the end of the file.
func (f *Reader) Part() *multipart.Part { return f.part }

// Size returns how many bytes of the file have been read.
func (f *Reader) Size() int64 { return f.size }

// Refusal returns the error with which reading the file ended; nil if there was none.
func (f *Reader) Refusal() error { return f.refusal }

// Largest returns the largest size in bytes that the request's file can have, which is
// at most maxSize.
func Largest(r *http.Request, maxSize int64) int64 {
	if r.ContentLength < 0 { // unknown
		return maxSize
	}
	return min(r.ContentLength, maxSize)
}

// New returns a reader of the request's file, which can have at most maxSize bytes. It reads the body
// through the buffer of body, and calls grow with the number of bytes of each read. If grow fails, Read
// returns its error. The error of New is an *api.Error.
func New(r *http.Request, body *bufio.Reader, maxSize int64, grow func(bytes int64) error) (*Reader, error) {
	kind, params, err := api.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil || kind != "multipart/form-data":
		return nil, notMultipart(describeType(r.Header.Get("Content-Type")) + `: send multipart/form-data with one part named "file"`)
	case isEncoded(r.Header.Get("Content-Encoding")):
		return nil, fileRequired("the body has the Content-Encoding " + api.Quote(r.Header.Get("Content-Encoding")) + ": send it without one")
	case r.Method == http.MethodPut && r.Header.Get("Content-Range") != "": // RFC 9110, section 14.5
		return nil, fileRequired("the request has a Content-Range: send the whole file in one request, without it")
	case params["boundary"] == "":
		return nil, notMultipart("the Content-Type multipart/form-data has no boundary parameter")
	case r.ContentLength > maxSize+maxOverhead:
		return nil, TooLong(maxSize)
	}
	// The standard reader takes 4 KB at a time; a larger buffer doubles its speed.
	body.Reset(http.MaxBytesReader(nil, r.Body, maxSize+maxOverhead))
	f := &Reader{body: body, maxSize: maxSize, grow: grow, record: call.From(r.Context())}
	f.head.body = body
	f.parts = multipart.NewReader(&f.head, params["boundary"])
	if err := f.nextFile(); err != nil {
		if _, more := body.Peek(1); len(f.record.Parts) == 0 && more == io.EOF { // the body is complete
			return nil, fileRequired("the body is empty, or does not contain the boundary that the Content-Type names")
		}
		return nil, f.refuse(err)
	}
	if f.part == nil {
		return nil, fileRequired(missingFile(f.record.Parts))
	}
	if encoding := f.part.Header.Get("Content-Transfer-Encoding"); isEncoded(encoding) {
		return nil, fileRequired("the part has the Content-Transfer-Encoding " + api.Quote(encoding) + ": send the bytes as they are, without it")
	}
	return f, nil
}

// describeType describes the Content-Type of a request for a hint.
func describeType(contentType string) string {
	if contentType == "" {
		return "the header Content-Type is missing"
	}
	return "the Content-Type is " + api.Quote(contentType)
}

// isEncoded reports whether a Content-Encoding or Content-Transfer-Encoding changes the
// bytes. Parts must not have one (RFC 7578, section 4.7).
func isEncoded(encoding string) bool {
	switch strings.ToLower(encoding) {
	case "", "7bit", "8bit", "binary", "identity":
		return false
	}
	return true
}

// missingFile returns the hint for a body that has the parts, but none named `file`.
func missingFile(parts []call.Part) string {
	if len(parts) == 0 {
		return `the multipart body has no parts: send one named "file"`
	}
	for _, part := range parts {
		if part.Filename != "" || strings.EqualFold(part.Name, "file") {
			return "the multipart part is named " + api.Quote(part.Name) + `: name it "file"`
		}
	}
	return `no multipart part is named "file"`
}

// nextFile skips to the next part named `file`. At the end of the body it sets
// part to nil.
func (f *Reader) nextFile() error {
	for {
		if f.part != nil {
			if _, err := io.Copy(io.Discard, f.part); err != nil {
				return err
			}
		}
		f.head.limit(maxPartHeader)
		part, err := f.parts.NextRawPart()
		f.head.limit(0)
		f.part = part
		if err == io.EOF {
			// The connection can break after the last part, too.
			_, err := io.Copy(io.Discard, f.body)
			return err
		}
		if err != nil {
			return err
		}
		if f.count++; f.count > maxParts {
			return errTooManyParts
		}
		if len(part.Header) > maxPartFields {
			return errPartHeader
		}
		if len(f.record.Parts) < maxRecordedParts {
			f.record.Parts = append(f.record.Parts, api.DescribePart(part))
		}
		if part.FormName() == "file" {
			return nil
		}
	}
}

// Read implements io.Reader.
func (f *Reader) Read(b []byte) (int, error) {
	if f.refusal != nil {
		return 0, f.refusal
	}
	if f.part == nil {
		return 0, io.EOF
	}
	n, err := f.part.Read(b)
	f.size += int64(n)
	if f.refusal = f.grow(int64(n)); f.refusal != nil {
		return n, f.refusal
	}
	if f.size > f.maxSize {
		f.refusal = TooLong(f.maxSize)
		return n, f.refusal
	}
	if err == nil {
		return n, nil
	}
	if err != io.EOF {
		return n, f.refuse(err)
	}
	if f.size == 0 {
		f.refusal = fileRequired(`the part "file" is empty`)
		return n, f.refusal
	}
	if err := f.nextFile(); err != nil {
		return n, f.refuse(err)
	}
	if f.part != nil {
		f.refusal = fileRequired(`there are several parts named "file": send one`)
		return n, f.refusal
	}
	return n, io.EOF
}

// refuse sets and returns the refusal of a body whose reading ended in err.
func (f *Reader) refuse(err error) error {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		f.refusal = TooLong(f.maxSize)
	case errors.Is(err, errPartHeader):
		f.refusal = fileRequired("the header of a part is longer than 8 KB or has more than 50 fields")
	case errors.Is(err, errTooManyParts):
		f.refusal = fileRequired("the body has more than 100 parts")
	default:
		f.refusal = fileRequired("the multipart body is malformed, or the connection broke before its end")
	}
	return f.refusal
}

var (
	errPartHeader   = errors.New("the header of a part is too long")
	errTooManyParts = errors.New("the body has too many parts")
)

// headReader reads the body of a multipart request, and can limit how much.
type headReader struct {
	body    io.Reader
	limited bool
	left    int // bytes that may be read, if limited
}

// limit allows n more bytes; all if n is 0.
func (h *headReader) limit(n int) { h.limited, h.left = n > 0, n }

// Read implements io.Reader.
func (h *headReader) Read(b []byte) (int, error) {
	if !h.limited {
		return h.body.Read(b)
	}
	if h.left <= 0 {
		return 0, errPartHeader
	}
	n, err := h.body.Read(b[:min(len(b), h.left)])
	h.left -= n
	return n, err
}

// fileRequired is the error of a request without a usable file.
func fileRequired(hint string) *api.Error {
	return api.NewError(http.StatusBadRequest, "file is required", hint)
}

func notMultipart(hint string) *api.Error {
	return api.NewError(http.StatusUnsupportedMediaType, "Unsupported Media Type", hint)
}

// TooLong is the error of a file of more than maxSize bytes.
func TooLong(maxSize int64) *api.Error {
	hint := fmt.Sprintf("the file is larger than %d bytes: send a smaller file", maxSize)
	if maxSize == MaxDirectSize {
		hint = "files of 10 MB or more need the multi-step flow: file-upload-url, upload, trigger"
	}
	return api.NewError(http.StatusRequestEntityTooLarge, "Request Too Long", hint)
}
