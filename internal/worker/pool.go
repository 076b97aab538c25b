//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"understudy.example/internal/extract"
)

// Pool extracts documents in worker processes, each one document at a time.
type Pool struct {
	limits Limits
	warm   int           // number of worker processes to keep when idle
	slots  chan struct{} // one slot per document being extracted
	closed chan struct{} // closed by Close

	mu      sync.Mutex
	idle    []*process // the most recently used last
	all     map[*process]bool
	stopped bool
}

// idleTimeout is how long an idle worker process is kept beyond the warm ones.
const idleTimeout = time.Minute

// NewPool returns a pool that extracts at most size documents at a time and keeps
// warm idle worker processes ready, at most size. It starts them in the background.
func NewPool(size, warm int, limits Limits) *Pool {
	p := &Pool{
		limits: limits,
		warm:   min(warm, size),
		slots:  make(chan struct{}, size),
		closed: make(chan struct{}),
		all:    map[*process]bool{},
	}
	closeOnExec()
	go p.warmUp()
	return p
}

// Size returns how many documents the pool extracts at a time.
func (p *Pool) Size() int { return cap(p.slots) }

// Stats returns the present state of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Busy: len(p.slots), Idle: len(p.idle)}
}

// Close kills the worker processes. Calls of Extract in progress return ErrClosed and
// not an *extract.Unreadable, because their documents are not the cause.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	close(p.closed)
	for worker := range p.all {
		worker.kill()
	}
	p.idle = nil
}

// watch replaces the worker process if it exits while idle. Extract discards one that
// exits during an extraction.
func (p *Pool) watch(worker *process) {
	<-worker.exited
	p.mu.Lock()
	i := slices.Index(p.idle, worker)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		delete(p.all, worker)
	}
	p.mu.Unlock()
	if i >= 0 {
		slog.Warn("idle worker process exited unexpectedly", "stderr", worker.stderr.String())
		p.warmUp()
	}
}

// Extract extracts the document with the given file name. Its error is an
// *extract.Unreadable if the document is the cause: if it cannot be parsed, or exceeds
// a limit of the worker processes. It is a *Crash if the worker process died for a
// reason that may have nothing to do with the document, and ErrRead if the bytes of the
// document could not be read.
func (p *Pool) Extract(ctx context.Context, name string, document Document) (*extract.Extraction, error) {
	return p.extract(ctx, name, document, p.acquire)
}

// ExtractFresh is Extract in a worker process that is started for the document, so
// that no earlier document can be the cause of a crash.
func (p *Pool) ExtractFresh(ctx context.Context, name string, document Document) (*extract.Extraction, error) {
	return p.extract(ctx, name, document, p.startFresh)
}

func (p *Pool) extract(ctx context.Context, name string, document Document, acquire func() (*process, error)) (*extract.Extraction, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, ErrClosed
	}
	file, err := fileOfDocument(document)
	if err != nil {
		return nil, fmt.Errorf("open document for worker process: %w", err)
	}
	defer file.Close()
	worker, err := acquire()
	if err != nil {
		return nil, err
	}
	res, err := worker.roundTrip(ctx, request{Name: name, Size: document.Size()}, file)
	if err != nil {
		p.discard(worker)
		if p.isClosed() {
			return nil, ErrClosed
		}
		return nil, err
	}
	p.release(worker, res)
	switch {
	case res.Reason != "":
		return nil, &extract.Unreadable{Cause: res.Cause, Reason: res.Reason}
	case res.Fault != "":
		return nil, errors.New(res.Fault)
	case res.ReadError != "":
		return nil, fmt.Errorf("%w: %s", ErrRead, res.ReadError)
	}
	return res.Extraction, nil
}

// acquire returns an idle worker process, or a new one if none is idle.
func (p *Pool) acquire() (*process, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		worker := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if worker.alive() {
			return worker, nil
		}
		p.discard(worker)
		return p.startWorker()
	}
	p.mu.Unlock()
	return p.startWorker()
}

// startFresh returns a new worker process. It kills an idle one if there would
// otherwise be more processes than the pool may have.
func (p *Pool) startFresh() (*process, error) {
	p.mu.Lock()
	var surplus *process
	if len(p.all) >= cap(p.slots) && len(p.idle) > 0 {
		surplus = p.idle[0]
		p.idle = p.idle[1:]
		delete(p.all, surplus)
	}
	p.mu.Unlock()
	if surplus != nil {
		surplus.kill()
		<-surplus.exited
	}
	return p.startWorker()
}

// startWorker starts a worker process and watches it.
func (p *Pool) startWorker() (*process, error) {
	worker, err := startProcess(p.limits)
	if err != nil {
		return nil, fmt.Errorf("start worker process: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		worker.kill()
		return nil, ErrClosed
	}
	p.all[worker] = true
	go p.watch(worker)
	return worker, nil
}

// warmUp starts worker processes until there are as many as the pool keeps warm.
func (p *Pool) warmUp() {
	for {
		p.mu.Lock()
		enough := p.stopped || len(p.all) >= p.warm
		p.mu.Unlock()
		if enough {
			return
		}
		worker, err := p.startWorker()
		if err != nil {
			if !errors.Is(err, ErrClosed) {
				slog.Error("worker process could not be started", "err", err)
			}
			return
		}
		p.addIdle(worker)
	}
}

// release returns the worker process to the pool, or replaces it if it has used half of
// its CPU time or of its memory, so that the next document does not fail because of
// earlier ones. Memory that the Go runtime has returned to the system still counts.
func (p *Pool) release(worker *process, res *response) {
	if res.CPUTime > cpuLimit(p.limits.Wall)/2 || res.Mapped > uint64(p.limits.Memory)/2 {
		p.discard(worker)
		return
	}
	p.addIdle(worker)
}

// addIdle adds the worker process to the idle ones.
func (p *Pool) addIdle(worker *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if len(p.all) > cap(p.slots) { // warmUp and acquire started workers at the same time
		delete(p.all, worker)
		worker.kill()
		return
	}
	if !worker.alive() {
		delete(p.all, worker)
		go p.warmUp()
		return
	}
	worker.idleSince = time.Now()
	p.idle = append(p.idle, worker)
	if len(p.all) > p.warm {
		time.AfterFunc(idleTimeout, p.stopSurplus)
	}
}

// stopSurplus kills the worker processes that have been idle for idleTimeout,
// except as many as the pool keeps warm.
func (p *Pool) stopSurplus() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 && len(p.all) > p.warm && time.Since(p.idle[0].idleSince) >= idleTimeout {
		delete(p.all, p.idle[0])
		p.idle[0].kill()
		p.idle = p.idle[1:]
	}
}

// discard kills the worker process and has it replaced.
func (p *Pool) discard(worker *process) {
	worker.kill()
	<-worker.exited
	p.mu.Lock()
	delete(p.all, worker)
	p.mu.Unlock()
	go p.warmUp()
}

func (p *Pool) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}
