package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
	"understudy.example/internal/field"
)

// extractDocument extracts one document, or makes a view of it. If the document causes a failure, which
// includes a panic, the response has a Reason. If its file could not be read, the
// response has a ReadError, because the result of an incomplete file says nothing about
// the document. Other errors become a Fault.
func extractDocument(ctx context.Context, req request, document io.ReaderAt) (res response) {
	reads := &readRecorder{ReaderAt: document}
	defer func() {
		if p := recover(); p != nil {
			slog.Error("panic while extracting document", "panic", p, "stack", string(debug.Stack()))
			res = response{Cause: CausePanic, Reason: "the document could not be read"}
		}
		if reads.err != nil {
			res = response{ReadError: sanitizeText(reads.err.Error(), maxText)}
		}
	}()
	var extraction *extract.Extraction
	var window *view.Window
	var err error
	if req.View != nil {
		window, err = view.Read(ctx, req.Name, reads, req.Size, *req.View)
	} else {
		extraction, err = extract.Extract(ctx, req.Name, reads, req.Size)
	}
	var unreadable *extract.Unreadable
	switch {
	case errors.Is(err, view.ErrNoPart), errors.Is(err, view.ErrNoPlace):
		return response{Cause: CauseView, Reason: err.Error()}
	case errors.As(err, &unreadable):
		return response{Cause: unreadable.Cause, Reason: sanitizeText(unreadable.Reason, maxText)}
	case err != nil:
		return response{Fault: sanitizeText(err.Error(), maxText)}
	}
	if window != nil {
		return response{View: window}
	}
	sanitize(extraction)
	return response{Extraction: extraction}
}

// readRecorder records the first error with which the system failed to read the file of
// a document. It ignores errors that the document can cause by an invalid offset.
type readRecorder struct {
	io.ReaderAt
	err error
}

func (r *readRecorder) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	var failure syscall.Errno
	if r.err == nil && errors.As(err, &failure) && failure != syscall.EINVAL && failure != syscall.EOVERFLOW {
		r.err = err
	}
	return n, err
}

// sanitize applies sanitizeText to all texts of the extraction, and truncates the names and
// notes of parts.
func sanitize(e *extract.Extraction) {
	for _, values := range slices.Concat(e.Locations, [][]field.Value{e.Facts, e.Options}) {
		for i := range values {
			values[i].Text, values[i].Evidence = sanitizeText(values[i].Text, maxText), sanitizeText(values[i].Evidence, maxText)
		}
	}
	for i := range e.Parts {
		e.Parts[i].Name, e.Parts[i].Note = sanitizeText(e.Parts[i].Name, extract.MaxPartName), sanitizeText(e.Parts[i].Note, extract.MaxPartNote)
	}
}

// sanitizeText returns the text in a form that Postgres can store: without NUL
// characters, with invalid UTF-8 replaced, and truncated to most bytes.
func sanitizeText(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
