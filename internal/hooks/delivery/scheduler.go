package delivery

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// scheduler decides which of the claimed deliveries is sent next. It keeps a
// backlog for each subscription. A receiver (scheme, host and port) has
// MaxPerReceiver slots, however many subscriptions point to it, and all
// receivers together have maxInFlight. A subscription without a delivery in
// flight can always start one, beyond both limits: neither receivers that hang
// nor another subscription to the same receiver can block it.
type scheduler struct {
	backlogs  map[uuid.UUID]*backlog // by subscription
	receivers map[string]*receiver
	idle      turns // backlogs without a delivery in flight
	ready     turns // backlogs whose receiver had a free slot when they were added
	inFlight  int
	claimedAt time.Time // when the last claim began
	closed    bool
}

// backlog is the claimed deliveries of one subscription that wait to be sent.
type backlog struct {
	hookID   uuid.UUID
	to       *receiver
	waiting  []claimed
	inFlight int
	in       *turns // where it waits for its turn; nil = nowhere
	finished int    // deliveries since the last claim
	capacity int    // most deliveries to hold
	more     bool   // the last claim used up its quota
}

type receiver struct {
	name     string // scheme, host and port
	backlogs int
	inFlight int
	blocked  turns // backlogs that wait for a slot of the receiver
}

// slot is held by a delivery in flight.
type slot struct {
	backlog *backlog
	to      *receiver
}

func newScheduler() scheduler {
	return scheduler{backlogs: map[uuid.UUID]*backlog{}, receivers: map[string]*receiver{}}
}

// turns is a queue of backlogs. A backlog that was added to another queue since
// is no longer in this one.
type turns struct{ backlogs []*backlog }

func (t *turns) push(b *backlog) {
	b.in = t
	t.backlogs = append(t.backlogs, b)
}

// pop returns the next backlog; nil if there is none.
func (t *turns) pop() *backlog {
	for len(t.backlogs) > 0 {
		b := t.backlogs[0]
		t.backlogs = t.backlogs[1:]
		if b.in == t {
			b.in = nil
			return b
		}
	}
	return nil
}

// add adds claimed deliveries. quotas are those that they were claimed with;
// receivers are those of the subscriptions now.
func (s *scheduler) add(taken []claimed, quotas map[uuid.UUID]int, receivers map[uuid.UUID]string) {
	for id, name := range receivers {
		if b := s.backlogs[id]; b != nil && name != "" && name != b.to.name {
			s.assign(b, name)
		}
	}
	counts := map[uuid.UUID]int{}
	for _, delivery := range taken {
		b := s.backlogs[delivery.HookID]
		if b == nil {
			b = &backlog{hookID: delivery.HookID, capacity: defaultQuota}
			s.backlogs[delivery.HookID] = b
			s.assign(b, receivers[delivery.HookID])
		}
		b.waiting = append(b.waiting, delivery)
		counts[delivery.HookID]++
	}
	for id, n := range counts {
		b := s.backlogs[id]
		quota, ok := quotas[id]
		if !ok {
			quota = defaultQuota
		}
		b.more = n >= quota
		s.enqueue(b)
	}
}

// quotas returns how many deliveries may be claimed for each subscription that
// is being served: the more, the faster its receiver takes them.
func (s *scheduler) quotas(now time.Time) map[uuid.UUID]int {
	since := max(now.Sub(s.claimedAt), lookahead/10)
	s.claimedAt = now
	quotas := map[uuid.UUID]int{}
	for id, b := range s.backlogs {
		b.capacity = min(max(defaultQuota, b.capacity/2, int(time.Duration(b.finished)*lookahead/since)), maxBatch)
		if b.finished == 0 && b.inFlight == 0 && len(b.waiting) == 0 && b.capacity == defaultQuota {
			delete(s.backlogs, id)
			s.unassign(b)
			continue
		}
		b.finished = 0
		quotas[id] = max(b.capacity-len(b.waiting), 0)
	}
	return quotas
}

// runsLow reports, once after each claim, that more should be claimed.
func (b *backlog) runsLow() bool {
	low := b.more && len(b.waiting) < b.capacity/2
	b.more = b.more && !low
	return low
}

// assign has the backlog sent to the receiver.
func (s *scheduler) assign(b *backlog, name string) {
	s.unassign(b)
	if s.receivers[name] == nil {
		s.receivers[name] = &receiver{name: name}
	}
	b.to = s.receivers[name]
	b.to.backlogs++
	b.in = nil
	s.enqueue(b)
}

func (s *scheduler) unassign(b *backlog) {
	if b.to != nil {
		b.to.backlogs--
		s.dropUnused(b.to)
	}
}

// dropUnused removes a receiver that has neither backlogs nor deliveries in
// flight.
func (s *scheduler) dropUnused(to *receiver) {
	if to.backlogs == 0 && to.inFlight == 0 {
		delete(s.receivers, to.name)
	}
}

// enqueue adds the backlog to the queue in which it has to wait.
func (s *scheduler) enqueue(b *backlog) {
	switch {
	case len(b.waiting) == 0, s.closed, b.in != nil && b.inFlight > 0:
	case b.inFlight == 0:
		if b.in != &s.idle {
			s.idle.push(b)
		}
	case b.to.inFlight < MaxPerReceiver:
		s.ready.push(b)
	default:
		b.to.blocked.push(b)
	}
}

// next returns the next delivery and the slot that it takes; false if none can
// start.
func (s *scheduler) next() (claimed, slot, bool) {
	for {
		b := s.idle.pop()
		if b == nil && s.inFlight < maxInFlight {
			b = s.ready.pop()
		}
		switch {
		case b == nil:
			return claimed{}, slot{}, false
		case len(b.waiting) == 0:
			continue
		case b.inFlight > 0 && b.to.inFlight >= MaxPerReceiver:
			b.to.blocked.push(b)
			continue
		}
		delivery := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.inFlight++
		b.to.inFlight++
		s.inFlight++
		s.enqueue(b)
		return delivery, slot{b, b.to}, true
	}
}

// free ends the use of a slot.
func (s *scheduler) free(used slot) {
	used.backlog.inFlight--
	used.to.inFlight--
	s.inFlight--
	s.enqueue(used.backlog)
	if used.to.inFlight < MaxPerReceiver {
		if b := used.to.blocked.pop(); b != nil {
			s.ready.push(b)
		}
	}
	s.dropUnused(used.to)
}

// close empties the backlogs and returns what was in them; nothing starts
// afterwards.
func (s *scheduler) close() (rest []claimed) {
	s.closed = true
	for _, b := range s.backlogs {
		rest = append(rest, b.waiting...)
		b.waiting = nil
	}
	return slices.Clip(rest)
}
