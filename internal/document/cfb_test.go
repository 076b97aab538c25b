package document

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
)

// little gives numbers as little-endian bytes: uint8, uint16 and uint32 as
// they are, text as its bytes.
func little(values ...any) string {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case string:
			b = append(b, v...)
		default:
			b, _ = binary.Append(b, binary.LittleEndian, v)
		}
	}
	return string(b)
}

func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}

// compoundOf makes an OLE container of path and content pairs. Folders come
// into being by being named.
func compoundOf(pairs ...string) string {
	type entry struct {
		name         string
		kind         byte
		start, size  uint32
		child, right int
		last         int // kid, to which the next one is the right sibling
	}
	entries := []*entry{{name: "Root Entry", kind: 5, child: -1, right: -1, last: -1}}
	add := func(parent int, e *entry) int {
		e.child, e.right, e.last = -1, -1, -1
		entries = append(entries, e)
		number := len(entries) - 1
		if last := entries[parent].last; last < 0 {
			entries[parent].child = number
		} else {
			entries[last].right = number
		}
		entries[parent].last = number
		return number
	}
	folders := map[string]int{"": 0}
	var sectors []byte
	var fat, miniFAT []uint32
	store := func(data []byte) uint32 {
		start := len(fat)
		for len(data)%512 != 0 {
			data = append(data, 0)
		}
		for range len(data) / 512 {
			fat = append(fat, uint32(len(fat)+1))
		}
		if len(data) == 0 {
			return 0xfffffffe
		}
		fat[len(fat)-1] = 0xfffffffe
		sectors = append(sectors, data...)
		return uint32(start)
	}
	var mini []byte
	for i := 0; i < len(pairs); i += 2 {
		parts := strings.Split(pairs[i], "/")
		parent, path := 0, ""
		for _, folder := range parts[:len(parts)-1] {
			path += folder + "/"
			if _, ok := folders[path]; !ok {
				folders[path] = add(parent, &entry{name: folder, kind: 1})
			}
			parent = folders[path]
		}
		content := []byte(pairs[i+1])
		e := &entry{name: parts[len(parts)-1], kind: 2, size: uint32(len(content)), start: 0xfffffffe}
		if len(content) >= 4096 {
			e.start = store(content)
		} else if len(content) > 0 {
			e.start = uint32(len(miniFAT))
			for len(content)%64 != 0 {
				content = append(content, 0)
			}
			for range len(content) / 64 {
				miniFAT = append(miniFAT, uint32(len(miniFAT)+1))
			}
			miniFAT[len(miniFAT)-1] = 0xfffffffe
			mini = append(mini, content...)
		}
		add(parent, e)
	}
	entries[0].size = uint32(len(mini))
	entries[0].start = store(mini)
	miniAt := store([]byte(little(miniFAT)))
	var directory []byte
	for _, e := range entries {
		name := wide(e.name)
		number := func(n int) uint32 { return uint32(int32(n)) }
		directory = append(directory, little(name, strings.Repeat("\x00", 64-len(name)), uint16(len(name)+2), e.kind, uint8(1),
			number(-1), number(e.right), number(e.child), strings.Repeat("\x00", 36), e.start, e.size, uint32(0))...)
	}
	directoryAt := store(directory)
	// The table's own sectors come last.
	first := uint32(len(fat))
	tables := 1
	for ; (len(fat)+tables)*4 > tables*512; tables++ {
	}
	var listed []uint32
	for i := range 109 {
		if listed = append(listed, 0xffffffff); i < tables {
			listed[i] = first + uint32(i)
			fat = append(fat, 0xfffffffd)
		}
	}
	for len(fat)%128 != 0 {
		fat = append(fat, 0xffffffff)
	}
	head := little(oleMagic, strings.Repeat("\x00", 16), uint16(0x3e), uint16(3), uint16(0xfffe), uint16(9), uint16(6), strings.Repeat("\x00", 10),
		uint32(tables), directoryAt, uint32(0), uint32(4096), miniAt, uint32((len(miniFAT)*4+511)/512), uint32(0xfffffffe), uint32(0), listed)
	return head + string(sectors) + little(fat)
}

func TestCompound(t *testing.T) {
	large := strings.Repeat("0123456789", 10_000)
	file := compoundOf("small", "one", "folder/inner", "two", "folder/deep/large", large, "other", strings.Repeat("x", 4095))
	c, err := openCompound(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	folder := c.find(0, "FOLDER")
	if got := string(c.stream(0, "small")); got != "one" {
		t.Errorf("small: %q", got)
	}
	if got := string(c.stream(folder, "inner")); got != "two" {
		t.Errorf("inner: %q", got)
	}
	if got := string(c.stream(c.find(folder, "deep"), "large")); got != large {
		t.Errorf("large: %d bytes", len(got))
	}
	if got := len(c.stream(0, "other")); got != 4095 {
		t.Errorf("other: %d bytes", got)
	}
	if c.stream(0, "inner") != nil || c.stream(0, "folder") != nil {
		t.Error("a stream was found where there is none")
	}
	short := file[:len(file)/2]
	if _, err := openCompound(strings.NewReader(short), int64(len(short))); err == nil {
		return // what is left may well be read
	} else if bad := new(Unreadable); !errors.As(err, &bad) || bad.Cause != Damaged {
		t.Errorf("cut short: %v", err)
	}
}

// TestCompoundLoops turns every link of the container's tables into a loop, one
// at a time and all at once.
func TestCompoundLoops(t *testing.T) {
	file := compoundOf("WordDocument", strings.Repeat("w", 5000), "1Table", "t", "__properties_version1.0", strings.Repeat("p", 300))
	all := []byte(file)
	for at := len(file) - 512; at < len(file)-400; at += 4 {
		one := []byte(file)
		number := uint32((at - len(file) + 512) / 4)
		binary.LittleEndian.PutUint32(one[at:], number)
		binary.LittleEndian.PutUint32(all[at:], number)
		check(t, "a.doc", string(one))
	}
	check(t, "a.doc", string(all))
	for at := 0; at < len(file); at += 4 {
		one := []byte(file)
		binary.LittleEndian.PutUint32(one[at:], 1)
		check(t, "a.doc", string(one))
	}
}
