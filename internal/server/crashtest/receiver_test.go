//go:build linux

package crashtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// hookSecret signs the deliveries to all receivers.
const hookSecret = "a shared secret"

// receiver is the server of the tenants that deliveries are sent to. The path is the
// tenant's name.
type receiver struct {
	*httptest.Server
	journal *journal
	points  *points

	mu     sync.Mutex
	events map[string]*event             // by X-Request-Id
	ids    map[happening]map[string]bool // X-Request-Ids
}

// event is an event that was delivered.
type event struct {
	happening
	body  string
	times int
}

// happening identifies the change that an event reports.
type happening struct{ tenant, name, txID string }

func newReceiver(t testing.TB, j *journal, p *points) *receiver {
	r := &receiver{journal: j, points: p, events: map[string]*event{}, ids: map[happening]map[string]bool{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP records the delivery before it responds.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the server was killed while it sent
	}
	r.record(strings.TrimPrefix(request.URL.Path, "/"), request.Header, string(body))
	r.points.reached(place{point: delivering})
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
	r.points.reached(place{point: delivered})
}

// record verifies a delivery as docs/webhooks.md recommends to receivers, and records
// it.
func (r *receiver) record(tenant string, header http.Header, body string) {
	id, name := header.Get("X-Request-Id"), header.Get("X-Emperor-Event")
	var content struct {
		ID, Event string
		Data      struct {
			TxID string `json:"tx_id"`
		}
	}
	if err := json.Unmarshal([]byte(body), &content); err != nil {
		r.journal.fail(wrongEvent, id, "the delivery is not JSON: %q", body)
		return
	}
	key := content.Data.TxID
	r.journal.write(key, "received %s, X-Request-Id %s", name, id)
	if !signed(header.Get("X-Signature"), body) {
		r.journal.fail(wrongEvent, key, "%s: the signature does not match", name)
	}
	if content.ID != id || content.Event != name {
		r.journal.fail(wrongEvent, key, "the headers say %s %s, the body says %s %s", name, id, content.Event, content.ID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.events[id]
	if known == nil {
		about := happening{tenant, name, key}
		known = &event{happening: about, body: body}
		r.events[id] = known
		if r.ids[about] == nil {
			r.ids[about] = map[string]bool{}
		}
		r.ids[about][id] = true
	}
	known.times++
	if known.body != body {
		r.journal.fail(wrongEvent, key, "%s %s was repeated with another body", name, id)
	}
}

// signed reports whether the signature is that of the body.
func signed(signature, body string) bool {
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write([]byte(body))
	return hmac.Equal([]byte(signature), []byte("sha256="+hex.EncodeToString(mac.Sum(nil))))
}

// eventIDs returns the number of different X-Request-Ids with which an event was delivered.
func (r *receiver) eventIDs(about happening) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ids[about])
}

// totals returns the number of deliveries and of different events.
func (r *receiver) totals() (deliveries, events int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		deliveries += e.times
	}
	return deliveries, len(r.events)
}
