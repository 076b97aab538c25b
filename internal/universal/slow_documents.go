package universal

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
)

const (
	// slowDocument is the time after which a document in a worker process counts as slow. Tenants
	// with slow documents together use at most half of the worker processes, so that the documents of
	// other tenants need not wait for them.
	slowDocument = 5 * time.Second
	slowFor      = 5 * time.Minute // how long a tenant counts as slow after a slow document
	// preemptInterval is how often the server checks whether a slow document must leave its worker process.
	preemptInterval = time.Second
)

// errPreempted is the error of a slow document that was stopped because other tenants need its worker
// process. It is processed again from the beginning.
var errPreempted = errors.New("other tenants need the worker process")

// watchSpeed marks the tenant as slow once its document is slow. If its worker process is needed
// from then on, it calls cancel once. The caller calls stop when the document has left its worker process.
func (p *Processor) watchSpeed(tenantID uuid.UUID, needsWorker func() bool, cancel context.CancelCauseFunc) (stop func()) {
	var timer *time.Timer
	ended, preempted := false, false // both under p.mu
	check := func() {
		p.slow.Mark(tenantID, p.Now(), slowFor)
		needed := needsWorker()
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case ended:
		case needed && p.slowUseTooMany(): // again, since another document may have been stopped
			preempted = true
			p.preempted++
			cancel(errPreempted)
		default:
			timer.Reset(preemptInterval)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	timer = time.AfterFunc(slowDocument, check)
	return func() {
		timer.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		ended = true
		if preempted {
			p.preempted--
		}
	}
}

// needsWorker reports whether the worker process of a slow document is needed: tenants with slow documents use too
// many, and a submission of another tenant waits.
func (p *Processor) needsWorker() bool {
	p.mu.Lock()
	tooMany, slow := p.slowUseTooMany(), p.slowTenants()
	p.mu.Unlock()
	if !tooMany {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), slowDocument)
	defer cancel()
	waits, err := isDue(ctx, p.DB, p.Now(), slow...)
	if err != nil {
		slog.Warn("looking for submissions that wait failed", "err", err)
	}
	return waits
}

// slowUseTooMany reports whether submissions wait while all worker processes are in use, and the tenants with slow
// documents use more than half of them. They can, because they were not known to be slow when the
// documents were claimed. The caller holds the lock.
func (p *Processor) slowUseTooMany() bool {
	return p.waiting && p.claimed >= p.Workers.Size() && p.freeForSlow(p.slowTenants())+p.preempted < 0
}

// slowTenants returns the tenants with slow documents: those with the fewest in flight first and, of these,
// those from which nothing has been claimed for the longest time. The caller holds the lock.
func (p *Processor) slowTenants() []uuid.UUID {
	slow := p.slow.Tenants(p.Now())
	slices.SortStableFunc(slow, func(a, b uuid.UUID) int {
		return cmp.Or(p.inFlight[a]-p.inFlight[b], slices.Index(p.served, a)-slices.Index(p.served, b))
	})
	return slow
}

// withheld returns each slow tenant once for each worker process of its share that a claim must not
// give it. The tenant whose turn it is may use what is free for slow tenants, the others get nothing.
func (p *Processor) withheld(slow []uuid.UUID, turn int) (withheld []uuid.UUID) {
	for i, tenantID := range slow {
		left := max(p.Share-p.inFlight[tenantID], 0)
		if i == turn {
			left -= min(left, max(p.freeForSlow(slow), 0))
		}
		withheld = append(withheld, slices.Repeat([]uuid.UUID{tenantID}, left)...)
	}
	return withheld
}

// freeForSlow returns how many more documents of the slow tenants can be processed.
func (p *Processor) freeForSlow(slow []uuid.UUID) int {
	free := max(p.Workers.Size()/2, 1)
	for _, tenantID := range slow {
		free -= p.inFlight[tenantID]
	}
	return free
}

// mayReserve reports whether the limit on slow tenants allows a worker process to be reserved for the
// tenant.
func (p *Processor) mayReserve(tenantID uuid.UUID) bool {
	return !p.slow.Has(tenantID, p.Now()) || p.freeForSlow(p.slowTenants()) > 0
}
