package control_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
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

// readStream reads a number of events from the tenant's stream, after lastID if
// there is one, and returns their ids and data. It calls the functions once the
// stream is open.
func readStream(tenant *servertest.Tenant, query, lastID string, events int, opened ...func()) (ids, data []string) {
	t := tenant.T
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, tenant.ControlPath("/stream"+query), nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	response, err := tenant.ControlClient.Do(request)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer response.Body.Close()
	for _, call := range opened {
		call()
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
		t.Errorf("the stream ended after %d events of %d", len(data), events)
	}
	return ids, data
}

// TestStreamEndsWithItsTenant checks that the stream of a tenant ends when the tenant is deleted,
// and not before.
func TestStreamEndsWithItsTenant(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, tenant.ControlPath("/stream"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := tenant.ControlClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	ended := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, response.Body)
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("the stream has ended before the deletion: %v", err)
	case <-time.After(1500 * time.Millisecond): // longer than it takes to check
	}
	s.Control("DELETE /tenants/"+tenant.Name, "").Want(t, http.StatusNoContent)
	if err := <-ended; err != nil {
		t.Errorf("the stream of a deleted tenant: %v", err)
	}
}

// TestStreamIsResumed checks that a client which reconnects again and again, while
// several writers write, one of them slowly, reads every entry once and those of
// each writer in their order.
func TestStreamIsResumed(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, events: stream has the same events as they happen")
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	tenantID := servertest.Value[uuid.UUID](s, "select id from tenants where name = 'acme'")
	const writers, each = 3, 100
	var writing sync.WaitGroup
	committed := make(chan struct{}, writers*each) // by the other writers
	for writer := range writers {
		writing.Go(func() {
			if writer == 1 {
				defer close(committed)
			}
			for i := range each {
				err := pgx.BeginFunc(t.Context(), s.DB, func(tx pgx.Tx) error {
					err := feed.AppendStates(t.Context(), tx, feed.State{
						TenantID: tenantID, At: s.Now(), Event: "test:written", Data: fmt.Sprintf("%d/%d", writer, i),
					})
					if writer == 0 {
						<-committed // another that may have begun later
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
				if writer == 1 {
					committed <- struct{}{}
				}
			}
		})
	}
	seen, next, lastID := map[string]bool{}, map[string]int{}, ""
	for read := 0; read < writers*each; {
		ids, data := readStream(tenant, "", lastID, min(7, writers*each-read))
		if len(ids) == 0 {
			break
		}
		for i, id := range ids {
			if seen[id] {
				t.Fatalf("entry %s was read twice", id)
			}
			seen[id] = true
			_, text, _ := strings.Cut(data[i], `"data":"`)
			writer, number, _ := strings.Cut(strings.TrimRight(text, `"}`), "/")
			if number != fmt.Sprint(next[writer]) {
				t.Fatalf("writer %s: got entry %s, want %d", writer, number, next[writer])
			}
			next[writer]++
		}
		lastID = ids[len(ids)-1]
		read += len(ids)
	}
	writing.Wait()
	if len(seen) != writers*each {
		t.Errorf("%d entries read, want %d", len(seen), writers*each)
	}
}

// TestStream checks that a stream has the entries that its query selects, and none
// of other tenants.
func TestStream(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, events: stream has the same events as they happen")
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	s.Globex()
	txID, uploadURL := acme.Announce("a.txt")
	s.Upload(uploadURL, "a.txt", []byte("text")).Want(t, http.StatusOK)
	acme.Trigger(txID).Want(t, http.StatusOK)
	_, states := readStream(tenant, "?event=universal_submit", "", 1)
	if !strings.Contains(states[0], `"event":"universal_submit:submission_in_progress","tx_id":"`+txID+`","data":{"tx_id":"`+txID+`","status":"Submission_in_progress","filename":"a.txt"}`) {
		t.Errorf("state %s", states[0])
	}
	_, calls := readStream(tenant, "?event=call&tx_id="+txID, "", 3)
	if !strings.Contains(calls[1], `"path":"/file-transfer/upload-file?data=***"`) {
		t.Errorf("call %s", calls[1])
	}
	// after=now leaves out the earlier entries.
	_, live := readStream(tenant, "?after=now&event=universal_submit", "", 1, func() {
		s.Pass(time.Second)
		s.Work()
	})
	if !strings.Contains(live[0], "universal_submit:scheduled") {
		t.Errorf("first entry after now %s", live[0])
	}
	tenant.Control("GET /stream?after=7", "").Want(t, http.StatusBadRequest)
	tenant.Control("GET /stream?colour=red", "").Want(t, http.StatusBadRequest)
}

// TestStoppingServerEndsStreams checks that streams end when the server stops, and
// that new calls which wait for events are refused.
func TestStoppingServerEndsStreams(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	response, err := s.ControlClient.Get(tenant.ControlPath("/stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	s.App.Feed.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
	}
	tenant.Control("GET /await?event=never", "").Want(t, http.StatusServiceUnavailable)
}
