//go:build !linux && !darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy.example/internal/extract"
)

// Pool reads documents in this very process: on this system children can't be
// handed files. Only the time is limited, and a panic caught.
type Pool struct{ limits Limits }

// NewPool takes the limits; on this system nothing is started.
func NewPool(_, _ int, limits Limits) *Pool { return &Pool{limits} }

// Main returns at once on this system.
func Main() {}

// Close does nothing.
func (*Pool) Close() {}

// Read extracts the document of the given file name. Its error is an
// *extract.Unreadable when the document is to blame.
func (p *Pool) Read(ctx context.Context, name string, document Document) (*extract.Extraction, error) {
	done := make(chan answer, 1)
	within, cancel := context.WithTimeout(ctx, p.limits.Wall)
	defer cancel()
	go func() {
		done <- read(within, question{Name: name, Size: document.Size()}, document)
	}()
	select {
	case got := <-done:
		switch {
		case got.Reason != "":
			return nil, &extract.Unreadable{Reason: got.Reason}
		case got.Fault != "":
			return nil, errors.New(got.Fault)
		}
		return got.Extraction, got.check()
	case <-time.After(p.limits.Wall):
		return nil, &extract.Unreadable{Reason: fmt.Sprintf("reading took longer than %s", p.limits.Wall)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
