package server_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/transfer"
)

// quickly is an option that sets short limits for transfers.
func quickly(limits transfer.Limits) func(*servertest.Options) {
	return func(o *servertest.Options) { o.Transfers = limits }
}

// startUpload starts an upload, of which the head and some bytes arrive.
func startUpload(s *servertest.Server, acme servertest.Client) (txID string, connection *net.TCPConn, rest string) {
	txID, url := acme.Announce("a.txt")
	contentType, body := servertest.Form(s.T, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte(strings.Repeat("Insured: Foxglove Bakery LLC\n", 20))})
	connection = s.Dial(servertest.RequestHead("PUT "+strings.TrimPrefix(url, s.URL), acme.Token, contentType, len(body)) + body[:200])
	return txID, connection, body[200:]
}

// wantBodyTimeout reads the response to a body that did not arrive, and waits until the
// connection is closed and the journal has the reason.
func wantBodyTimeout(s *servertest.Server, connection net.Conn, reason string) {
	s.T.Helper()
	reader := bufio.NewReader(connection)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusRequestTimeout || string(body) != `{"message":"Request Timeout"}` {
		s.T.Errorf("response %d %s, %v, want 408", response.StatusCode, body, err)
	}
	if hint := response.Header.Get("X-Understudy-Hint"); !strings.Contains(hint, reason) {
		s.T.Errorf("hint %q, want one with %q", hint, reason)
	}
	if _, err := reader.ReadByte(); err != io.EOF {
		s.T.Errorf("after the response: %v, want a closed connection", err)
	}
	wantReason(s, reason)
}

// wantReason waits until the journal has a call with the reason.
func wantReason(s *servertest.Server, reason string) {
	s.T.Helper()
	servertest.Until(s.T, "the journal has the reason "+reason, func() bool {
		if err := s.App.Journal.Flush(context.Background()); err != nil {
			s.T.Fatal(err)
		}
		return servertest.Value[bool](s, "select exists(select from calls where strpos(reason, $1) > 0)", reason)
	})
}

// TestStalledUploadEnds checks that an upload whose client stops sending gets 408, and
// that nothing of it is left.
func TestStalledUploadEnds(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a client that makes no progress is disconnected, an upload with 408")
	s := servertest.New(t, quickly(transfer.Limits{Stall: 300 * time.Millisecond}))
	acme := s.Acme()
	txID, connection, _ := startUpload(s, acme)
	wantBodyTimeout(s, connection, "sent nothing for 300ms")
	acme.Trigger(txID).Want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
	left, err := filepath.Glob(filepath.Join(s.Files, "objects", ".unfinished", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files %v, %v", left, err)
	}
}

// TestSlowUploadEnds checks that an upload below the minimum rate gets 408 even though
// bytes keep arriving.
func TestSlowUploadEnds(t *testing.T) {
	servertest.Proves(t, "Chosen, process: the minimum rate of transfers is off in local and 1 KB/s in uat")
	s := servertest.New(t, quickly(transfer.Limits{Rate: 10_000, Window: 500 * time.Millisecond}))
	_, connection, rest := startUpload(s, s.Acme())
	go func() {
		for i := 0; ; i = (i + 1) % len(rest) {
			if _, err := connection.Write([]byte{rest[i]}); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond) // its pace
		}
	}()
	wantBodyTimeout(s, connection, "fewer than 10000 bytes per second")
}

// TestMovingUploadPasses checks that an upload which takes longer than the stall timeout,
// but never stops for so long, is stored.
func TestMovingUploadPasses(t *testing.T) {
	s := servertest.New(t, quickly(transfer.Limits{Stall: time.Second, Rate: 10, Window: 500 * time.Millisecond}))
	acme := s.Acme()
	txID, connection, rest := startUpload(s, acme)
	for part := range strings.SplitAfterSeq(rest, "\n") {
		time.Sleep(80 * time.Millisecond) // its pace
		if _, err := io.WriteString(connection, part); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("response %v, %v, want 200", response, err)
	}
	acme.Trigger(txID).Want(t, http.StatusOK)
}

// TestStalledJSONBodyEnds checks that each family of endpoints responds with 408 in its
// form to a body that does not arrive.
func TestStalledJSONBodyEnds(t *testing.T) {
	s := servertest.New(t, quickly(transfer.Limits{Stall: 300 * time.Millisecond}))
	acme := s.Acme()
	for line, want := range map[string]string{
		servertest.SubmitCompany: `{"message":"Request Timeout"}`,
		"POST /hooks":            `{"status":408,"error":"Request Timeout"}`,
		"POST /auth/token":       `{"error":"invalid_request","error_description":"Request Timeout"}`,
	} {
		contentType := "application/json"
		if strings.HasSuffix(line, "token") {
			contentType = "application/x-www-form-urlencoded"
		}
		connection := s.Dial(servertest.RequestHead(line, acme.Token, contentType, 100) + "{")
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusRequestTimeout || string(body) != want {
			t.Errorf("%s: response %d %s, %v, want 408 %s", line, response.StatusCode, body, err, want)
		}
	}
}

// readLocations asks for a large report, and reads nothing of the response.
func readLocations(s *servertest.Server, acme servertest.Client, txID string) *net.TCPConn {
	connection := s.Dial("")
	io.WriteString(connection, servertest.RequestHead("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", acme.Token, "", 0))
	return connection
}

// largeReport submits a file and makes its report as large as 20,000 locations, which
// fills all buffers of a connection.
func largeReport(s *servertest.Server, c servertest.Client) (txID string) {
	s.T.Helper()
	txID = c.Submit("sov.csv", []byte("Location,Address,City,State,Zip,Building Value\n1,12 Mill Street,Springfield,IL,62701,1000000\n"))
	s.Exec(`
		update reports
		set locations = (select jsonb_agg(location) from generate_series(1, 20000), (select locations -> 0) one (location))
		where tx_id = $1`, txID)
	return txID
}

// TestClientThatNeverReadsIsDisconnected checks that a client which does not read its
// response is disconnected and that the memory for the response is released.
func TestClientThatNeverReadsIsDisconnected(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a client that makes no progress is disconnected, an upload with 408")
	s := servertest.New(t, quickly(transfer.Limits{Stall: 500 * time.Millisecond}))
	acme := s.Acme()
	readLocations(s, acme, largeReport(s, acme))
	wantReason(s, "read nothing for 500ms")
	if used := s.App.Budget.Used(); used > 0 {
		t.Errorf("%d bytes are still reserved", used)
	}
}

// TestSlowReaderIsServed checks that a client which reads with pauses shorter than the
// stall timeout gets the whole response, however long that takes.
func TestSlowReaderIsServed(t *testing.T) {
	servertest.Slow(t)
	s := servertest.New(t, quickly(transfer.Limits{Stall: 1500 * time.Millisecond}))
	acme := s.Acme()
	connection := readLocations(s, acme, largeReport(s, acme))
	begun := time.Now()
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		if time.Since(begun) < 4*time.Second { // then the rest at once
			time.Sleep(100 * time.Millisecond) // its pace
			_, err = io.CopyN(io.Discard, response.Body, 200_000)
		} else {
			_, err = io.Copy(io.Discard, response.Body)
			break
		}
	}
	if err != nil {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}

// TestStreamThatIsNotReadEnds checks that a client which stops reading a stream of events
// is disconnected, and that one which waits for events is not.
func TestStreamThatIsNotReadEnds(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a client that makes no progress is disconnected, an upload with 408")
	s := servertest.New(t, quickly(transfer.Limits{Stall: 500 * time.Millisecond}))
	s.Exec(`
		insert into feed (tenant_id, at, event, data)
		select id, timestamptz '2026-03-02 09:00Z', 'test:written', jsonb_build_object('text', repeat('x', 2000))
		from tenants, generate_series(1, 8000)
		where name = 'acme'`)
	control := &servertest.Server{T: t, URL: strings.TrimSuffix(s.ControlURL, route.ControlBase)}
	patient := control.Dial("GET " + route.ControlBase + "/tenants/globex/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
	head, err := http.ReadResponse(bufio.NewReader(patient), nil)
	if err != nil || head.StatusCode != http.StatusOK {
		t.Fatalf("response %v, %v", head, err)
	}
	stopped := control.Dial("")
	io.WriteString(stopped, "GET "+route.ControlBase+"/tenants/acme/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
	servertest.Until(t, "both streams are open", func() bool { return s.App.Requests.InFlight() == 2 })
	servertest.Until(t, "the stream that is not read has ended", func() bool { return s.App.Requests.InFlight() == 1 })
	time.Sleep(time.Second) // twice the stall timeout
	if s.App.Requests.InFlight() != 1 {
		t.Error("the stream without events has ended")
	}
}

// TestConnectionsPerAddress checks that connections beyond the limit of an address are
// closed, unless the address is exempt.
func TestConnectionsPerAddress(t *testing.T) {
	servertest.Proves(t, "Chosen, process: connections per address can be limited, except those of proxies")
	const request = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
	served := func(s *servertest.Server) (*net.TCPConn, bool) {
		connection := s.Dial("")
		io.WriteString(connection, request) // fails if the connection is closed already
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		return connection, err == nil && response.StatusCode == http.StatusOK
	}
	s := servertest.New(t, quickly(transfer.Limits{PerAddress: 2}))
	first, ok := served(s)
	if _, second := served(s); !ok || !second {
		t.Error("a connection within the limit was refused")
	}
	if _, ok := served(s); ok {
		t.Error("a connection beyond the limit was served")
	}
	first.Close()
	servertest.Until(t, "another connection is accepted", func() bool { _, ok := served(s); return ok })

	proxy := s.App.Options
	proxy.Transfers.Exempt = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	behind := s.ReplicaWith(proxy)
	for range 3 {
		if _, ok := served(behind); !ok {
			t.Error("a connection of a proxy was refused")
		}
	}
}
