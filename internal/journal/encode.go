package journal

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"time"

	"github.com/google/uuid"
)

// newEncoder returns an encoder for a row whose texts have about the given size.
func newEncoder(size int64, secrets misplaced) *encoder {
	e := &encoder{make([]byte, 0, size+rowOverhead/2), secrets}
	e.to = binary.BigEndian.AppendUint16(e.to, uint16(len(rowColumns)))
	return e
}

// encoder appends the columns of a row in the binary format of PostgreSQL's copy. A row in
// this form is one object for the garbage collector, and needs no conversion when it is
// written.
type encoder struct {
	to      []byte
	secrets misplaced // replaced in all texts
}

func (e *encoder) null()           { e.to = binary.BigEndian.AppendUint32(e.to, 1<<32-1) }
func (e *encoder) length(n int)    { e.to = binary.BigEndian.AppendUint32(e.to, uint32(n)) }
func (e *encoder) id(id uuid.UUID) { e.length(len(id)); e.to = append(e.to, id[:]...) }

func (e *encoder) text(text string) {
	text = e.secrets.mask(text)
	e.length(len(text))
	e.to = append(e.to, text...)
}

func (e *encoder) bytes(text []byte) {
	if len(e.secrets) > 0 {
		text = []byte(e.secrets.mask(string(text)))
	}
	e.length(len(text))
	e.to = append(e.to, text...)
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
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (e *encoder) time(at time.Time) { e.int8(at.UnixMicro() - epoch.UnixMicro()) }

func (e *encoder) interval(d time.Duration) {
	e.length(16)
	e.to = binary.BigEndian.AppendUint64(e.to, uint64(d.Microseconds()))
	e.to = append(e.to, 0, 0, 0, 0, 0, 0, 0, 0) // days and months
}

// texts appends an array of texts.
func (e *encoder) texts(texts []string) {
	const textType = 25
	begin := len(e.to)
	e.length(0)
	dimensions := min(len(texts), 1)
	e.to = binary.BigEndian.AppendUint32(e.to, uint32(dimensions))
	e.to = binary.BigEndian.AppendUint32(e.to, 0) // no nulls
	e.to = binary.BigEndian.AppendUint32(e.to, textType)
	if dimensions > 0 {
		e.to = binary.BigEndian.AppendUint32(e.to, uint32(len(texts)))
		e.to = binary.BigEndian.AppendUint32(e.to, 1) // lower bound
	}
	for _, text := range texts {
		e.length(len(text))
		e.to = append(e.to, text...)
	}
	binary.BigEndian.PutUint32(e.to[begin:], uint32(len(e.to)-begin-4))
}

// hash appends bytes in which there are no secrets, or null.
func (e *encoder) hash(sum []byte) {
	if sum == nil {
		e.null()
		return
	}
	e.length(len(sum))
	e.to = append(e.to, sum...)
}

// json appends a value of the type jsonb, or null.
func (e *encoder) json(text []byte) {
	if text == nil {
		e.null()
		return
	}
	const version = "\x01"
	e.text(version + string(text))
}

// copyRows is the SQL statement that reads the rows that copied returns.
var copyRows = "copy calls (" + strings.Join(rowColumns, ", ") + ") from stdin (format binary)"

// copied returns the rows as input of copyRows.
func copied(rows []row) io.Reader {
	const signature, flags, extension, end = "PGCOPY\n\xff\r\n\x00", "\x00\x00\x00\x00", "\x00\x00\x00\x00", "\xff\xff"
	input := make(net.Buffers, 0, len(rows)+2)
	input = append(input, []byte(signature+flags+extension))
	for _, r := range rows {
		input = append(input, r.encoded)
	}
	return new(append(input, []byte(end)))
}
