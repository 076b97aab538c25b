package hooks

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// lines are what a server holds to be sent: a line for each subscription, and
// slots for those that may be sent at once. A receiver, which is a scheme, host
// and port, has maxSlots, however many subscriptions are to it, and all
// receivers together have maxSending. A subscription with nothing under way
// does not have to wait for any of them: so neither receivers that hang nor
// another subscription to the same receiver keep it from being served.
type lines struct {
	of        map[uuid.UUID]*line // by subscription
	receivers map[string]*receiver
	first     queue // with nothing under way
	ready     queue // with a slot of their receiver, when they were put there
	sending   int
	claimed   time.Time // when the last claim began
	closed    bool
}

// line is what waits for one subscription.
type line struct {
	hookID   uuid.UUID
	to       *receiver
	waiting  []claimed
	sending  int
	in       *queue // where it waits for its turn; nil = nowhere
	finished int    // since the last claim
	room     int    // most to be held waiting
	more     bool   // the last claim took all that there was room for
}

type receiver struct {
	name    string
	lines   int
	sending int
	full    queue // lines that wait for a slot
}

// slot is a place that a delivery takes while it is sent.
type slot struct {
	line *line
	to   *receiver
}

func newLines() lines {
	return lines{of: map[uuid.UUID]*line{}, receivers: map[string]*receiver{}}
}

// queue is lines in turn. One that has been put into another queue since is no
// longer in it.
type queue struct{ lines []*line }

func (q *queue) put(l *line) {
	l.in = q
	q.lines = append(q.lines, l)
}

func (q *queue) take() *line {
	for len(q.lines) > 0 {
		l := q.lines[0]
		q.lines = q.lines[1:]
		if l.in == q {
			l.in = nil
			return l
		}
	}
	return nil
}

// add takes in what was claimed. rooms are what there was room for; receivers
// are those of the subscriptions.
func (ls *lines) add(taken []claimed, rooms map[uuid.UUID]int, receivers map[uuid.UUID]string) {
	counts := map[uuid.UUID]int{}
	for _, work := range taken {
		l := ls.of[work.HookID]
		if l == nil {
			l = &line{hookID: work.HookID, room: firstRoom}
			ls.of[work.HookID] = l
			ls.move(l, receivers[work.HookID])
		}
		l.waiting = append(l.waiting, work)
		counts[work.HookID]++
	}
	for id, n := range counts {
		l := ls.of[id]
		room, ok := rooms[id]
		if !ok {
			room = firstRoom
		}
		l.more = n >= room
		ls.offer(l)
	}
}

// rooms is how many deliveries can be claimed for each subscription served: the
// faster it takes them, the more.
func (ls *lines) rooms(now time.Time) map[uuid.UUID]int {
	since := max(now.Sub(ls.claimed), ahead/10)
	ls.claimed = now
	rooms := map[uuid.UUID]int{}
	for id, l := range ls.of {
		l.room = min(max(firstRoom, l.room/2, int(time.Duration(l.finished)*ahead/since)), maxBatch)
		if l.finished == 0 && l.sending == 0 && len(l.waiting) == 0 && l.room == firstRoom {
			delete(ls.of, id)
			ls.leave(l)
			continue
		}
		l.finished = 0
		rooms[id] = max(l.room-len(l.waiting), 0)
	}
	return rooms
}

// short tells, once after a claim, that more should be claimed.
func (l *line) short() bool {
	short := l.more && len(l.waiting) < l.room/2
	l.more = l.more && !short
	return short
}

// move makes it a line to the receiver.
func (ls *lines) move(l *line, name string) {
	ls.leave(l)
	if ls.receivers[name] == nil {
		ls.receivers[name] = &receiver{name: name}
	}
	l.to = ls.receivers[name]
	l.to.lines++
	l.in = nil
	ls.offer(l)
}

func (ls *lines) leave(l *line) {
	if l.to != nil {
		l.to.lines--
		ls.forget(l.to)
	}
}

// forget lets go of a receiver that nothing is for.
func (ls *lines) forget(to *receiver) {
	if to.lines == 0 && to.sending == 0 {
		delete(ls.receivers, to.name)
	}
}

// offer has the line wait for its turn where it belongs.
func (ls *lines) offer(l *line) {
	switch {
	case len(l.waiting) == 0, ls.closed, l.in != nil && l.sending > 0:
	case l.sending == 0:
		if l.in != &ls.first {
			ls.first.put(l)
		}
	case l.to.sending < maxSlots:
		ls.ready.put(l)
	default:
		l.to.full.put(l)
	}
}

// take takes the next delivery that has a slot.
func (ls *lines) take() (claimed, slot, bool) {
	for {
		l := ls.first.take()
		if l == nil && ls.sending < maxSending {
			l = ls.ready.take()
		}
		switch {
		case l == nil:
			return claimed{}, slot{}, false
		case len(l.waiting) == 0:
			continue
		case l.sending > 0 && l.to.sending >= maxSlots:
			l.to.full.put(l)
			continue
		}
		work := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.sending++
		l.to.sending++
		ls.sending++
		ls.offer(l)
		return work, slot{l, l.to}, true
	}
}

// free gives the slot back.
func (ls *lines) free(s slot) {
	s.line.sending--
	s.to.sending--
	ls.sending--
	ls.offer(s.line)
	if s.to.sending < maxSlots {
		if next := s.to.full.take(); next != nil {
			ls.ready.put(next)
		}
	}
	ls.forget(s.to)
}

// close empties the lines and returns what was in them.
func (ls *lines) close() (rest []claimed) {
	ls.closed = true
	for _, l := range ls.of {
		rest = append(rest, l.waiting...)
		l.waiting = nil
	}
	return slices.Clip(rest)
}
