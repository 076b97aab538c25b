package sandbox

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestReceiverOfSubmission(t *testing.T) {
	t.Parallel()
	s := Start(t, NoFindings())
	receiver := s.Receiver(ReceiverOptions{Events: []string{"universal_submit"}})
	txID := s.Submit("letter.txt", []byte(letter))
	s.Advance(time.Minute)
	received := receiver.Wait("universal_submit:completed", time.Minute)
	if !strings.Contains(string(received.Data), txID) || received.ID == "" || received.Headers.Get("X-Request-Id") != received.ID || received.Status != http.StatusOK {
		t.Errorf("got %+v", received)
	}
	if rejected := receiver.Rejected(); len(rejected) > 0 {
		t.Errorf("rejected: %+v", rejected)
	}
}

func TestReceiverReturnsEachDeliveryOnce(t *testing.T) {
	t.Parallel()
	message := failureOf(t, func(t testing.TB) {
		s := Start(t)
		receiver := s.Receiver(ReceiverOptions{})
		s.AddFault(Fault{Delivery: "hook:test", Duplicate: 1, Times: 1})
		fired := s.FireEvent("hook:test", map[string]int{"n": 1})
		first, second := receiver.Wait("hook:test", time.Minute), receiver.Wait("hook", time.Minute)
		if first.ID != fired.EventID || second.ID != first.ID || second.Headers.Get("X-Delivery-Id") == first.Headers.Get("X-Delivery-Id") {
			t.Errorf("got %+v and %+v, want two deliveries of %s", first, second, fired.EventID)
		}
		if len(receiver.Events()) != 2 {
			t.Errorf("events: %+v", receiver.Events())
		}
		receiver.Wait("*", 0)
	})
	if !strings.HasPrefix(message, "understudy: no delivery of * within 0s; deliveries received:\n  hook:test ") {
		t.Errorf("got %q", message)
	}
}

func TestReceiverOfFailedDelivery(t *testing.T) {
	t.Parallel()
	s := Start(t)
	receiver := s.Receiver(ReceiverOptions{Status: http.StatusInternalServerError, Host: "localhost"})
	s.FireEvent("hook:test", nil)
	checkEqual(t, "first response", receiver.Wait("*", time.Minute).Status, http.StatusInternalServerError)
	s.Await("delivery", "", time.Minute)
	receiver.SetStatus(http.StatusNoContent)
	s.Advance(time.Minute)
	checkEqual(t, "second response", receiver.Wait("*", time.Minute).Status, http.StatusNoContent)
	checkEqual(t, "state", s.Deliveries()[0].State, "delivered")
}

// TestWrongSignature checks that a wrong signature fails the test, unless it is allowed.
func TestWrongSignature(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		message := messagesOf(t, func(t testing.TB) {
			s := Start(t)
			receiver := s.Receiver(ReceiverOptions{Secret: "s3cret", AllowWrongSignatures: allowed})
			s.AddFault(Fault{Delivery: "*", WrongSignature: true, Times: 1})
			s.FireEvent("hook:test", nil)
			s.Await("delivery", "", time.Minute)
			if rejected := receiver.Rejected(); len(rejected) != 1 || rejected[0].Status != http.StatusUnauthorized || rejected[0].Data != nil || len(receiver.Events()) > 0 {
				t.Errorf("rejected: %+v", rejected)
			}
			s.Advance(time.Minute)
			receiver.Wait("hook:test", time.Minute)
		})
		if want := "understudy: delivery of hook:test ("; allowed && message != "" || !allowed && !strings.HasPrefix(message, want) {
			t.Errorf("wrong signatures allowed: %v: got %q", allowed, message)
		}
	}
}

func TestReceiverEndsWithTest(t *testing.T) {
	t.Parallel()
	s := Start(t)
	var receiver *Receiver
	messagesOf(t, func(t testing.TB) {
		inner := &Sandbox{TenantName: s.TenantName, t: t, server: s.server}
		receiver = inner.Receiver(ReceiverOptions{})
		receiver.Close() // and once more at the end
	})
	checkEqual(t, "matching subscriptions", s.FireEvent("hook:test", nil).Subscriptions, 0)
	if response, err := http.Post(receiver.URL, "", nil); err == nil {
		response.Body.Close()
		t.Error("the receiver still listens")
	}
	s.Receiver(ReceiverOptions{})
	s.Reset() // which deletes the subscription, so that Close finds none
}

// TestReceiverEndsDuringRequest checks that a request whose body does not arrive does not
// keep a test from ending, and that a body without an end is refused.
func TestReceiverEndsDuringRequest(t *testing.T) {
	t.Parallel()
	s := Start(t)
	receiver := s.Receiver(ReceiverOptions{})
	response, err := http.Post(receiver.URL, "", io.LimitReader(zeros{}, 1<<30))
	if err == nil {
		response.Body.Close()
	}
	if err == nil && response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", response.StatusCode)
	}
	connection, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(receiver.URL, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	io.WriteString(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
	if line, err := bufio.NewReader(connection).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // the receiver reads the body
		t.Fatalf("got %q, %v", line, err)
	}
	closed := make(chan struct{})
	go func() {
		receiver.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("the receiver does not end")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
