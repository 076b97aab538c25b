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

	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
)

// Pool extracts documents in worker processes, each one document at a time. Unless the pool
// is shared, a worker process only gets documents of the tenant of its first one, because a
// document may take control of the process and read the documents that follow.
type Pool struct {
	limits Limits
	shared bool          // all tenants use the same worker processes
	warm   int           // number of unused worker processes to keep, if there is room
	slots  chan struct{} // one slot per document being extracted
	closed chan struct{} // closed by Close

	mu      sync.Mutex
	idle    []*process // the most recently used last
	all     map[*process]bool
	stopped bool
	warming bool        // warmUp is running
	sweep   *time.Timer // calls stopSurplus; nil if nothing is surplus
}

// idleTimeout is how long an idle worker process is kept for its tenant.
const idleTimeout = time.Minute

// NewPool returns a pool that extracts at most size documents at a time and keeps
// warm unused worker processes ready, as long as there are at most size in all. It starts
// them in the background.
func NewPool(size, warm int, limits Limits) *Pool { return startPool(size, warm, limits, false) }

// NewSharedPool is NewPool for tenants that trust each other, such as those of a test suite: all of them
// use the same worker processes, so that a new tenant does not need a new one.
func NewSharedPool(size, warm int, limits Limits) *Pool { return startPool(size, warm, limits, true) }

func startPool(size, warm int, limits Limits, shared bool) *Pool {
	p := &Pool{
		limits: limits,
		shared: shared,
		warm:   min(warm, size),
		slots:  make(chan struct{}, size),
		closed: make(chan struct{}),
		all:    map[*process]bool{},
	}
	closeOnExec()
	go p.warmUp()
	return p
}

// Limits returns the limits for one document.
func (p *Pool) Limits() Limits { return p.limits }

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

// Extract extracts the tenant's document with the given file name. Its error is an
// *extract.Unreadable if the document is the cause: if it cannot be parsed, or exceeds
// a limit of the worker processes. It is a *Crash if the worker process died for a
// reason that may have nothing to do with the document, and ErrRead if the bytes of the
// document could not be read. The tenant can be any text but "".
func (p *Pool) Extract(ctx context.Context, tenant, name string, document Document) (*extract.Extraction, error) {
	return p.extract(ctx, tenant, name, document, p.acquire)
}

// View returns a view of the tenant's document with the given file name. Its errors are
// those of Extract; the cause of an *extract.Unreadable is CauseView if the document has
// no such part or place.
func (p *Pool) View(ctx context.Context, tenant, name string, document Document, query view.Query) (*view.Window, error) {
	res, err := p.run(ctx, tenant, request{Name: name, Size: document.Size(), View: &query}, document, p.acquire)
	if err != nil {
		return nil, err
	}
	return res.View, nil
}

// ExtractFresh is Extract in a worker process that is started for the document, so
// that no earlier document can be the cause of a crash.
func (p *Pool) ExtractFresh(ctx context.Context, tenant, name string, document Document) (*extract.Extraction, error) {
	return p.extract(ctx, tenant, name, document, p.startFresh)
}

func (p *Pool) extract(ctx context.Context, tenant, name string, document Document, acquire func(tenant string) (*process, error)) (*extract.Extraction, error) {
	res, err := p.run(ctx, tenant, request{Name: name, Size: document.Size()}, document, acquire)
	if err != nil {
		return nil, err
	}
	return res.Extraction, nil
}

// run sends the request to a worker process and returns the response, which has the
// result.
func (p *Pool) run(ctx context.Context, tenant string, req request, document Document, acquire func(tenant string) (*process, error)) (*response, error) {
	if tenant == "" {
		return nil, errors.New("document without a tenant")
	}
	if p.shared {
		tenant = "" // the process remains unused
	}
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
	worker, err := acquire(tenant)
	if err != nil {
		return nil, err
	}
	res, err := worker.roundTrip(ctx, req, file)
	if err != nil {
		p.discard(worker)
		if p.isClosed() {
			return nil, ErrClosed
		}
		return nil, err
	}
	if res.Fault != "" { // it counts as a crash, because a compromised process could report faults forever
		p.discard(worker)
		return nil, &Crash{Exit: "error: " + res.Fault}
	}
	p.release(worker, res)
	switch {
	case res.Reason != "":
		return nil, &extract.Unreadable{Cause: res.Cause, Reason: res.Reason}
	case res.ReadError != "":
		return nil, fmt.Errorf("%w: %s", ErrRead, res.ReadError)
	}
	return res, nil
}

// acquire returns an idle worker process of the tenant or an unused one, or a new one if
// there is none. For the tenant "", which sends no documents, it never returns one of a tenant.
func (p *Pool) acquire(tenant string) (*process, error) {
	for {
		worker := p.takeIdle(tenant)
		if worker == nil {
			return p.startFresh(tenant)
		}
		if worker.alive() && !worker.hasUnread() {
			return worker, nil
		}
		p.discard(worker)
	}
}

// takeIdle removes a worker process that the tenant can use from the idle ones. It returns
// nil if there is none.
func (p *Pool) takeIdle(tenant string) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	for last >= 0 && p.idle[last].tenant != tenant {
		last--
	}
	if last < 0 {
		last = slices.IndexFunc(p.idle, (*process).unused)
	}
	if last < 0 {
		return nil
	}
	worker := p.idle[last]
	p.idle = slices.Delete(p.idle, last, last+1)
	if worker.unused() && tenant != "" {
		worker.tenant = tenant
		go p.warmUp()
	}
	return worker
}

// startFresh returns a new worker process for the tenant. If there would otherwise be more
// processes than the pool may have, it kills an idle one, preferably one of a tenant.
func (p *Pool) startFresh(tenant string) (*process, error) {
	p.mu.Lock()
	var surplus *process
	if len(p.all) >= cap(p.slots) && len(p.idle) > 0 {
		i := max(0, slices.IndexFunc(p.idle, func(w *process) bool { return !w.unused() }))
		surplus = p.idle[i]
		p.idle = slices.Delete(p.idle, i, i+1)
		delete(p.all, surplus)
	}
	p.mu.Unlock()
	if surplus != nil {
		surplus.kill()
		<-surplus.exited
	}
	worker, err := p.startWorker()
	if err == nil {
		worker.tenant = tenant
	}
	return worker, err
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

// warmUp starts worker processes until there are as many unused ones as the pool keeps
// warm, or as many in all as it may have.
func (p *Pool) warmUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warming {
		return
	}
	p.warming = true
	defer func() { p.warming = false }()
	for !p.stopped && p.unused() < p.warm && len(p.all) < cap(p.slots) {
		p.mu.Unlock()
		worker, err := p.startWorker()
		if err == nil {
			p.addIdle(worker)
		}
		p.mu.Lock()
		if err != nil {
			if !errors.Is(err, ErrClosed) {
				slog.Error("worker process could not be started", "err", err)
			}
			return
		}
	}
}

// unused returns the number of idle worker processes that have not had a document. The
// caller holds the lock.
func (p *Pool) unused() (n int) {
	for _, worker := range p.idle {
		if worker.unused() {
			n++
		}
	}
	return n
}

// release returns the worker process to the pool, or replaces it if it has used half of
// its CPU time or of its memory, so that the next document does not fail because of
// earlier ones. Memory that the Go runtime has returned to the system still counts.
func (p *Pool) release(worker *process, res *response) {
	if res.CPUTime > cpuLimit(p.limits.Time)/2 || res.Mapped > uint64(p.limits.Memory)/2 {
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
	if len(p.all) > cap(p.slots) { // warmUp and startFresh started workers at the same time
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
	p.scheduleSweep()
}

// scheduleSweep has stopSurplus called later if a worker process is surplus. The caller
// holds the lock.
func (p *Pool) scheduleSweep() {
	if p.sweep == nil && (p.unused() < len(p.idle) || len(p.idle) > p.warm) {
		p.sweep = time.AfterFunc(idleTimeout, p.stopSurplus)
	}
}

// stopSurplus kills the worker processes that have been idle for idleTimeout, except as
// many unused ones as the pool keeps warm.
func (p *Pool) stopSurplus() {
	p.mu.Lock()
	defer p.mu.Unlock()
	unused := p.unused()
	p.idle = slices.DeleteFunc(p.idle, func(worker *process) bool {
		if time.Since(worker.idleSince) < idleTimeout || worker.unused() && unused <= p.warm {
			return false
		}
		if worker.unused() {
			unused--
		}
		delete(p.all, worker)
		worker.kill()
		return true
	})
	p.sweep = nil
	p.scheduleSweep()
	go p.warmUp()
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
