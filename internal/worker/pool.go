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

// Pool reads documents in child processes, each one document at a time.
type Pool struct {
	limits Limits
	warm   int           // children kept while there is nothing to do
	slots  chan struct{} // one for each document being read
	closed chan struct{}

	mu   sync.Mutex
	idle []*process // the last one was used last
	all  map[*process]bool
	end  bool
}

// linger is how long children beyond those kept warm wait for work.
const linger = time.Minute

// NewPool reads at most size documents at once and keeps warm children ready.
func NewPool(size, warm int, limits Limits) *Pool {
	p := &Pool{
		limits: limits,
		warm:   min(warm, size),
		slots:  make(chan struct{}, size),
		closed: make(chan struct{}),
		all:    map[*process]bool{},
	}
	closeOnExec()
	go p.heat()
	return p
}

// Close ends the children. What they are reading is not to blame: its Read
// returns ErrClosed.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end {
		return
	}
	p.end = true
	close(p.closed)
	for child := range p.all {
		child.kill()
	}
	p.idle = nil
}

// watch replaces the child when it dies while it has nothing to do. One that
// dies at work is buried by whoever asked it.
func (p *Pool) watch(child *process) {
	<-child.ended
	p.mu.Lock()
	at := slices.Index(p.idle, child)
	if at >= 0 {
		p.idle = slices.Delete(p.idle, at, at+1)
		delete(p.all, child)
	}
	p.mu.Unlock()
	if at >= 0 {
		slog.Warn("a reader died with nothing to do", "said", child.said.String())
		p.heat()
	}
}

// Read extracts the document of the given file name. Its error is an
// *extract.Unreadable when the document is to blame: also where its reading
// took too long or too much memory, or broke the child twice.
func (p *Pool) Read(ctx context.Context, name string, document Document) (*extract.Extraction, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, ErrClosed
	}
	file, err := fileOf(document)
	if err != nil {
		return nil, fmt.Errorf("hand a document over: %w", err)
	}
	defer file.Close()
	for {
		child, err := p.take()
		if err != nil {
			return nil, err
		}
		fresh := child.documents == 0
		got, err := child.ask(ctx, question{Name: name, Size: document.Size()}, file)
		if err == nil {
			p.giveBack(child, got.Spent)
			switch {
			case got.Reason != "":
				return nil, &extract.Unreadable{Reason: got.Reason}
			case got.Fault != "":
				return nil, errors.New(got.Fault)
			}
			return got.Extraction, nil
		}
		said := p.bury(child)
		var broken *errBroken
		switch {
		case p.isClosed():
			return nil, ErrClosed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !errors.As(err, &broken):
			return nil, err
		case fresh || broken.final:
			slog.WarnContext(ctx, "a document broke its reader", "name", name, "reason", broken.reason, "err", broken.err, "said", said)
			return nil, &extract.Unreadable{Reason: broken.reason}
		}
		// It may have died of what it read before: once more in a fresh one.
	}
}

// take returns an idle child, else a new one.
func (p *Pool) take() (*process, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		child := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if child.alive() {
			return child, nil
		}
		p.bury(child)
		return p.start()
	}
	p.mu.Unlock()
	return p.start()
}

// start makes a new child.
func (p *Pool) start() (*process, error) {
	child, err := begin(p.limits)
	if err != nil {
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end {
		child.kill()
		return nil, ErrClosed
	}
	p.all[child] = true
	go p.watch(child)
	return child, nil
}

// heat has as many children ready as are kept warm.
func (p *Pool) heat() {
	for {
		p.mu.Lock()
		enough := p.end || len(p.all) >= p.warm
		p.mu.Unlock()
		if enough {
			return
		}
		child, err := p.start()
		if err != nil {
			if !errors.Is(err, ErrClosed) {
				slog.Error("no reader could be started", "err", err)
			}
			return
		}
		p.rest(child)
	}
}

// giveBack keeps the child for the next document, or replaces one that has
// used half of its lifetime.
func (p *Pool) giveBack(child *process, spent time.Duration) {
	child.documents++
	if spent > lifetime(p.limits.Wall)/2 {
		p.bury(child)
		return
	}
	p.rest(child)
}

// rest puts the child to the idle ones.
func (p *Pool) rest(child *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end {
		return
	}
	if len(p.all) > cap(p.slots) { // one more was started meanwhile
		delete(p.all, child)
		child.kill()
		return
	}
	if !child.alive() {
		delete(p.all, child)
		go p.heat()
		return
	}
	child.since = time.Now()
	p.idle = append(p.idle, child)
	if len(p.all) > p.warm {
		time.AfterFunc(linger, p.trim)
	}
}

// trim ends those beyond the warm ones that have lingered.
func (p *Pool) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 && len(p.all) > p.warm && time.Since(p.idle[0].since) >= linger {
		delete(p.all, p.idle[0])
		p.idle[0].kill()
		p.idle = p.idle[1:]
	}
}

// bury ends the child, has it replaced, and returns what it said last.
func (p *Pool) bury(child *process) string {
	child.kill()
	<-child.ended
	p.mu.Lock()
	delete(p.all, child)
	p.mu.Unlock()
	go p.heat()
	return child.said.String()
}

func (p *Pool) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}
