package journal

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
)

// batchRow is a row of call_batches: calls that are written together.
type batchRow struct {
	tenantID        uuid.UUID
	part            int
	unauthenticated bool
	seqs            []int64 // the order of the calls in the transaction
	calls           []*row
	bytes           int64         // size of the calls that counts towards the limits
	ends            [][]byte      // shared ends of the responses' bodies, each once
	endNumbers      map[*byte]int // positions in ends, from 1 on, by the address of the first byte
	stored          int64         // bytes to store, before compression
}

// Limits of the calls in a row of call_batches. To read one call, PostgreSQL decompresses
// the arrays of its row.
const (
	rowCalls = 500
	rowBytes = 512 << 10
)

// newBatchRows returns the rows for the calls, in order.
func newBatchRows(calls []*row) []*batchRow {
	var rows []*batchRow
	open, parts := map[queueShare]*batchRow{}, map[uuid.UUID]int{}
	for i, call := range calls {
		to := open[call.share()]
		if to == nil || len(to.calls) == rowCalls || to.stored+call.size > rowBytes {
			parts[call.tenantID]++
			to = &batchRow{tenantID: call.tenantID, part: parts[call.tenantID], unauthenticated: call.unauthenticated, endNumbers: map[*byte]int{}}
			open[call.share()] = to
			rows = append(rows, to)
		}
		to.add(call, int64(i+1))
	}
	return rows
}

// add adds a call. It adds the shared end of the response's body if the row does not have it yet.
func (b *batchRow) add(call *row, seq int64) {
	b.calls = append(b.calls, call)
	b.seqs = append(b.seqs, seq)
	b.bytes += call.size
	b.stored += call.size
	if len(call.responseEnd) == 0 {
		return
	}
	first := &call.responseEnd[0]
	if b.endNumbers[first] > 0 {
		b.stored -= int64(len(call.responseEnd))
		return
	}
	b.ends = append(b.ends, call.responseEnd)
	b.endNumbers[first] = len(b.ends)
}

// endNumber returns the position of the shared end of the call's response body, or 0 if there is
// none.
func (b *batchRow) endNumber(call *row) int {
	if len(call.responseEnd) == 0 {
		return 0
	}
	return b.endNumbers[&call.responseEnd[0]]
}

// ids returns the lowest and the highest id of the calls.
func (b *batchRow) ids() (first, last uuid.UUID) {
	first, last = b.calls[0].uuid, b.calls[0].uuid
	for _, call := range b.calls {
		if bytes.Compare(call.uuid[:], first[:]) < 0 {
			first = call.uuid
		}
		if bytes.Compare(call.uuid[:], last[:]) > 0 {
			last = call.uuid
		}
	}
	return first, last
}

// OIDs of PostgreSQL's types.
const (
	boolType, byteaType, int8Type, int4Type, textType = 16, 17, 20, 23, 25
	timestamptzType, intervalType, uuidType           = 1184, 1186, 2950
)

// arrays are the columns of call_batches that have an element for each call.
var arrays = []struct {
	name    string
	element uint32 // OID of the type
	add     func(to *encoder, call *row)
}{
	{"ids", uuidType, func(to *encoder, call *row) { to.id(call.uuid) }},
	{"times", timestamptzType, func(to *encoder, call *row) { to.time(call.at) }},
	{"begun_times", timestamptzType, func(to *encoder, call *row) { to.time(call.begunAt) }},
	{"durations", intervalType, func(to *encoder, call *row) { to.interval(call.duration) }},
	{"client_ids", textType, func(to *encoder, call *row) { to.text(call.clientID) }},
	{"methods", textType, func(to *encoder, call *row) { to.text(call.method) }},
	{"paths", textType, func(to *encoder, call *row) { to.text(call.path) }},
	{"routes", textType, func(to *encoder, call *row) { to.text(call.operation) }},
	{"statuses", int4Type, func(to *encoder, call *row) { to.int4(call.status) }},
	{"reasons", textType, func(to *encoder, call *row) { to.text(call.reason) }},
	{"tx_ids", textType, func(to *encoder, call *row) { to.text(call.txID) }},
	{"expired_tokens", boolType, func(to *encoder, call *row) { to.bool(call.tokenExpired) }},
	{"token_times", timestamptzType, func(to *encoder, call *row) { to.optionalTime(call.tokenUntil) }},
	{"fault_lists", textType, func(to *encoder, call *row) { to.text(call.faults) }},
	{"outcomes", boolType, func(to *encoder, call *row) { to.bool(call.outcome) }},
	{"outcome_companies", textType, func(to *encoder, call *row) { to.text(call.outcomeCompany) }},
	{"filenames", textType, func(to *encoder, call *row) { to.text(call.filename) }},
	{"content_types", textType, func(to *encoder, call *row) { to.text(call.contentType) }},
	{"part_lists", textType, func(to *encoder, call *row) { to.optionalText(call.parts) }},
	{"request_types", textType, func(to *encoder, call *row) { to.text(call.requestType) }},
	{"request_sizes", int8Type, func(to *encoder, call *row) { to.int8(call.requestSize) }},
	{"request_hashes", byteaType, func(to *encoder, call *row) { to.optionalBytes(call.requestSHA256) }},
	{"response_sizes", int8Type, func(to *encoder, call *row) { to.int8(call.responseSize) }},
	{"hints", textType, func(to *encoder, call *row) { to.text(call.hint) }},
	{"sizes", int8Type, func(to *encoder, call *row) { to.int8(call.size) }},
	{"request_headers", textType, func(to *encoder, call *row) { to.bytes(call.requestHeaders) }},
	{"request_bodies", byteaType, func(to *encoder, call *row) { to.bytes(call.requestBody) }},
	{"response_headers", textType, func(to *encoder, call *row) { to.bytes(call.responseHeaders) }},
	{"response_bodies", byteaType, func(to *encoder, call *row) { to.bytes(call.responseBody) }},
}

// scalars are the other columns, in the order in which add writes them.
var scalars = []string{"tenant_id", "part", "unauthenticated", "call_count", "bytes", "first_id", "last_id", "seqs", "response_ends", "end_numbers"}

// copyRows is the SQL statement that reads the rows that copied returns.
var copyRows = func() string {
	names := scalars
	for _, a := range arrays {
		names = append(names, a.name)
	}
	return "copy call_batches (" + strings.Join(names, ", ") + ") from stdin (format binary)"
}()

// copied returns the rows as input of copyRows, in the binary format of PostgreSQL's copy.
func copied(rows []*batchRow) io.Reader {
	const signature, flags, extension, end = "PGCOPY\n\xff\r\n\x00", "\x00\x00\x00\x00", "\x00\x00\x00\x00", "\xff\xff"
	size := int64(0)
	for _, r := range rows {
		size += r.stored
	}
	e := &encoder{make([]byte, 0, size)}
	e.to = append(e.to, signature+flags+extension...)
	for _, r := range rows {
		e.add(r)
	}
	e.to = append(e.to, end...)
	return bytes.NewReader(e.to)
}

// encoder appends values in the binary format of PostgreSQL.
type encoder struct{ to []byte }

// add appends a row.
func (e *encoder) add(r *batchRow) {
	first, last := r.ids()
	e.to = binary.BigEndian.AppendUint16(e.to, uint16(len(scalars)+len(arrays)))
	e.id(r.tenantID)
	e.int4(r.part)
	e.bool(r.unauthenticated)
	e.int4(len(r.calls))
	e.int8(r.bytes)
	e.id(first)
	e.id(last)
	e.array(int8Type, len(r.calls), func(i int) { e.int8(r.seqs[i]) })
	e.array(byteaType, len(r.ends), func(i int) { e.bytes(r.ends[i]) })
	e.array(int4Type, len(r.calls), func(i int) { e.int4(r.endNumber(r.calls[i])) })
	for _, a := range arrays {
		e.array(a.element, len(r.calls), func(i int) { a.add(e, r.calls[i]) })
	}
}

// array appends an array of n elements, which add appends.
func (e *encoder) array(element uint32, n int, add func(i int)) {
	begin := len(e.to)
	e.length(0)
	for _, header := range []uint32{1, 1, element, uint32(n), 1} { // dimensions, nulls, type, length, lower bound
		e.to = binary.BigEndian.AppendUint32(e.to, header)
	}
	for i := range n {
		add(i)
	}
	binary.BigEndian.PutUint32(e.to[begin:], uint32(len(e.to)-begin-4))
}

func (e *encoder) null()              { e.to = binary.BigEndian.AppendUint32(e.to, 1<<32-1) }
func (e *encoder) length(n int)       { e.to = binary.BigEndian.AppendUint32(e.to, uint32(n)) }
func (e *encoder) id(id uuid.UUID)    { e.bytes(id[:]) }
func (e *encoder) bytes(value []byte) { e.length(len(value)); e.to = append(e.to, value...) }
func (e *encoder) text(text string)   { e.length(len(text)); e.to = append(e.to, text...) }

func (e *encoder) optionalText(text string) {
	if text == "" {
		e.null()
		return
	}
	e.text(text)
}

func (e *encoder) optionalBytes(value []byte) {
	if value == nil {
		e.null()
		return
	}
	e.bytes(value)
}

func (e *encoder) optionalTime(at time.Time) {
	if at.IsZero() {
		e.null()
		return
	}
	e.time(at)
}

func (e *encoder) bool(is bool) {
	e.length(1)
	if is {
		e.to = append(e.to, 1)
	} else {
		e.to = append(e.to, 0)
	}
}

func (e *encoder) int4(n int) {
	e.length(4)
	e.to = binary.BigEndian.AppendUint32(e.to, uint32(n))
}

func (e *encoder) int8(n int64) {
	e.length(8)
	e.to = binary.BigEndian.AppendUint64(e.to, uint64(n))
}

// epoch is the time from which PostgreSQL counts.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func (e *encoder) time(at time.Time) { e.int8(at.UnixMicro() - epoch) }

func (e *encoder) interval(d time.Duration) {
	e.length(16)
	e.to = binary.BigEndian.AppendUint64(e.to, uint64(d.Microseconds()))
	e.to = append(e.to, 0, 0, 0, 0, 0, 0, 0, 0) // days and months
}
