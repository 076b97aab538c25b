package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"

	"github.com/google/uuid"

	"understudy.example/internal/call"
)

// streamBytes is the number of bytes of a streamed response that are written at once.
const streamBytes = 32 << 10

// WriteArray is like Write for a large response: a JSON object whose last array, the
// value of the given key, has the elements. body is the object with that array empty. If
// the key is "", the response is the array itself, and body is an empty one.
// The response has the same bytes as with Write, but only the element that is being
// written is in memory.
//
// An error before the first element is returned, and nothing has been written then.
// After a later error, WriteArray breaks the connection, so that the client does not
// take the response for complete.
func WriteArray(w http.ResponseWriter, r *http.Request, status int, body any, key string, elements iter.Seq2[any, error]) error {
	frame, err := Encode(body)
	if err != nil {
		return err
	}
	empty := fmt.Appendf(nil, "%q:[]", key)
	if key == "" {
		empty = []byte("[]")
	}
	at := bytes.LastIndex(frame, empty)
	if at < 0 {
		return fmt.Errorf("encode response: no empty array %q", key)
	}
	at += len(empty) - 1
	var out bytes.Buffer
	out.Write(frame[:at])
	written := false // whether the response has begun
	send := func() {
		if !written {
			written = true
			writeHead(w, status)
		}
		if _, err := w.Write(out.Bytes()); err != nil {
			abort(r, errDisconnected)
		}
		out.Reset()
	}
	separator := ""
	for element, err := range elements {
		if err == nil {
			out.WriteString(separator)
			err = AppendJSON(&out, element)
			separator = ","
		}
		if err != nil && !written {
			return err
		}
		if err != nil && context.Cause(r.Context()) == context.Canceled {
			abort(r, errDisconnected)
		}
		if err != nil {
			abort(r, fmt.Errorf("the response was interrupted: %w", err))
		}
		if out.Len() >= streamBytes {
			send()
		}
		// Other calls can run between the elements of a large response.
		runtime.Gosched()
	}
	out.Write(frame[at:])
	send()
	return nil
}

// WriteStream sends a response of the content type with the bytes that write writes. An
// error before the first byte is returned, and nothing has been written then. After a
// later error, WriteStream breaks the connection, so that the client does not take the
// response for complete.
func WriteStream(w http.ResponseWriter, r *http.Request, contentType string, write func(io.Writer) error) error {
	begun := false
	err := write(writerFunc(func(p []byte) (int, error) {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.WriteHeader(http.StatusOK)
		}
		return w.Write(p)
	}))
	switch {
	case err == nil || !begun:
		return err
	case r.Context().Err() != nil:
		abort(r, errDisconnected)
	}
	slog.ErrorContext(r.Context(), "response interrupted", "path", LoggedPath(r.URL.Path, Mask), "err", err, "request_id", w.Header().Get("X-Request-Id"))
	abort(r, fmt.Errorf("the response was interrupted: %w", err))
	return err
}

// WriteParts sends a JSON response of the given length, which consists of the texts in
// their order. After an error, it breaks the connection.
func WriteParts(w http.ResponseWriter, r *http.Request, length int64, texts iter.Seq2[[]byte, error]) {
	w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	writeHead(w, http.StatusOK)
	for text, err := range texts {
		if err != nil {
			abort(r, fmt.Errorf("the response was interrupted: %w", err))
		}
		if _, err := w.Write(text); err != nil {
			abort(r, errDisconnected)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// WriteWithin is like Write for a response whose size is known only when it is encoded:
// it reserves the size from the budget until the client has read the response. The
// handler must not have changed anything, because the error can be that of
// Budget.Reserve; nothing has been written then.
func WriteWithin(w http.ResponseWriter, r *http.Request, budget *Budget, tenantID uuid.UUID, v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	room, err := budget.ReserveHeld(r.Context(), tenantID, int64(len(body)))
	if err != nil {
		return err
	}
	defer room.Release()
	writeHead(w, http.StatusOK)
	w.Write(body) // fails only if the connection is broken
	return nil
}

var errDisconnected = errors.New("the client disconnected before the end of the response")

// abort breaks the connection of a response that has begun. The journal and the log
// show the reason.
func abort(r *http.Request, reason error) {
	call.From(r.Context()).Reason = oneLine(reason.Error(), maxReasonBytes)
	panic(http.ErrAbortHandler)
}

// Encode returns v as JSON in the form of responses.
func Encode(v any) ([]byte, error) {
	var body bytes.Buffer
	err := AppendJSON(&body, v)
	return body.Bytes(), err
}

// AppendJSON appends v to the buffer in the form of Encode.
func AppendJSON(to *bytes.Buffer, v any) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	to.Truncate(to.Len() - 1) // Encode ends with a newline
	return nil
}

// writeHead writes the head of a JSON response.
func writeHead(w http.ResponseWriter, status int) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
}
