package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"understudy.example/internal/extract"
	"understudy.example/internal/field"
)

// extractDocument extracts one document. If the document causes a failure, which
// includes a panic, the response has a Reason. Other errors, such as a failure to
// read the file, become a Fault.
func extractDocument(ctx context.Context, req request, document io.ReaderAt) (res response) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("panic while extracting document", "panic", p, "stack", string(debug.Stack()))
			res = response{Reason: "the document could not be read"}
		}
	}()
	extraction, err := extract.Extract(ctx, req.Name, document, req.Size)
	var unreadable *extract.Unreadable
	switch {
	case errors.As(err, &unreadable):
		return response{Reason: sanitizeText(unreadable.Reason)}
	case err != nil:
		return response{Fault: sanitizeText(err.Error())}
	}
	sanitize(extraction)
	return response{Extraction: extraction}
}

// sanitize applies sanitizeText to all texts of the extraction.
func sanitize(e *extract.Extraction) {
	for _, values := range slices.Concat(e.Locations, [][]field.Value{e.Facts, e.Options}) {
		for i := range values {
			values[i].Text, values[i].Evidence = sanitizeText(values[i].Text), sanitizeText(values[i].Evidence)
		}
	}
	for i := range e.Parts {
		e.Parts[i].Name, e.Parts[i].Note = sanitizeText(e.Parts[i].Name), sanitizeText(e.Parts[i].Note)
	}
}

// sanitizeText returns the text in a form that Postgres can store: without NUL
// characters, with invalid UTF-8 replaced, and truncated to maxText bytes.
func sanitizeText(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return text
}
