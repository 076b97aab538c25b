package universal

import (
	"bufio"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"
)

// envelope is how many bytes a multipart body may have beside its file.
const envelope = 1 << 20

// pace is how long an upload may stand still.
const pace = time.Minute

// fileReader reads the bytes of the one part named `file` of a multipart
// request. After the last byte it makes sure that the body ends well and holds
// no second file, so that a cut or doubtful upload ends in an error instead of
// io.EOF.
type fileReader struct {
	body    io.Reader
	parts   *multipart.Reader
	part    *multipart.Part // nil after the last
	size    int64
	maxSize int64
	refusal error // the answer that a bad body deserves, once it has shown itself
}

// newFileReader finds the part. Its error is an answer.
func newFileReader(w http.ResponseWriter, r *http.Request, maxSize int64) (*fileReader, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, notMultipart()
	}
	if r.ContentLength > maxSize+envelope {
		return nil, tooLong()
	}
	// The standard reader takes 4 KB at a time; a larger buffer doubles its speed.
	body := bufio.NewReaderSize(paced{w, http.MaxBytesReader(nil, r.Body, maxSize+envelope)}, 256<<10)
	f := &fileReader{body: body, parts: multipart.NewReader(body, params["boundary"]), maxSize: maxSize}
	if err := f.next(); err != nil {
		return nil, f.refuse(err)
	}
	if f.part == nil {
		return nil, fileRequired()
	}
	return f, nil
}

// next moves on to the next part named `file`.
func (f *fileReader) next() error {
	for {
		part, err := f.parts.NextRawPart()
		f.part = part
		if err == io.EOF {
			// A connection that is cut behind the last part is a cut upload too.
			_, err := io.Copy(io.Discard, f.body)
			return err
		}
		if err != nil {
			return err
		}
		if part.FormName() == "file" {
			return nil
		}
	}
}

// Read implements io.Reader.
func (f *fileReader) Read(b []byte) (int, error) {
	if f.refusal != nil {
		return 0, f.refusal
	}
	if f.part == nil {
		return 0, io.EOF
	}
	n, err := f.part.Read(b)
	f.size += int64(n)
	if f.size > f.maxSize {
		f.refusal = tooLong()
		return n, f.refusal
	}
	if err == nil {
		return n, nil
	}
	if err != io.EOF {
		return n, f.refuse(err)
	}
	if f.size == 0 {
		return n, f.refuse(io.EOF)
	}
	if err := f.next(); err != nil {
		return n, f.refuse(err)
	}
	if f.part != nil { // a second file
		return n, f.refuse(io.EOF)
	}
	return n, io.EOF
}

// refuse keeps and returns the answer to a body that broke with err.
func (f *fileReader) refuse(err error) error {
	f.refusal = fileRequired()
	if errors.As(err, new(*http.MaxBytesError)) {
		f.refusal = tooLong()
	}
	return f.refusal
}

// paced reads a request's body for as long as bytes keep coming.
type paced struct {
	w    http.ResponseWriter
	body io.Reader
}

// Read implements io.Reader.
func (p paced) Read(b []byte) (int, error) {
	err := http.NewResponseController(p.w).SetReadDeadline(time.Now().Add(pace))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.body.Read(b)
}
