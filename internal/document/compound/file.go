// Package compound reads compound files (MS-CFB, also called OLE files): the
// container of Office 97-2003 documents, of Outlook messages and of objects
// embedded in Office documents. It knows none of the formats inside.
//
// In November 2026, mscfb v1.0.9 was measured as a replacement. It read 15 of 16 readable
// files and 87 % of the words of 720 damaged ones that this package reads, and a file of
// 3 MB with 20,000 nested storages took 1.5 GB of memory instead of 20 MB.
package compound

import (
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"

	"understudy.example/internal/document/content"
)

// Magic is the start of every compound file.
const Magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Root is the number of the storage that contains all others.
const Root = 0

// File is an open compound file: a tree of storages, which are folders, and
// streams, which are files. Storages and streams are known by their numbers. The
// tables of the file are held in memory, cut to the length that a file of its size
// can have. So no chain of sectors is longer than the file, whatever loops the
// tables contain.
type File struct {
	data       io.ReaderAt
	size       int64
	sectorSize int64
	fat        []uint32 // for each sector, the one that follows it
	miniFAT    []uint32 // the same for the sectors of the mini stream
	mini       []byte   // the stream that contains all small streams
	entries    []entry
	left       int64 // bytes that may still be read: streams may share sectors
}

// entry is a stream or a storage.
type entry struct {
	name        string
	kind        byte   // 1 storage, 2 stream, 5 root
	left, right uint32 // siblings in the tree of a storage
	child       uint32 // the top of the tree of this storage
	start       uint32
	size        int64
	children    []int
}

const (
	kindStorage = 1
	kindStream  = 2

	miniStreamLimit = 4096 // smaller streams are stored in the mini stream
	maxEntries      = 200_000
)

// Open reads the tables of a compound file of the given size in bytes.
func Open(data io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, 512)
	if n, _ := data.ReadAt(head, 0); n < len(head) || string(head[:8]) != Magic {
		return nil, content.Errorf(content.Damaged, "damaged Office 97-2003 file")
	}
	c := &File{data: data, size: size, sectorSize: 512, left: 4*size + 1<<20}
	if Uint16(head, 30) == 12 {
		c.sectorSize = 4096
	}
	c.readFAT(head)
	c.readDirectory(Uint32(head, 48))
	if len(c.entries) == 0 {
		return nil, content.Errorf(content.Damaged, "damaged Office 97-2003 file")
	}
	root := c.entries[Root]
	c.miniFAT = uint32s(c.chain(Uint32(head, 60), 1<<40))
	c.mini = c.chain(root.start, root.size)
	c.readTree()
	return c, nil
}

func (c *File) sectors() int64 { return (c.size + c.sectorSize - 1) / c.sectorSize }

// sector reads one sector; the last of a file may be cut short.
func (c *File) sector(number uint32) []byte {
	if int64(number) >= c.sectors() {
		return nil
	}
	b := make([]byte, c.sectorSize)
	n, _ := c.data.ReadAt(b, (int64(number)+1)*c.sectorSize)
	return b[:n]
}

// readFAT reads the sector table. The header lists the first 109 sectors of the
// table, a chain of further sectors lists the others.
func (c *File) readFAT(head []byte) {
	most := int(c.sectors())
	add := func(list []uint32) {
		for _, number := range list {
			if len(c.fat) < most && int64(number) < c.sectors() {
				c.fat = append(c.fat, uint32s(c.sector(number))...)
			}
		}
	}
	add(uint32s(head[76:512]))
	next := Uint32(head, 68)
	for range most {
		list := uint32s(c.sector(next))
		if len(list) < 2 || len(c.fat) >= most {
			break
		}
		add(list[:len(list)-1])
		next = list[len(list)-1]
	}
	c.fat = c.fat[:min(len(c.fat), most)]
}

// chain reads a stream of whole sectors, up to its size and to that of the file.
func (c *File) chain(start uint32, size int64) []byte {
	size = min(size, c.size, c.left)
	var out []byte
	for number := start; int64(len(out)) < size && int(number) < len(c.fat); {
		// Sectors that follow each other in the file are read at once.
		run, last := int64(1), number
		for int64(len(out))+run*c.sectorSize < size && c.fat[last] == last+1 && int(last)+1 < len(c.fat) {
			run, last = run+1, last+1
		}
		from, want := len(out), int(min(run*c.sectorSize, size-int64(len(out))))
		out = append(out, make([]byte, want)...)
		n, _ := c.data.ReadAt(out[from:], (int64(number)+1)*c.sectorSize)
		if n < want {
			out = out[:from+n]
			break
		}
		number = c.fat[last]
	}
	c.left -= int64(len(out))
	return out
}

func (c *File) readDirectory(start uint32) {
	b := c.chain(start, 128*maxEntries)
	for ; len(b) >= 128 && len(c.entries) < maxEntries; b = b[128:] {
		var name []uint16
		for i := 0; i < min(Uint16(b, 64)-2, 62); i += 2 {
			name = append(name, binary.LittleEndian.Uint16(b[i:]))
		}
		size := int64(binary.LittleEndian.Uint64(b[120:]))
		if c.sectorSize == 512 {
			size &= 1<<32 - 1 // the upper half may be undefined in such files
		}
		c.entries = append(c.entries, entry{
			name: strings.TrimRight(string(utf16.Decode(name)), "\x00"), kind: b[66],
			left: Uint32(b, 68), right: Uint32(b, 72), child: Uint32(b, 76), start: Uint32(b, 116), size: max(size, 0),
		})
	}
}

// readTree lists the children of each storage. It takes every entry once, so
// that a loop in the tree ends.
func (c *File) readTree() {
	seen := make([]bool, len(c.entries))
	seen[0] = true
	for storages := []int{0}; len(storages) > 0; storages = storages[1:] {
		parent := &c.entries[storages[0]]
		for open := []uint32{parent.child}; len(open) > 0; {
			number := open[len(open)-1]
			open = open[:len(open)-1]
			if int(number) >= len(c.entries) || seen[number] {
				continue
			}
			seen[number] = true
			e := c.entries[number]
			parent.children = append(parent.children, int(number))
			if e.kind == kindStorage {
				storages = append(storages, int(number))
			}
			open = append(open, e.right, e.left)
		}
	}
}

// Children returns the numbers of the entries in a storage.
func (c *File) Children(storage int) []int { return c.entries[storage].children }

// Name returns the name of an entry.
func (c *File) Name(number int) string { return c.entries[number].name }

// Find returns the number of the entry of a name in a storage, -1 when there is
// none. It ignores case.
func (c *File) Find(storage int, name string) int {
	for _, child := range c.entries[storage].children {
		if strings.EqualFold(c.entries[child].name, name) {
			return child
		}
	}
	return -1
}

// Stream returns the content of the stream of a name in a storage, nil when
// there is none.
func (c *File) Stream(storage int, name string) []byte { return c.Read(c.Find(storage, name)) }

// Read returns the content of a stream, nil for any other entry. A damaged
// stream ends early.
func (c *File) Read(number int) []byte {
	if number < 0 || number >= len(c.entries) || c.entries[number].kind != kindStream {
		return nil
	}
	e := c.entries[number]
	if e.size >= miniStreamLimit {
		return c.chain(e.start, e.size)
	}
	out := make([]byte, 0, e.size)
	for next := e.start; len(out) < int(e.size) && int(next) < len(c.miniFAT); next = c.miniFAT[next] {
		from := int(next) * 64
		if from >= len(c.mini) {
			break
		}
		to := min(from+64, len(c.mini), from+int(e.size)-len(out))
		out = append(out, c.mini[from:to]...)
	}
	c.left -= int64(len(out))
	return out
}
