package documenttest

import (
	"strings"

	"understudy.example/internal/document/compound"
)

const (
	sectorSize     = 512
	miniSectorSize = 64
	miniLimit      = 4096 // smaller streams are in the mini stream

	endOfChain = 0xfffffffe
	fatSector  = 0xfffffffd
	freeSector = 0xffffffff
)

// Compound makes a compound file from pairs of a path and a content, with the
// storages that the paths name.
func Compound(pairs ...string) string {
	b := &compoundBuilder{entries: []*compoundEntry{{name: "Root Entry", kind: 5, child: -1, right: -1, last: -1}}}
	storages := map[string]int{"": 0}
	for i := 0; i < len(pairs); i += 2 {
		names := strings.Split(pairs[i], "/")
		parent, path := 0, ""
		for _, name := range names[:len(names)-1] {
			path += name + "/"
			if _, ok := storages[path]; !ok {
				storages[path] = b.add(parent, &compoundEntry{name: name, kind: 1})
			}
			parent = storages[path]
		}
		b.addStream(parent, names[len(names)-1], []byte(pairs[i+1]))
	}
	return b.file()
}

// compoundEntry is a stream or a storage. Its numbers of other entries are -1
// when there is none.
type compoundEntry struct {
	name         string
	kind         byte // 1 storage, 2 stream, 5 root
	start, size  uint32
	child, right int
	last         int // child, to which the next one becomes the right sibling
}

type compoundBuilder struct {
	entries []*compoundEntry
	sectors []byte
	fat     []uint32
	mini    []byte
	miniFAT []uint32
}

// add adds an entry to a storage and returns its number.
func (b *compoundBuilder) add(parent int, e *compoundEntry) int {
	e.child, e.right, e.last = -1, -1, -1
	b.entries = append(b.entries, e)
	number := len(b.entries) - 1
	if last := b.entries[parent].last; last < 0 {
		b.entries[parent].child = number
	} else {
		b.entries[last].right = number
	}
	b.entries[parent].last = number
	return number
}

func (b *compoundBuilder) addStream(parent int, name string, data []byte) {
	e := &compoundEntry{name: name, kind: 2, size: uint32(len(data)), start: endOfChain}
	if len(data) >= miniLimit {
		e.start = b.store(data)
	} else if len(data) > 0 {
		e.start = uint32(len(b.miniFAT))
		data = pad(data, miniSectorSize)
		b.miniFAT = appendChain(b.miniFAT, len(data)/miniSectorSize)
		b.mini = append(b.mini, data...)
	}
	b.add(parent, e)
}

// store writes data into sectors and returns the number of the first one.
func (b *compoundBuilder) store(data []byte) uint32 {
	if len(data) == 0 {
		return endOfChain
	}
	start := len(b.fat)
	data = pad(data, sectorSize)
	b.fat = appendChain(b.fat, len(data)/sectorSize)
	b.sectors = append(b.sectors, data...)
	return uint32(start)
}

func pad(data []byte, size int) []byte {
	for len(data)%size != 0 {
		data = append(data, 0)
	}
	return data
}

func appendChain(table []uint32, length int) []uint32 {
	for range length {
		table = append(table, uint32(len(table)+1))
	}
	table[len(table)-1] = endOfChain
	return table
}

func (b *compoundBuilder) file() string {
	b.entries[0].size = uint32(len(b.mini))
	b.entries[0].start = b.store(b.mini)
	miniFAT := b.store([]byte(Bytes(b.miniFAT)))
	directory := b.store(b.directory())
	// The sectors of the table itself come last.
	first := uint32(len(b.fat))
	tables := 1
	for ; (len(b.fat)+tables)*4 > tables*sectorSize; tables++ {
	}
	var listed []uint32
	for i := range 109 {
		if listed = append(listed, freeSector); i < tables {
			listed[i] = first + uint32(i)
			b.fat = append(b.fat, fatSector)
		}
	}
	for len(b.fat)%(sectorSize/4) != 0 {
		b.fat = append(b.fat, freeSector)
	}
	header := Bytes(compound.Magic, strings.Repeat("\x00", 16), uint16(0x3e), uint16(3), uint16(0xfffe), uint16(9), uint16(6), strings.Repeat("\x00", 10),
		uint32(tables), directory, uint32(0), uint32(miniLimit), miniFAT, uint32((len(b.miniFAT)*4+sectorSize-1)/sectorSize), uint32(endOfChain), uint32(0), listed)
	return header + string(b.sectors) + Bytes(b.fat)
}

func (b *compoundBuilder) directory() []byte {
	number := func(n int) uint32 { return uint32(int32(n)) }
	var directory []byte
	for _, e := range b.entries {
		name := UTF16(e.name)
		directory = append(directory, Bytes(name, strings.Repeat("\x00", 64-len(name)), uint16(len(name)+2), e.kind, uint8(1),
			number(-1), number(e.right), number(e.child), strings.Repeat("\x00", 36), e.start, e.size, uint32(0))...)
	}
	return directory
}
