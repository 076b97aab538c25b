package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/feed"
)

// follow reads the stream until it has read so many events, acting once it is
// open, and returns the
// ids and data of those.
func (d desk) follow(query, last string, events int, opened ...func()) (ids, data []string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", d.at("/stream"+query), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := d.client.Do(request)
	if err != nil {
		d.t.Error(err)
		return nil, nil
	}
	defer response.Body.Close()
	for _, act := range opened {
		act()
	}
	id := ""
	for lines := bufio.NewScanner(response.Body); len(data) < events && lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			id = text
		}
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			ids, data = append(ids, id), append(data, text)
		}
	}
	if len(data) < events {
		d.t.Errorf("the stream ended after %d events of %d", len(data), events)
	}
	return ids, data
}

// TestStreamReplay: who comes back again and again while many write, some of
// them slowly, has every entry once and in one order.
func TestStreamReplay(t *testing.T) {
	d := newDesk(t, "acme")
	var tenantID uuid.UUID
	if err := d.db.QueryRow(t.Context(), `select id from tenants where name = 'acme'`).Scan(&tenantID); err != nil {
		t.Fatal(err)
	}
	const writers, each = 3, 100
	var writing sync.WaitGroup
	for writer := range writers {
		writing.Go(func() {
			for i := range each {
				err := pgx.BeginFunc(t.Context(), d.db, func(tx pgx.Tx) error {
					err := feed.Append(t.Context(), tx, feed.Entry{
						TenantID: tenantID, At: d.Now(), Kind: feed.State, Event: "test:written", Data: fmt.Sprintf("%d/%d", writer, i),
					})
					if writer == 0 {
						time.Sleep(3 * time.Millisecond) // commits after those that began later
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	seen, place, last := map[string]bool{}, map[string]int{}, ""
	for read := 0; read < writers*each; {
		ids, data := d.follow("", last, min(7, writers*each-read))
		if len(ids) == 0 {
			break
		}
		for i, id := range ids {
			if seen[id] {
				t.Fatalf("%s came twice", id)
			}
			seen[id] = true
			_, told, _ := strings.Cut(data[i], `"data":"`)
			writer, number, _ := strings.Cut(strings.TrimRight(told, `"}`), "/")
			if number != fmt.Sprint(place[writer]) {
				t.Fatalf("writer %s: %s came at place %d", writer, number, place[writer])
			}
			place[writer]++
		}
		last = ids[len(ids)-1]
		read += len(ids)
	}
	writing.Wait()
	if len(seen) != writers*each {
		t.Errorf("%d entries of %d", len(seen), writers*each)
	}
}

// TestStream: what is asked for, and nothing of others.
func TestStream(t *testing.T) {
	d := newDesk(t, "acme")
	acme := d.acme()
	d.globex()
	txID, address := acme.announce("a.txt")
	acme.upload(address, "a.txt", []byte("text")).want(t, http.StatusOK)
	acme.trigger(txID).want(t, http.StatusOK)
	_, states := d.follow("?event=universal_submit", "", 1)
	if !strings.Contains(states[0], `"event":"universal_submit:submission_in_progress","tx_id":"`+txID+`","data":{"tx_id":"`+txID+`","status":"Submission_in_progress"}`) {
		t.Errorf("state %s", states[0])
	}
	_, calls := d.follow("?event=call&tx_id="+txID, "", 3)
	if !strings.Contains(calls[1], `"path":"/file-transfer/upload-file?data=***"`) {
		t.Errorf("call %s", calls[1])
	}
	// Live only: the earlier are left out.
	_, live := d.follow("?after=now&event=universal_submit", "", 1, func() {
		d.pass(time.Second)
		d.work()
	})
	if !strings.Contains(live[0], "universal_submit:scheduled") {
		t.Errorf("live %s", live[0])
	}
	d.ask("GET", "/stream?after=7", "").want(t, http.StatusBadRequest)
	d.ask("GET", "/stream?colour=red", "").want(t, http.StatusBadRequest)
}

// TestStreamEnds when the server stops, so that nobody is waited for.
func TestStreamEnds(t *testing.T) {
	d := newDesk(t, "acme")
	response, err := d.client.Get(d.at("/stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	d.observer.hub.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
	}
	d.ask("GET", "/await?event=never", "").want(t, http.StatusServiceUnavailable)
}

// TestAwait: what was, what comes, and what does not.
func TestAwait(t *testing.T) {
	var shared *parts
	d := newDesk(t, "acme", func(p *parts) { shared = p })
	acme := d.acme()
	globex := d.globex()
	other, address := globex.announce("a.txt")
	globex.upload(address, "a.txt", []byte("text")).want(t, http.StatusOK)
	globex.trigger(other).want(t, http.StatusOK)
	txID, address := acme.announce("a.txt")
	acme.upload(address, "a.txt", []byte("text")).want(t, http.StatusOK)
	acme.trigger(txID).want(t, http.StatusOK)

	was := d.ask("GET", "/await?event=universal_submit:submission_in_progress&tx_id="+txID, "").want(t, http.StatusOK)
	if was.text(t, "data", "status") != "Submission_in_progress" || was.text(t, "tx_id") != txID {
		t.Errorf("what was %s", was.Body)
	}
	call := d.ask("GET", "/await?event=call&tx_id="+txID, "").want(t, http.StatusOK)
	if call.text(t, "data", "route") != announceLine {
		t.Errorf("call %s", call.Body)
	}
	until(t, "all is answered", func() bool { return shared.underWay() == 0 })
	came := make(chan answer)
	go func() { came <- d.ask("GET", "/await?event=universal_submit:scheduled&within=30s", "") }()
	until(t, "it waits", func() bool { return shared.underWay() == 1 })
	d.pass(time.Second)
	d.work()
	scheduled := (<-came).want(t, http.StatusOK)
	if scheduled.text(t, "tx_id") != txID {
		t.Errorf("what came %s", scheduled.Body)
	}
	vain := d.ask("GET", "/await?event=universal_submit:completed&within=50ms&tx_id="+txID, "").want(t, http.StatusRequestTimeout)
	if seen := vain.get(t, "seen").([]any); len(seen) != 5 { // three calls, two states
		t.Errorf("seen %s", vain.Body)
	}
	d.ask("GET", "/await?event=*&within=10ms&after="+scheduled.text(t, "cursor")+"&tx_id=none", "").want(t, http.StatusRequestTimeout)
	d.ask("GET", "/await?event=*", "").want(t, http.StatusOK)
	d.ask("GET", "/await?event=universal", "?").want(t, http.StatusUnsupportedMediaType)
	d.ask("GET", "/await?event=universal&within=0s", "").want(t, http.StatusRequestTimeout)
	d.ask("GET", "/await?event=x&within=2m", "").want(t, http.StatusBadRequest)
	d.ask("GET", "/await", "").want(t, http.StatusBadRequest)
}

// TestAwaitEnds at once when its client leaves.
func TestAwaitEnds(t *testing.T) {
	var shared *parts
	d := newDesk(t, "acme", func(p *parts) { shared = p })
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "GET", d.at("/await?event=never&within=60s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request)
		gone <- err
	}()
	until(t, "it waits", func() bool { return shared.underWay() == 1 })
	leave()
	if err := <-gone; err == nil {
		t.Error("it was answered")
	}
	until(t, "it ends", func() bool { return shared.underWay() == 0 })
}

// underWay is how many requests are being answered.
func (p *parts) underWay() int {
	p.requests.mu.Lock()
	defer p.requests.mu.Unlock()
	return p.requests.count
}

// until waits for at most half a minute: a busy machine is no failure.
func until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s", what)
		}
	}
}
