//go:build !linux && !darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
)

// Pool extracts documents in the current process, because this system cannot pass
// open files to child processes. It limits only the time, in wall-clock time because a
// process cannot measure the CPU time of one of its documents, and recovers panics.
type Pool struct {
	size   int
	limits Limits
}

// NewPool returns a pool with the given limits. It starts no processes, and does not
// limit how many documents are extracted at a time: Size is for callers that do.
func NewPool(size, _ int, limits Limits) *Pool { return &Pool{size, limits} }

// NewSharedPool is NewPool on this system.
func NewSharedPool(size, warm int, limits Limits) *Pool { return NewPool(size, warm, limits) }

// Limits returns the limits for one document.
func (p *Pool) Limits() Limits { return p.limits }

// Size returns how many documents should be extracted at a time.
func (p *Pool) Size() int { return p.size }

// Stats returns zeros, because there are no processes.
func (*Pool) Stats() Stats { return Stats{} }

// Main does nothing on this system.
func Main() {}

// ProbeSandbox returns an error, because there are no worker processes.
func ProbeSandbox(Limits) ([]Layer, error) {
	return nil, errors.New("documents are extracted in the server's own process on this system, without a sandbox")
}

// Close does nothing on this system.
func (*Pool) Close() {}

// Probe always returns nil, because there are no processes.
func (*Pool) Probe(context.Context) error { return nil }

// ExtractFresh is Extract, because there are no processes.
func (p *Pool) ExtractFresh(ctx context.Context, tenant, name string, document Document) (*extract.Extraction, error) {
	return p.Extract(ctx, tenant, name, document)
}

// Extract extracts the document with the given file name. Its error is an
// *extract.Unreadable if the document is the cause.
func (p *Pool) Extract(ctx context.Context, _, name string, document Document) (*extract.Extraction, error) {
	res, err := p.run(ctx, request{Name: name, Size: document.Size()}, document)
	if err != nil {
		return nil, err
	}
	return res.Extraction, nil
}

// View returns a view of the document with the given file name.
func (p *Pool) View(ctx context.Context, _, name string, document Document, query view.Query) (*view.Window, error) {
	res, err := p.run(ctx, request{Name: name, Size: document.Size(), View: &query}, document)
	if err != nil {
		return nil, err
	}
	return res.View, nil
}

func (p *Pool) run(ctx context.Context, req request, document Document) (*response, error) {
	done := make(chan response, 1)
	timed, cancel := context.WithTimeout(ctx, p.limits.Time)
	defer cancel()
	go func() {
		done <- extractDocument(timed, req, document)
	}()
	select {
	case res := <-done:
		switch {
		case res.Reason != "":
			return nil, &extract.Unreadable{Cause: res.Cause, Reason: res.Reason}
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case timed.Err() != nil:
			return nil, tooSlow(p.limits.Time)
		case res.Fault != "":
			return nil, &Crash{Exit: "error: " + res.Fault}
		}
		return &res, res.check()
	case <-time.After(p.limits.Time):
		return nil, tooSlow(p.limits.Time)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tooSlow is the error of a document that takes longer than the limit.
func tooSlow(limit time.Duration) error {
	return &extract.Unreadable{Cause: CauseTime, Reason: fmt.Sprintf("processing took longer than %s", limit)}
}
