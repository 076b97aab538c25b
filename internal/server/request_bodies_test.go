package server_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// largeHook is the body of a subscription that is as large as a body can be.
func largeHook(size int) string {
	const start, end = `{"x":"`, `","url":"http://example.com/"}`
	return start + strings.Repeat("x", size-len(start)-len(end)) + end
}

// holdBody sends a call whose body stops just before its end, and waits until memory is
// reserved for it.
func holdBody(s *servertest.Server, c servertest.Client, line string, size int) *net.TCPConn {
	before := s.App.Bodies.Budget.Used()
	connection := s.Dial(servertest.RequestHead(line, c.Token, "application/json", size))
	io.WriteString(connection, strings.TrimSuffix(largeHook(size), "}"))
	servertest.Until(s.T, "memory is reserved for the body", func() bool { return s.App.Bodies.Budget.Used() > before })
	return connection
}

// TestLargeBodiesAreLimited checks that bodies of one tenant that do not end do not delay
// other tenants, that further large bodies of this tenant are refused, and that the
// reserved memory is released when the calls end.
func TestLargeBodiesAreLimited(t *testing.T) {
	servertest.Proves(t, "Chosen, process: large request bodies beyond the memory limit: 503 with Retry-After")
	s := servertest.New(t, func(o *servertest.Options) {
		o.Bodies.Budget = api.NewBodyBudget(64<<20, 4<<20, 300*time.Millisecond)
		o.Bodies.Time = 5 * time.Minute // the clients of this test stop on purpose
		o.Transfers.Stall = 5 * time.Minute
	})
	acme, globex := s.Acme(), s.Globex()
	const size = 1 << 20
	var held []*net.TCPConn
	for range 3 { // one of them in the memory for medium bodies
		held = append(held, holdBody(s, acme, "POST /hooks", size))
	}
	if used := s.App.Bodies.Budget.Used(); used != 3*2*size {
		t.Errorf("%d bytes are reserved for three bodies, want %d", used, 3*2*size)
	}
	for line, want := range map[string]string{
		"POST /hooks":            `{"status":503,"error":"Service Unavailable"}`,
		servertest.SubmitCompany: `{"message":"Service Unavailable"}`,
	} {
		refused := acme.Do(line, largeHook(size)).Want(t, http.StatusServiceUnavailable, want)
		if after, hint := refused.Header.Get("Retry-After"), refused.Header.Get(api.HintHeader); after != "1" || !strings.Contains(hint, "too many large request bodies") {
			t.Errorf("%s: Retry-After %q, hint %q", line, after, hint)
		}
	}
	wantReason(s, "too many large request bodies")
	acme.Do("POST /hooks", largeHook(api.SmallBody-1)).Want(t, http.StatusCreated)
	globex.Do("POST /hooks", largeHook(size)).Want(t, http.StatusCreated)
	acme.Do("POST /hooks", largeHook(size+1)).Want(t, http.StatusRequestEntityTooLarge)
	if len(journalledBody(s, "POST /hooks", http.StatusServiceUnavailable)) > api.SmallBody {
		t.Error("the journal keeps more of a body than there is memory for")
	}

	for _, connection := range held {
		connection.Close()
	}
	servertest.Until(t, "the reserved memory is released", func() bool { return s.App.Bodies.Budget.Used() == 0 })
	acme.Do("POST /hooks", largeHook(size)).Want(t, http.StatusCreated)
	if used := s.App.Bodies.Budget.Used(); used != 0 {
		t.Errorf("%d bytes are still reserved", used)
	}
}

// journalledBody returns the request body of the newest recorded call with the status.
func journalledBody(s *servertest.Server, line string, status int) []byte {
	if err := s.App.Journal.Flush(context.Background()); err != nil {
		s.T.Fatal(err)
	}
	method, path, _ := strings.Cut(line, " ")
	return servertest.Value[[]byte](s, `
		select request_body
		from calls
		where method = $1 and path = $2 and status = $3
		order by at desc
		limit 1`, method, path, status)
}

// TestBodiesInPartsReserveMemory checks that a body without a Content-Length reserves the
// memory of the largest one, that one that is too large gets 413, and that forms and
// calls of the control API are limited, too.
func TestBodiesInPartsReserveMemory(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Bodies.Budget = api.NewBodyBudget(32<<20, 4<<20, 10*time.Millisecond)
		o.Transfers.Stall = 5 * time.Minute
	})
	acme := s.Acme()
	start := strings.Repeat("x", api.SmallBody)
	for _, call := range []struct {
		line, contentType string
		bytes             int64
	}{
		{"POST /hooks", "application/json", 2 * (1<<20 + 1)},
		{"POST /auth/token", "application/x-www-form-urlencoded", 2 * (64<<10 + 1)},
		{"PATCH " + route.ControlBase + "/tenants/acme/settings", "application/json", 2 * (1<<20 + 1)},
	} {
		listener := s
		if strings.Contains(call.line, route.ControlBase) {
			listener = &servertest.Server{T: t, URL: strings.TrimSuffix(s.ControlURL, route.ControlBase)}
		}
		head := strings.Replace(servertest.RequestHead(call.line, acme.Token, call.contentType, 7), "Content-Length: 7", "Transfer-Encoding: chunked", 1)
		head = strings.Replace(head, "Host: x", "Host: localhost", 1)
		connection := listener.Dial(head + "2000\r\n" + start + "\r\n2\r\nxx\r\n")
		servertest.Until(t, call.line+" reserves memory", func() bool { return s.App.Bodies.Budget.Used() == call.bytes })
		connection.Close()
		servertest.Until(t, call.line+" releases memory", func() bool { return s.App.Bodies.Budget.Used() == 0 })
	}
}

// TestTenantOfManyBodiesYields checks that a tenant whose clients send many bodies slowly
// loses connections to those of other tenants behind the same address.
func TestTenantOfManyBodiesYields(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Bodies.Time = 5 * time.Minute // the clients of this test stop on purpose
		o.Transfers.Stall = 5 * time.Minute
	})
	acme, globex := s.Acme(), s.Globex()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, limited := s.App.HTTPServer(socket, s.App.API(), 4)
	go server.Serve(limited)
	defer server.Close()
	full := *s
	full.URL = "http://" + socket.Addr().String()
	head := servertest.RequestHead("POST /hooks", acme.Token, "application/json", 100)
	var held []*net.TCPConn
	for range 4 {
		held = append(held, full.Dial(head))
	}
	servertest.Until(t, "the calls are in progress", func() bool { return s.App.Requests.InFlight() == 4 })
	once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	servertest.Until(t, "another tenant's call is served", func() bool {
		response, err := servertest.Try(once, full.Request(servertest.Call{Line: "GET /hooks", Token: globex.Token}))
		return err == nil && response.Status == http.StatusOK
	})
	for _, connection := range held {
		connection.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if n, _ := connection.Read(make([]byte, 1)); n > 0 {
			t.Error("the other tenant was served only after the time limit of the bodies")
		}
	}
}

// TestBodyTimeIsLimited checks that a body that keeps arriving but does not end within
// the time limit gets 408, also in a call that may take longer.
func TestBodyTimeIsLimited(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) { o.Bodies.Time = 300 * time.Millisecond })
	acme := s.Acme()
	control := &servertest.Server{T: t, URL: strings.TrimSuffix(s.ControlURL, route.ControlBase)}
	for line, listener := range map[string]*servertest.Server{
		servertest.SubmitCompany:                            s,
		"POST " + route.ControlBase + "/tenants/acme/clock": control,
	} {
		head := servertest.RequestHead(line, acme.Token, "application/json", 1<<20)
		connection := listener.Dial(strings.Replace(head, "Host: x", "Host: localhost", 1))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				if _, err := connection.Write([]byte(" ")); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond) // its pace
			}
		}()
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusRequestTimeout || string(body) != `{"message":"Request Timeout"}` {
			t.Errorf("%s: response %d %s, want 408", line, response.StatusCode, body)
		}
		connection.Close()
		<-done
	}
}
