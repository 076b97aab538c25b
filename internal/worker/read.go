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

// read reads one document. Whatever goes wrong in it is the document's fault,
// unless its bytes can't be had.
func read(ctx context.Context, q question, document io.ReaderAt) (got answer) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("reader panicked", "panic", p, "stack", string(debug.Stack()))
			got = answer{Reason: "the document could not be read"}
		}
	}()
	extraction, err := extract.Extract(ctx, q.Name, document, q.Size)
	var unreadable *extract.Unreadable
	switch {
	case errors.As(err, &unreadable):
		return answer{Reason: storable(unreadable.Reason)}
	case err != nil:
		return answer{Fault: storable(err.Error())}
	}
	clean(extraction)
	return answer{Extraction: extraction}
}

// clean makes all texts storable.
func clean(e *extract.Extraction) {
	for _, values := range slices.Concat(e.Locations, [][]field.Value{e.Facts, e.Options}) {
		for i := range values {
			values[i].Text, values[i].Evidence = storable(values[i].Text), storable(values[i].Evidence)
		}
	}
	for i := range e.Parts {
		e.Parts[i].Name, e.Parts[i].Note = storable(e.Parts[i].Name), storable(e.Parts[i].Note)
	}
}

// storable is the text without NUL characters, which no column can keep, and
// bytes that are not UTF-8, cut where it is too long.
func storable(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "")
	}
	return text
}
