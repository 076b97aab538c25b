package transfer

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestCallerNamedAfterTheRequest names the callers of requests that have ended, while the next
// ones arrive: the sums stay right.
func TestCallerNamedAfterTheRequest(t *testing.T) {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limited := Listen(socket, Limits{})
	ended, idle := make(chan context.Context, 1), make(chan struct{}, 10)
	server := &http.Server{
		Handler:     http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { ended <- r.Context() }),
		ConnContext: ConnContext,
		ConnState: func(c net.Conn, state http.ConnState) {
			limited.ConnState(c, state)
			if state == http.StateIdle {
				idle <- struct{}{}
			}
		},
	}
	go server.Serve(limited)
	t.Cleanup(func() { server.Close() })
	c, err := net.Dial("tcp", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	head := "GET / HTTP/1.1\r\nHost: a\r\nPadding: " + strings.Repeat("p", 1000) + "\r\n\r\n"
	for range 3 {
		io.WriteString(c, head)
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		<-idle
		RequestOf(<-ended, "late")
	}
	limited.mu.Lock()
	defer limited.mu.Unlock()
	if limited.called != limited.heads || limited.heads <= 0 {
		t.Errorf("heads of callers: %d bytes, of all: %d, want the same", limited.called, limited.heads)
	}
}
