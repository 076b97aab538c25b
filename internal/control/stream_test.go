package control_test

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
	"understudy.example/internal/server/servertest"
)

// follow reads the stream until it has read so many events, acting once it is
// open, and returns the
// ids and data of those.
func (d *servertest.Tenant) follow(query, last string, events int, opened ...func()) (ids, data []string) {
	d.T.Helper()
	ctx, cancel := context.WithTimeout(d.T.Context(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", d.ControlPath("/stream"+query), nil)
	if err != nil {
		d.T.Fatal(err)
	}
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := d.client.Do(request)
	if err != nil {
		d.T.Error(err)
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
		d.T.Errorf("the stream ended after %d events of %d", len(data), events)
	}
	return ids, data
}

// TestStreamReplay: who comes back again and again while many write, some of
// them slowly, has every entry once and in one order.
func TestStreamReplay(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	var tenantID uuid.UUID
	if err := d.DB.QueryRow(t.Context(), `select id from tenants where name = 'acme'`).Scan(&tenantID); err != nil {
		t.Fatal(err)
	}
	const writers, each = 3, 100
	var writing sync.WaitGroup
	for writer := range writers {
		writing.Go(func() {
			for i := range each {
				err := pgx.BeginFunc(t.Context(), d.DB, func(tx pgx.Tx) error {
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
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	d.Globex()
	txID, address := acme.Announce("a.txt")
	acme.Upload(address, "a.txt", []byte("text")).Want(t, http.StatusOK)
	acme.Trigger(txID).Want(t, http.StatusOK)
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
		d.Pass(time.Second)
		d.Work()
	})
	if !strings.Contains(live[0], "universal_submit:scheduled") {
		t.Errorf("live %s", live[0])
	}
	d.Control("GET /stream?after=7", "").Want(t, http.StatusBadRequest)
	d.Control("GET /stream?colour=red", "").Want(t, http.StatusBadRequest)
}

// TestStreamEnds when the server stops, so that nobody is waited for.
func TestStreamEnds(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	response, err := d.client.Get(d.ControlPath("/stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	d.App.Feed.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
	}
	d.Control("GET /await?event=never", "").Want(t, http.StatusServiceUnavailable)
}

// TestAwait: what was, what comes, and what does not.
func TestAwait(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	globex := d.Globex()
	other, address := globex.Announce("a.txt")
	globex.Upload(address, "a.txt", []byte("text")).Want(t, http.StatusOK)
	globex.Trigger(other).Want(t, http.StatusOK)
	txID, address := acme.Announce("a.txt")
	acme.Upload(address, "a.txt", []byte("text")).Want(t, http.StatusOK)
	acme.Trigger(txID).Want(t, http.StatusOK)

	was := d.Control("GET /await?event=universal_submit:submission_in_progress&tx_id="+txID, "").Want(t, http.StatusOK)
	if was.Text(t, "data", "status") != "Submission_in_progress" || was.Text(t, "tx_id") != txID {
		t.Errorf("what was %s", was.Body)
	}
	call := d.Control("GET /await?event=call&tx_id="+txID, "").Want(t, http.StatusOK)
	if call.Text(t, "data", "route") != announceLine {
		t.Errorf("call %s", call.Body)
	}
	servertest.Until(t, "all is answered", func() bool { return d.App.Requests.InFlight() == 0 })
	came := make(chan servertest.Response)
	go func() { came <- d.Control("GET /await?event=universal_submit:scheduled&within=30s", "") }()
	servertest.Until(t, "it waits", func() bool { return d.App.Requests.InFlight() == 1 })
	d.Pass(time.Second)
	d.Work()
	scheduled := (<-came).Want(t, http.StatusOK)
	if scheduled.Text(t, "tx_id") != txID {
		t.Errorf("what came %s", scheduled.Body)
	}
	vain := d.Control("GET /await?event=universal_submit:completed&within=50ms&tx_id="+txID, "").Want(t, http.StatusRequestTimeout)
	if seen := vain.Get(t, "seen").([]any); len(seen) != 5 { // three calls, two states
		t.Errorf("seen %s", vain.Body)
	}
	d.Control("GET /await?event=*&within=10ms&after="+scheduled.Text(t, "cursor")+"&tx_id=none", "").Want(t, http.StatusRequestTimeout)
	d.Control("GET /await?event=*", "").Want(t, http.StatusOK)
	d.Control("GET /await?event=universal", "?").Want(t, http.StatusUnsupportedMediaType)
	d.Control("GET /await?event=universal&within=0s", "").Want(t, http.StatusRequestTimeout)
	d.Control("GET /await?event=x&within=2m", "").Want(t, http.StatusBadRequest)
	d.Control("GET /await", "").Want(t, http.StatusBadRequest)
}

// TestAwaitEnds at once when its client leaves.
func TestAwaitEnds(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "GET", d.ControlPath("/await?event=never&within=60s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request)
		gone <- err
	}()
	servertest.Until(t, "it waits", func() bool { return d.App.Requests.InFlight() == 1 })
	leave()
	if err := <-gone; err == nil {
		t.Error("it was answered")
	}
	servertest.Until(t, "it ends", func() bool { return d.App.Requests.InFlight() == 0 })
}
