package storage

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// transactionSettings is the stream of PostgreSQL's protocol between pgx and a pooler
// that may use another session for each transaction. In front of the first message of
// each transaction it inserts a query that applies the settings to that transaction, and
// it removes the results of the query from the responses. So no statement can run
// without the settings, and they cannot affect other clients of the session. The query
// needs no additional round trip.
//
// The messages are described in the chapter "Frontend/Backend Protocol" of PostgreSQL's
// documentation.
type transactionSettings struct {
	query string // a single statement
	steps []byte // the query as messages of the extended protocol

	r *bufio.Reader
	w io.Writer

	// Of the messages written, by a single goroutine.
	writing   bool // the connection has started
	header    []byte
	body      int  // bytes of the current message that are still to be written
	inRequest bool // a request has begun and not ended

	// Of the messages read, by a single goroutine.
	rest int  // bytes of the current message that are still to be read
	drop bool // they are not passed on

	mu       sync.Mutex // guards the fields below
	idle     bool       // there was no transaction after the newest response
	requests []bool     // requests without a complete response; true if the query was inserted
	removing bool       // the results of the query are being removed
}

func newTransactionSettings(r io.Reader, w io.Writer, query string) *transactionSettings {
	t := &transactionSettings{query: query, r: bufio.NewReader(r), w: w}
	for _, message := range []pgproto3.FrontendMessage{&pgproto3.Parse{Query: query}, &pgproto3.Bind{}, &pgproto3.Execute{}} {
		t.steps, _ = message.Encode(t.steps) // fails only for messages of more than 1 GiB
	}
	return t
}

// begin makes the following transactions have the settings. Call it when the connection
// has started and is idle.
func (t *transactionSettings) begin() { t.writing, t.idle = true, true }

const headerSize = 5 // the type, and the length of the rest, which includes itself

// Write implements io.Writer.
func (t *transactionSettings) Write(p []byte) (int, error) {
	if !t.writing {
		return t.w.Write(p)
	}
	out := make([]byte, 0, len(p)+len(t.steps))
	for rest := p; len(rest) > 0; {
		if t.body > 0 {
			n := min(t.body, len(rest))
			out, rest, t.body = append(out, rest[:n]...), rest[n:], t.body-n
			continue
		}
		n := min(headerSize-len(t.header), len(rest))
		t.header, rest = append(t.header, rest[:n]...), rest[n:]
		if len(t.header) == headerSize {
			out = t.appendHeader(out)
			t.header = t.header[:0]
		}
	}
	if n, err := t.w.Write(out); err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}

// appendHeader appends the header of a message, and the query if the message begins a
// transaction.
func (t *transactionSettings) appendHeader(out []byte) []byte {
	kind, length := t.header[0], binary.BigEndian.Uint32(t.header[1:])
	t.body = int(length) - (headerSize - 1)
	prefix := ""
	switch kind {
	case 'Q', 'P', 'B', 'D', 'E', 'C', 'F', 'S': // requests; the others are copied data, or end the connection
		if t.inRequest {
			break
		}
		insert := t.addRequest(kind != 'S')
		if insert && kind == 'Q' {
			prefix = t.query + ";"
		} else if insert {
			out = append(out, t.steps...)
		}
		t.inRequest = true
	}
	if kind == 'Q' || kind == 'F' || kind == 'S' {
		t.inRequest = false
	}
	out = append(out, kind)
	out = binary.BigEndian.AppendUint32(out, length+uint32(len(prefix)))
	return append(out, prefix...)
}

// addRequest records that a request begins, which may contain statements. It reports
// whether the query must be inserted, because the request begins a transaction.
func (t *transactionSettings) addRequest(statements bool) (insert bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	insert = statements && t.idle
	t.requests = append(t.requests, insert)
	if len(t.requests) == 1 {
		t.removing = insert
	}
	return insert
}

// Read implements io.Reader.
func (t *transactionSettings) Read(p []byte) (int, error) {
	if !t.writing {
		return t.r.Read(p)
	}
	for {
		if t.rest == 0 {
			if err := t.nextResponse(); err != nil {
				return 0, err
			}
		}
		if t.drop {
			n, err := t.r.Discard(t.rest)
			t.rest -= n
			if err != nil {
				return 0, err
			}
			continue
		}
		n, err := t.r.Read(p[:min(len(p), t.rest)])
		t.rest -= n
		return n, err
	}
}

// nextResponse examines the next message without consuming it. If the read times out, it
// can be called again.
func (t *transactionSettings) nextResponse() error {
	header, err := t.r.Peek(headerSize)
	if err != nil {
		return err
	}
	kind := header[0]
	t.rest = 1 + int(binary.BigEndian.Uint32(header[1:]))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop = false
	switch kind {
	case '1', '2', 'T', 'D': // parsed, bound, description and rows
		t.drop = t.removing
	case 'C': // complete
		t.drop = t.removing
		t.removing = false
	case 'E': // the query failed, and so has the request
		t.removing = false
	case 'Z': // ready for the next request
		message, err := t.r.Peek(headerSize + 1)
		if err != nil {
			t.rest = 0
			return err
		}
		t.idle = message[headerSize] == 'I'
		if len(t.requests) > 0 {
			t.requests = t.requests[1:]
		}
		t.removing = len(t.requests) > 0 && t.requests[0]
	}
	return nil
}
