package control

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// KeptBody is how much of a body the journal keeps, in bytes.
const KeptBody = 64 << 10

// Exchange is a call and its answer as seen from outside the handlers.
type Exchange struct {
	Call           *api.Call
	ID             string // the answer's X-Request-Id
	BegunAt        time.Time
	Duration       time.Duration
	Request        *http.Request
	RequestBody    []byte // as far as read and kept
	RequestSize    int64  // bytes read
	Status         int    // 0 = no answer
	ResponseHeader http.Header
	ResponseBody   []byte // as far as kept
	ResponseSize   int64
}

const (
	gather    = 500 * time.Millisecond // how long a call waits for others to be written with, unless somebody asks
	batch     = 2000                   // calls written at once
	batchSize = 8 << 20                // and bytes
	maxHeld   = 64 << 20               // bytes that wait to be written; what comes then is lost
)

// Journal keeps the calls of each tenant. Calls are written in batches, beside
// those who made them, and late, since a batch costs as much as many a call;
// Flush has what was answered written at once, and waits for it.
type Journal struct {
	db    storage.DB
	wake  chan struct{} // there is something to write
	hurry chan struct{} // and somebody waits for it
	stop  chan struct{}
	ended chan struct{}
	// givenUp is closed when nobody waits any more for what is left.
	givenUp chan struct{}
	once    sync.Once

	mu      sync.Mutex
	held    []row
	size    int64
	added   int           // rows taken so far
	settled int           // rows written, or given up
	changed chan struct{} // closed and replaced whenever settled grows

	grown map[uuid.UUID]growth // of the writer alone
}

// NewJournal returns a journal that writes until it is closed.
func NewJournal(db storage.DB) *Journal {
	j := &Journal{
		db:   db,
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
		stop: make(chan struct{}), ended: make(chan struct{}), givenUp: make(chan struct{}),
		changed: make(chan struct{}),
		grown:   map[uuid.UUID]growth{},
	}
	go j.run()
	return j
}

// Add takes a call whose tenant is known. It must come before the end of the
// answer does, so that who has the answer finds the call.
func (j *Journal) Add(e Exchange) {
	r := newRow(e)
	j.mu.Lock()
	lost := j.size > 0 && j.size+r.counts > maxHeld
	if !lost {
		j.held = append(j.held, r)
		j.size += r.counts
		j.added++
	}
	full := len(j.held) >= batch || j.size >= batchSize
	j.mu.Unlock()
	if lost {
		slog.Error("journal is full: call lost", "request_id", e.ID)
		return
	}
	signal(j.wake)
	if full {
		signal(j.hurry)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Flush returns when all calls that were added before are written.
func (j *Journal) Flush(ctx context.Context) error {
	j.mu.Lock()
	target := j.added
	j.mu.Unlock()
	for {
		j.mu.Lock()
		there, changed := j.settled >= target, j.changed
		j.mu.Unlock()
		if there {
			return nil
		}
		signal(j.hurry)
		select {
		case <-changed:
		case <-j.ended:
			return errors.New("the journal is closed")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Flushed has what was answered before be written when the handler begins.
func Flushed(j *Journal, handler api.Handler) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := j.Flush(r.Context()); err != nil {
			return err
		}
		return handler(w, r)
	}
}

// Close writes what is left, for as long as ctx allows.
func (j *Journal) Close(ctx context.Context) {
	j.once.Do(func() {
		close(j.stop)
		select {
		case <-j.ended:
		case <-ctx.Done():
			close(j.givenUp)
		}
	})
}

func (j *Journal) run() {
	defer close(j.ended)
	for stopping := false; ; {
		select {
		case <-j.wake:
		case <-j.hurry:
		case <-j.stop:
			stopping = true
		}
		if !stopping {
			timer := time.NewTimer(gather)
			select {
			case <-timer.C:
			case <-j.hurry:
			case <-j.stop:
			}
			timer.Stop()
		}
		for rows := j.take(); len(rows) > 0; rows = j.take() {
			j.write(rows)
			j.settle(len(rows))
		}
		if stopping {
			return
		}
	}
}

// take returns the next batch.
func (j *Journal) take() []row {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, size := 0, int64(0)
	for n < len(j.held) && n < batch && size < batchSize {
		size += j.held[n].counts
		n++
	}
	rows := j.held[:n:n]
	if j.held = j.held[n:]; len(j.held) == 0 {
		j.held = nil
	}
	j.size -= size
	return rows
}

func (j *Journal) settle(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.settled += n
	close(j.changed)
	j.changed = make(chan struct{})
}
