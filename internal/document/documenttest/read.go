// Package documenttest is for tests of the readers of documents. It reads
// documents from memory, shows their parts, and makes containers.
package documenttest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
)

// timeLimit bounds the time that reading a document of a test may take.
const timeLimit = time.Minute

// Read reads a document. It fails the test when that takes too long.
func Read(t testing.TB, name, data string) ([]content.Part, error) {
	t.Helper()
	start := time.Now()
	parts, err := document.Read(t.Context(), name, strings.NewReader(data), int64(len(data)))
	if took := time.Since(start); took > timeLimit {
		t.Errorf("reading %s took %v, want at most %v", name, took, timeLimit)
	}
	return parts, err
}

// MustRead reads a document. It fails the test when that returns an error.
func MustRead(t testing.TB, name, data string) []content.Part {
	t.Helper()
	parts, err := Read(t, name, data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return parts
}

// Outcome reads a document and returns the note and the cause of its first part,
// or those of the error.
func Outcome(t testing.TB, name, data string) (string, content.Cause) {
	t.Helper()
	parts, err := Read(t, name, data)
	var bad *content.Unreadable
	switch {
	case errors.As(err, &bad):
		return bad.Reason, bad.Cause
	case err != nil:
		return err.Error(), ""
	}
	return parts[0].Note, parts[0].Cause
}

// Check reads a document and fails the test on a result that no input may have.
// It is for fuzz tests.
func Check(t testing.TB, name, data string) {
	t.Helper()
	parts, err := document.Read(t.Context(), name, strings.NewReader(data), int64(len(data)))
	var bad *content.Unreadable
	if err != nil && (!errors.As(err, &bad) || bad.Reason == "") {
		t.Fatalf("error without a reason: %v", err)
	}
	if err == nil && len(parts) == 0 || len(parts) > content.MaxParts+1 {
		t.Fatalf("got %d parts", len(parts))
	}
	text := 0
	for _, p := range parts {
		if p.Depth > content.MaxDepth {
			t.Fatalf("got a part of depth %d, want at most %d", p.Depth, content.MaxDepth)
		}
		for _, b := range p.Blocks {
			text += len(b.Text) + len(b.Label) + len(b.Value)
		}
	}
	if text > content.MaxText {
		t.Fatalf("got %d bytes of text, want at most %d", text, content.MaxText)
	}
}
