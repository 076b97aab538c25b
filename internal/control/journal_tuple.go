package control

import (
	"encoding/binary"
	"time"
)

// tuple is a row in the binary form of Postgres' COPY: the number of its
// columns, then each column's length and value. A journal writes more rows than
// all else together; in this form they cost neither reflection nor a copy.
type tuple []byte

// What stands before and after the tuples of a COPY.
const (
	copyHead = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"
	copyEnd  = "\xff\xff"
)

// textOID is the type of the elements of text[].
const textOID = 25

// epoch is where Postgres' times begin, in microseconds of Unix.
const epoch = 946_684_800_000_000

func newTuple(columns int16, size int) tuple {
	return binary.BigEndian.AppendUint16(make(tuple, 0, size), uint16(columns))
}

func (t *tuple) length(n int) { *t = binary.BigEndian.AppendUint32(*t, uint32(n)) }
func (t *tuple) null()        { t.length(-1) }

func (t *tuple) bytes(value []byte) {
	t.length(len(value))
	*t = append(*t, value...)
}

func (t *tuple) text(value string) {
	t.length(len(value))
	*t = append(*t, value...)
}

func (t *tuple) boolean(value bool) {
	t.length(1)
	if value {
		*t = append(*t, 1)
	} else {
		*t = append(*t, 0)
	}
}

func (t *tuple) integer(value int32) {
	t.length(4)
	t.length(int(value))
}

func (t *tuple) bigint(value int64) {
	t.length(8)
	*t = binary.BigEndian.AppendUint64(*t, uint64(value))
}

func (t *tuple) time(at time.Time) { t.bigint(at.UnixMicro() - epoch) }

// interval is microseconds, no days, no months.
func (t *tuple) interval(lasts time.Duration) {
	t.length(16)
	*t = binary.BigEndian.AppendUint64(*t, uint64(lasts.Microseconds()))
	*t = append(*t, 0, 0, 0, 0, 0, 0, 0, 0)
}

// texts is text[]: dimensions, whether one is null, the type; of the only
// dimension its length and first index; then the elements.
func (t *tuple) texts(values []string) {
	if len(values) == 0 {
		t.length(12)
		for _, n := range []int{0, 0, textOID} {
			t.length(n)
		}
		return
	}
	size := 20
	for _, value := range values {
		size += 4 + len(value)
	}
	t.length(size)
	for _, n := range []int{1, 0, textOID, len(values), 1} {
		t.length(n)
	}
	for _, value := range values {
		t.text(value)
	}
}
