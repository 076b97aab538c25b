//go:build linux || darwin

package worker

import (
	"context"
	"fmt"
	"os"
)

// Probe returns an error unless a worker process responds to an empty document, which
// takes about a millisecond. It uses a worker process that has not had a document, because a
// compromised one could ignore the probe, and starts one if none is idle. While all of them extract
// documents, it returns nil, because the time of a document is limited. If ctx ends first, the worker
// process is replaced.
func (p *Pool) Probe(ctx context.Context) error {
	if p.isClosed() {
		return ErrClosed
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	default:
		return nil
	}
	empty, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer empty.Close()
	worker, err := p.acquire("")
	if err != nil {
		return err
	}
	res, err := worker.roundTrip(ctx, request{Name: "probe"}, empty)
	if err != nil {
		p.discard(worker)
		return fmt.Errorf("worker process does not respond: %w", err)
	}
	p.release(worker, res)
	return nil
}
