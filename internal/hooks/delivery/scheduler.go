package delivery

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// MaxPerReceiver is the maximum number of deliveries to one receiver in flight per
// server. A subscription without a delivery in flight may exceed it by one.
const MaxPerReceiver = 8

// maxInFlight is the maximum number of deliveries in flight per server, with the same
// exception.
const maxInFlight = 512

// maxPerTenant is the maximum number of a tenant's deliveries in flight per server: the
// slots of its active subscriptions. It is reached only if subscriptions are replaced
// while their deliveries are in flight, and has no exception.
const maxPerTenant = 10 * MaxPerReceiver

// maxShared is the number of subscriptions up to which each has defaultQuota. It is the number of active
// subscriptions that a tenant can have; it has more with deliveries only if it replaces them.
const maxShared = maxPerTenant / MaxPerReceiver

// share returns the quota of each of a tenant's subscriptions while it is not known how fast its receiver is. It
// limits the deliveries that a server holds for the tenant, and whose leases it must renew.
func share(subscriptions int) int {
	return min(defaultQuota, max(1, maxShared*defaultQuota/subscriptions))
}

// maxLargeBytes is the maximum size in bytes of the large bodies in flight per server,
// all together, with the same exception. Bodies up to maxClaimedBody do not count.
const maxLargeBytes = 16 << 20

// scheduler decides which of the claimed deliveries is sent next. It keeps a
// backlog for each subscription. A receiver (scheme, host and port) has
// MaxPerReceiver slots, however many subscriptions point to it, and all receivers
// together have maxInFlight and maxLargeBytes. A subscription without a delivery in
// flight can always start one, beyond all these limits: neither hanging receivers nor other
// subscriptions to the same receiver can block it. Only maxPerTenant limits it.
type scheduler struct {
	backlogs  map[uuid.UUID]*backlog // by subscription
	receivers map[string]*receiver
	tenants   map[uuid.UUID]*tenant // with deliveries in flight, or sent and not recorded because of a lock
	idle      backlogQueue          // backlogs without a delivery in flight
	ready     backlogQueue          // backlogs whose receiver had a free slot when they were added
	large     backlogQueue          // backlogs whose next delivery had no room for its body
	inFlight  int
	bytes     int       // of the large bodies in flight
	claimedAt time.Time // when the last claim began
	closed    bool
}

// backlog holds the claimed deliveries of one subscription that wait to be sent.
type backlog struct {
	hookID      uuid.UUID
	tenantID    uuid.UUID
	receiver    *receiver
	waiting     []claimed
	pending     int // claimed deliveries whose faults are being selected
	inFlight    int
	queue       *backlogQueue // in which it waits; nil = none
	finished    int           // attempts since the last claim
	capacity    int           // maximum number of waiting deliveries
	quotaUsedUp bool          // by the last claim
}

type receiver struct {
	name     string // scheme, host and port
	backlogs int
	inFlight int
	blocked  backlogQueue // backlogs that wait for a slot of the receiver
}

type tenant struct {
	inFlight int
	blocked  backlogQueue // backlogs that wait because of maxPerTenant
}

// slot is used by a delivery in flight.
type slot struct {
	backlog  *backlog
	receiver *receiver
	bytes    int // of its large body
}

func newScheduler() scheduler {
	return scheduler{backlogs: map[uuid.UUID]*backlog{}, receivers: map[string]*receiver{}, tenants: map[uuid.UUID]*tenant{}}
}

// backlogQueue is a queue of backlogs. A backlog is in the queue to which it was
// pushed last.
type backlogQueue struct{ backlogs []*backlog }

func (q *backlogQueue) push(b *backlog) {
	b.queue = q
	q.backlogs = append(q.backlogs, b)
}

// pop returns the next backlog; nil if there is none.
func (q *backlogQueue) pop() *backlog {
	for len(q.backlogs) > 0 {
		b := q.backlogs[0]
		q.backlogs = q.backlogs[1:]
		if b.queue == q {
			b.queue = nil
			return b
		}
	}
	return nil
}

// reserve counts claimed deliveries, each of which must then be passed to add or to drop.
// quotas are those of the claim; receivers are the current ones of the subscriptions.
func (s *scheduler) reserve(taken []claimed, quotas map[uuid.UUID]int, receivers map[uuid.UUID]string) {
	for id, name := range receivers {
		if b := s.backlogs[id]; b != nil && name != "" && name != b.receiver.name {
			s.assign(b, name)
		}
	}
	counts := map[uuid.UUID]int{}
	for _, delivery := range taken {
		b := s.backlogs[delivery.HookID]
		if b == nil {
			b = &backlog{hookID: delivery.HookID, tenantID: delivery.TenantID, capacity: defaultQuota}
			s.backlogs[delivery.HookID] = b
			s.assign(b, receivers[delivery.HookID])
		}
		b.pending++
		counts[delivery.HookID]++
	}
	for id, n := range counts {
		quota, ok := quotas[id]
		if !ok {
			quota = defaultQuota
		}
		s.backlogs[id].quotaUsedUp = n >= quota
	}
}

// add adds deliveries that can be sent.
func (s *scheduler) add(deliveries []claimed) {
	for _, delivery := range deliveries {
		b := s.backlogs[delivery.HookID]
		b.pending--
		b.waiting = append(b.waiting, delivery)
		s.enqueue(b)
	}
}

// drop forgets a delivery that is not sent now.
func (s *scheduler) drop(delivery claimed) { s.backlogs[delivery.HookID].pending-- }

// quotas returns how many deliveries may be claimed for each subscription with a
// backlog: the faster its receiver accepts deliveries, the more. It removes backlogs
// that are no longer used.
func (s *scheduler) quotas(now time.Time) map[uuid.UUID]int {
	since := max(now.Sub(s.claimedAt), lookahead/10)
	s.claimedAt = now
	quotas, subscriptions := map[uuid.UUID]int{}, map[uuid.UUID]int{} // of each tenant
	for _, b := range s.backlogs {
		subscriptions[b.tenantID]++
	}
	for id, b := range s.backlogs {
		least := share(subscriptions[b.tenantID])
		b.capacity = min(max(least, b.capacity/2, int(time.Duration(b.finished)*lookahead/since)), maxBatch)
		if b.finished == 0 && b.inFlight == 0 && b.pending == 0 && len(b.waiting) == 0 && b.capacity == least {
			delete(s.backlogs, id)
			s.unassign(b)
			continue
		}
		b.finished = 0
		quotas[id] = max(b.capacity-len(b.waiting)-b.pending, 0)
	}
	return quotas
}

// needsMore reports, at most once after each claim, that more should be claimed.
func (b *backlog) needsMore() bool {
	low := b.quotaUsedUp && len(b.waiting)+b.pending < b.capacity/2
	b.quotaUsedUp = b.quotaUsedUp && !low
	return low
}

// assign moves the backlog to the receiver with the name.
func (s *scheduler) assign(b *backlog, name string) {
	s.unassign(b)
	if s.receivers[name] == nil {
		s.receivers[name] = &receiver{name: name}
	}
	b.receiver = s.receivers[name]
	b.receiver.backlogs++
	b.queue = nil
	s.enqueue(b)
}

func (s *scheduler) unassign(b *backlog) {
	if b.receiver != nil {
		b.receiver.backlogs--
		s.removeIfUnused(b.receiver)
	}
}

// removeIfUnused removes the receiver if it has neither backlogs nor deliveries in
// flight.
func (s *scheduler) removeIfUnused(to *receiver) {
	if to.backlogs == 0 && to.inFlight == 0 {
		delete(s.receivers, to.name)
	}
}

// enqueue pushes the backlog to the queue in which it has to wait.
func (s *scheduler) enqueue(b *backlog) {
	switch {
	case len(b.waiting) == 0, s.closed, b.queue != nil && b.inFlight > 0:
	case b.inFlight == 0:
		if b.queue != &s.idle {
			s.idle.push(b)
		}
	case b.receiver.inFlight < MaxPerReceiver:
		s.ready.push(b)
	default:
		b.receiver.blocked.push(b)
	}
}

// next returns the next delivery and the slot that it uses; false if no delivery
// can start.
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
		case s.tenants[b.tenantID] != nil && s.tenants[b.tenantID].inFlight >= maxPerTenant:
			s.tenants[b.tenantID].blocked.push(b)
			s.unblock(b.receiver) // another one can use the slot
			continue
		case b.inFlight > 0 && b.receiver.inFlight >= MaxPerReceiver:
			b.receiver.blocked.push(b)
			continue
		case b.inFlight > 0 && b.waiting[0].LargeBytes > 0 && s.bytes+b.waiting[0].LargeBytes > maxLargeBytes:
			s.large.push(b)
			s.unblock(b.receiver) // another one can use the slot
			continue
		}
		delivery := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.inFlight++
		b.receiver.inFlight++
		s.tenant(b.tenantID).inFlight++
		s.inFlight++
		s.bytes += delivery.LargeBytes
		s.enqueue(b)
		return delivery, slot{b, b.receiver, delivery.LargeBytes}, true
	}
}

// tenant returns the deliveries in flight of the tenant.
func (s *scheduler) tenant(id uuid.UUID) *tenant {
	if s.tenants[id] == nil {
		s.tenants[id] = &tenant{}
	}
	return s.tenants[id]
}

// free frees a slot.
func (s *scheduler) free(used slot) {
	used.backlog.inFlight--
	used.receiver.inFlight--
	s.inFlight--
	s.bytes -= used.bytes
	s.enqueue(used.backlog)
	s.unblock(used.receiver)
	s.unblockTenant(used.backlog.tenantID)
	if used.bytes > 0 {
		for b := s.large.pop(); b != nil; b = s.large.pop() {
			s.ready.push(b)
		}
	}
	s.removeIfUnused(used.receiver)
}

// unblockTenant lets the tenant use the slot that one of its deliveries has freed.
func (s *scheduler) unblockTenant(id uuid.UUID) {
	t := s.tenants[id]
	t.inFlight--
	for b := t.blocked.pop(); b != nil; b = t.blocked.pop() {
		s.enqueue(b)
	}
	if t.inFlight == 0 {
		delete(s.tenants, id)
	}
}

// unblock lets the next backlog that waits for a slot of the receiver use a free one.
func (s *scheduler) unblock(to *receiver) {
	if to.inFlight < MaxPerReceiver {
		if b := to.blocked.pop(); b != nil {
			s.ready.push(b)
		}
	}
}

// close empties the backlogs and returns their deliveries. No delivery starts
// afterwards.
func (s *scheduler) close() (rest []claimed) {
	s.closed = true
	for _, b := range s.backlogs {
		rest = append(rest, b.waiting...)
		b.waiting = nil
	}
	return slices.Clip(rest)
}
