package document

import (
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
)

const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// compound is an OLE compound file (MS-CFB): the outer form of Office 97-2003
// files and of Outlook messages. Its tables are held in memory, cut to what a
// file of its size can have; so no chain of sectors is longer than the file,
// whatever loops are in it.
type compound struct {
	data       io.ReaderAt
	size       int64
	sectorSize int64
	fat        []uint32 // the sector that follows each one
	miniFAT    []uint32
	mini       []byte // the stream that holds all small streams
	entries    []oleEntry
	left       int64 // bytes that may still be read: streams may share sectors
}

// oleEntry is a stream or a storage, which is a folder of them.
type oleEntry struct {
	name        string
	kind        byte // 1 storage, 2 stream, 5 root
	left, right uint32
	child       uint32
	start       uint32
	size        int64
	kids        []int
}

const (
	oleSmall    = 4096 // streams below this size are in the mini stream
	maxOLEFiles = 200_000
)

func openCompound(data io.ReaderAt, size int64) (*compound, error) {
	head := make([]byte, 512)
	if n, _ := data.ReadAt(head, 0); n < len(head) || string(head[:8]) != oleMagic {
		return nil, unreadable(Damaged, "damaged Office 97-2003 file")
	}
	c := &compound{data: data, size: size, sectorSize: 512, left: 4*size + 1<<20}
	if binary.LittleEndian.Uint16(head[30:]) == 12 {
		c.sectorSize = 4096
	}
	c.readFAT(head)
	c.readDirectory(u32(head, 48))
	if len(c.entries) == 0 {
		return nil, unreadable(Damaged, "damaged Office 97-2003 file")
	}
	root := c.entries[0]
	c.miniFAT = words32(c.chain(u32(head, 60), 1<<40))
	c.mini = c.chain(root.start, root.size)
	c.readTree()
	return c, nil
}

func u16(b []byte, at int) int    { return int(binary.LittleEndian.Uint16(b[at:])) }
func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func words32(b []byte) []uint32 {
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = u32(b, 4*i)
	}
	return words
}

func (c *compound) sectors() int64 { return (c.size + c.sectorSize - 1) / c.sectorSize }

// sector reads one sector; the last of a file may be cut short.
func (c *compound) sector(number uint32) []byte {
	if int64(number) >= c.sectors() {
		return nil
	}
	b := make([]byte, c.sectorSize)
	n, _ := c.data.ReadAt(b, (int64(number)+1)*c.sectorSize)
	return b[:n]
}

// readFAT follows the list of the sectors that hold the table: 109 are in the
// head, the others in a chain.
func (c *compound) readFAT(head []byte) {
	most := int(c.sectors())
	add := func(list []uint32) {
		for _, number := range list {
			if len(c.fat) < most && int64(number) < c.sectors() {
				c.fat = append(c.fat, words32(c.sector(number))...)
			}
		}
	}
	add(words32(head[76:512]))
	next := u32(head, 68)
	for range most {
		list := words32(c.sector(next))
		if len(list) < 2 || len(c.fat) >= most {
			break
		}
		add(list[:len(list)-1])
		next = list[len(list)-1]
	}
	c.fat = c.fat[:min(len(c.fat), most)]
}

// chain reads a stream of whole sectors, up to its size and to the file's.
func (c *compound) chain(start uint32, size int64) []byte {
	size = min(size, c.size, c.left)
	var out []byte
	for number := start; int64(len(out)) < size && int(number) < len(c.fat); {
		// Sectors that lie in a row are read at once.
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

func (c *compound) readDirectory(start uint32) {
	b := c.chain(start, 128*maxOLEFiles)
	for ; len(b) >= 128 && len(c.entries) < maxOLEFiles; b = b[128:] {
		var name []uint16
		for i := 0; i < min(u16(b, 64)-2, 62); i += 2 {
			name = append(name, binary.LittleEndian.Uint16(b[i:]))
		}
		size := int64(binary.LittleEndian.Uint64(b[120:]))
		if c.sectorSize == 512 {
			size &= 1<<32 - 1 // the upper half may be rubbish in such files
		}
		c.entries = append(c.entries, oleEntry{
			name: strings.TrimRight(string(utf16.Decode(name)), "\x00"), kind: b[66],
			left: u32(b, 68), right: u32(b, 72), child: u32(b, 76), start: u32(b, 116), size: max(size, 0),
		})
	}
}

// readTree lists the entries of each storage. Every entry is taken once, so
// that a loop in the tree ends.
func (c *compound) readTree() {
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
			parent.kids = append(parent.kids, int(number))
			if e.kind == 1 {
				storages = append(storages, int(number))
			}
			open = append(open, e.right, e.left)
		}
	}
}

// find gives the number of an entry of a storage, -1 when there is none.
func (c *compound) find(storage int, name string) int {
	for _, kid := range c.entries[storage].kids {
		if strings.EqualFold(c.entries[kid].name, name) {
			return kid
		}
	}
	return -1
}

// read gives the bytes of a stream, nil for anything else. A damaged stream
// ends early.
func (c *compound) read(number int) []byte {
	if number < 0 || number >= len(c.entries) || c.entries[number].kind != 2 {
		return nil
	}
	e := c.entries[number]
	if e.size >= oleSmall {
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

// stream reads the stream of a name in a storage.
func (c *compound) stream(storage int, name string) []byte { return c.read(c.find(storage, name)) }
