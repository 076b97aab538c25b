package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/route"
)

const (
	// liveInterval is the minimum time between two events of the same kind, so that a
	// busy tenant does not make pages load all the time.
	liveInterval = 400 * time.Millisecond
	// heartbeat is the interval of comments, which keep a stream open.
	heartbeat = 15 * time.Second
)

// live tells pages that something has happened to a tenant: live-submission, live-call or
// live-delivery. The pages then load the changes themselves. All pages of a tenant
// share one stream of the control API, which is open while there is a page.
type live struct {
	open func(ctx context.Context, tenant string) io.ReadCloser

	mu      sync.Mutex
	tenants map[string]*broadcast
	ctx     context.Context // cancelled by close
	close   context.CancelFunc
}

// broadcast passes the events of a tenant to its pages.
type broadcast struct {
	pages map[chan string]bool // each with room for an event of every kind
	open  bool                 // the stream has begun, so that nothing is missed any more
	stop  context.CancelFunc
}

func newLive(open func(context.Context, string) io.ReadCloser) *live {
	ctx, cancel := context.WithCancel(context.Background())
	return &live{open: open, tenants: map[string]*broadcast{}, ctx: ctx, close: cancel}
}

// join returns a channel that receives the names of the tenant's events: one of each kind
// at first, since something may have happened after the page was loaded, and then those
// that happen. The caller calls leave when the page has gone. The channel is closed if
// the stream ends.
func (l *live) join(tenant string) (events chan string, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.tenants[tenant]
	if b == nil {
		ctx, stop := context.WithCancel(l.ctx)
		b = &broadcast{pages: map[chan string]bool{}, stop: stop}
		l.tenants[tenant] = b
		go l.run(ctx, tenant, b)
	}
	events = make(chan string, len(liveEvents))
	b.pages[events] = true
	if b.open {
		for _, event := range liveEvents {
			events <- event
		}
	}
	return events, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(b.pages, events)
		if len(b.pages) == 0 {
			l.end(tenant, b)
		}
	}
}

// end ends a broadcast. l.mu is held.
func (l *live) end(tenant string, b *broadcast) {
	b.stop()
	if l.tenants[tenant] == b {
		delete(l.tenants, tenant)
	}
	for page := range b.pages {
		close(page)
	}
	clear(b.pages)
}

// run reads the tenant's stream and passes its events on until it ends.
func (l *live) run(ctx context.Context, tenant string, b *broadcast) {
	stream := l.open(ctx, tenant)
	defer stream.Close()
	happened := make(chan string)
	go func() {
		defer close(happened)
		lines, begun := bufio.NewReaderSize(stream, 64<<10), false
		for {
			line, err := lines.ReadSlice('\n') // the rest of a long line is no event either
			if len(line) > 0 && !begun {
				begun = true
				happened <- ""
			}
			if event, ok := strings.CutPrefix(string(line), "event: "); ok {
				happened <- eventName(strings.TrimSpace(event))
			}
			if err != nil && err != bufio.ErrBufferFull {
				return
			}
		}
	}()
	sent, waiting := map[string]time.Time{}, map[string]bool{}
	var due <-chan time.Time
	for {
		select {
		case event, ok := <-happened:
			if !ok {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.end(tenant, b)
				return
			}
			if event == "" {
				l.begin(b)
				continue
			}
			waiting[event] = true
		case <-due:
		}
		due = nil
		for event := range waiting {
			rest := liveInterval - time.Since(sent[event])
			if rest > 0 {
				due = time.After(rest)
				continue
			}
			delete(waiting, event)
			sent[event] = time.Now()
			l.send(b, event)
		}
	}
}

// begin sends an event of each kind to the pages that have waited for the stream.
func (l *live) begin(b *broadcast) {
	l.mu.Lock()
	b.open = true
	l.mu.Unlock()
	for _, event := range liveEvents {
		l.send(b, event)
	}
}

// send passes an event to all pages. A page that has not taken the last one of the same
// kind yet needs no other.
func (l *live) send(b *broadcast, event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for page := range b.pages {
		select {
		case page <- event:
		default:
		}
	}
}

// liveEvents are the names of the events that pages get.
var liveEvents = []string{"live-submission", "live-call", "live-delivery"}

// eventName returns the name of the event that a page gets for an event of the feed.
func eventName(event string) string {
	switch subject, _, _ := strings.Cut(event, ":"); subject {
	case "call", "delivery":
		return "live-" + subject
	}
	return "live-submission"
}

// serveLive is `GET /live?tenant=`: the tenant's events as server-sent events.
func (c *Console) serveLive(w http.ResponseWriter, r *http.Request) {
	v := c.visit(w, r)
	v.Tenant = v.Query.Get("tenant")
	if _, err := v.get(v.path("/clock")); err != nil { // the visitor may see the tenant
		v.fail(err)
		return
	}
	events, leave := c.live.join(v.Tenant)
	defer leave()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "id: connected\n\n")
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for out.Flush() == nil {
		select {
		case event, open := <-events:
			if !open {
				return // the page connects again
			}
			fmt.Fprintf(w, "event: %s\ndata:\n\n", event)
		case <-beat.C:
			fmt.Fprint(w, ": heartbeat\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// stream opens the tenant's stream of the control API, from now on.
func (c *Console) stream(ctx context.Context, tenant string) io.ReadCloser {
	reader, writer := io.Pipe()
	ctx = context.WithValue(ctx, chi.RouteCtxKey, nil)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+route.ControlBase+"/tenants/"+tenant+"/stream?after=now", http.NoBody)
	if err != nil {
		writer.CloseWithError(err)
		return reader
	}
	if len(c.Access.Tokens) > 0 {
		r.Header.Set("Authorization", "Bearer "+c.Access.Tokens[0].Value)
	}
	go func() {
		c.Control.ServeHTTP(&streamed{writer: writer, header: http.Header{}}, r)
		writer.Close()
	}()
	return reader
}

// streamed is a response of the control API that is read while it is written. The body of
// an error is not passed on.
type streamed struct {
	writer *io.PipeWriter
	header http.Header
}

func (s *streamed) Header() http.Header         { return s.header }
func (s *streamed) Write(p []byte) (int, error) { return s.writer.Write(p) }
func (s *streamed) Flush()                      {}

func (s *streamed) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		s.writer.CloseWithError(fmt.Errorf("the stream of events was refused with status %d", status))
	}
}
