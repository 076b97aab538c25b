package document_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"understudy.example/internal/document"
)

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	text := strings.Repeat("line\n", 5000)
	if _, err := document.Read(ctx, "a.txt", strings.NewReader(text), int64(len(text))); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}
