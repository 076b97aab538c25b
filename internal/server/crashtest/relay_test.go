//go:build linux

package crashtest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// relay listens on a TCP port of 127.0.0.1 and passes the connections of one server on
// to PostgreSQL. It understands enough of the protocol (PostgreSQL documentation, "Message
// Formats") to stop at commits.
type relay struct {
	target *pgconn.Config
	socket net.Listener
	node   atomic.Pointer[node] // whose connections they are
	points *points
}

// newRelay returns a relay to the database at the URL.
func newRelay(t testing.TB, databaseURL string, p *points) *relay {
	t.Helper()
	target, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	r := &relay{target: target, socket: socket, points: p}
	go r.accept()
	return r
}

// address returns the host and port of the relay.
func (r *relay) address() string { return r.socket.Addr().String() }

// databaseURL returns the database's URL with another address.
func (r *relay) databaseURL(address string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(r.target.User, r.target.Password), Host: address, Path: "/" + r.target.Database}
	return u.String() + "?sslmode=disable"
}

func (r *relay) accept() {
	for {
		server, err := r.socket.Accept()
		if err != nil {
			return
		}
		network, address := pgconn.NetworkAddress(r.target.Host, r.target.Port)
		database, err := net.Dial(network, address)
		if err != nil {
			server.Close()
			continue
		}
		s := &session{relay: r, server: server, database: database, statements: map[string]string{}}
		go s.fromServer()
		go s.fromDatabase()
	}
}

// session is one connection of the server.
type session struct {
	relay            *relay
	server, database net.Conn

	statements map[string]string // SQL of the prepared statements, by name

	mu      sync.Mutex
	status  byte     // of the transaction: I, T or E
	tables  []string // that the transaction changes
	waiting []string // for each ReadyForQuery to come, the tables whose changes it confirms; "" for none
	backend int
}

// close ends the connection at both ends.
func (s *session) close() {
	s.server.Close()
	s.database.Close()
}

// reached handles the arrival of the session at the point. It returns false if a fault
// happened there, after which no more data passes through the connection.
func (s *session) reached(point, tables string) bool {
	s.mu.Lock()
	at := place{point, s.relay.node.Load(), s.backend, tables}
	s.mu.Unlock()
	return !s.relay.points.reached(at)
}

// fromServer passes on what the server sends.
func (s *session) fromServer() {
	defer s.close()
	startup, err := readMessage(s.server, false)
	if err != nil {
		return
	}
	if _, err := s.database.Write(startup); err != nil {
		return
	}
	for {
		message, err := readMessage(s.server, true)
		if err != nil {
			return
		}
		if tables := s.follow(message); tables != "" && !s.reached(beforeCommit, tables) {
			return
		}
		if _, err := s.database.Write(message); err != nil {
			return
		}
	}
}

// follow keeps track of the transaction. It returns the tables whose changes the message
// commits, "" if it commits none.
func (s *session) follow(message []byte) (committed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body := message[5:]
	switch message[0] {
	case 'P': // Parse: name, SQL
		name, rest, _ := strings.Cut(string(body), "\x00")
		s.statements[name], _, _ = strings.Cut(rest, "\x00")
		return ""
	case 'B': // Bind: portal, name of the statement
		_, rest, _ := strings.Cut(string(body), "\x00")
		name, _, _ := strings.Cut(rest, "\x00")
		s.tables = append(s.tables, changedTables(s.statements[name])...)
		return ""
	case 'Q': // Query
		sql, _, _ := strings.Cut(string(body), "\x00")
		s.tables = append(s.tables, changedTables(sql)...)
		if sql == "commit" || s.status == 'I' {
			committed = strings.Join(s.tables, ",")
		}
	case 'S': // Sync, which ends a transaction of one statement
		if s.status == 'I' {
			committed = strings.Join(s.tables, ",")
		}
	default:
		return ""
	}
	s.waiting = append(s.waiting, committed)
	return committed
}

// changed matches a change of a table, whose name it captures.
var changed = regexp.MustCompile(`(?i)\b(?:insert\s+into|delete\s+from|update)\s+([a-z_]+)\b`)

// changedTables returns the tables that the statement changes.
func changedTables(sql string) (tables []string) {
	for _, found := range changed.FindAllStringSubmatch(sql, -1) {
		if table := found[1]; table != "skip" && table != "set" && !slices.Contains(tables, table) { // for update skip locked
			tables = append(tables, table)
		}
	}
	return tables
}

// fromDatabase passes on what PostgreSQL sends.
func (s *session) fromDatabase() {
	defer s.close()
	for {
		message, err := readMessage(s.database, true)
		if err != nil {
			return
		}
		confirmed := s.confirm(message)
		if confirmed != "" && !s.reached(afterCommit, confirmed) {
			return
		}
		if _, err := s.server.Write(message); err != nil {
			return
		}
		if confirmed != "" && !s.reached(beforeResponse, confirmed) {
			return
		}
	}
}

// confirm keeps track of the transaction. It returns the tables whose changes have been
// committed if the message confirms that.
func (s *session) confirm(message []byte) (tables string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch message[0] {
	case 'K': // BackendKeyData
		s.backend = int(binary.BigEndian.Uint32(message[5:]))
	case 'Z': // ReadyForQuery
		s.status = message[5]
		if s.status == 'I' {
			s.tables = nil
		}
		if len(s.waiting) > 0 {
			tables, s.waiting = s.waiting[0], s.waiting[1:]
		}
	}
	return tables
}

// readMessage reads a message. All but the first have a type.
func readMessage(from io.Reader, typed bool) ([]byte, error) {
	head := make([]byte, 4, 5)
	if typed {
		head = head[:5]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(head[len(head)-4:])) - 4
	if size < 0 || size > 1<<30 {
		return nil, fmt.Errorf("a message of %d bytes", size)
	}
	message := append(head, make([]byte, size)...)
	_, err := io.ReadFull(from, message[len(head):])
	return message, err
}
