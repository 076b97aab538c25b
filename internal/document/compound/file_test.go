package compound_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

func TestCompound(t *testing.T) {
	large := strings.Repeat("0123456789", 10_000)
	file := documenttest.Compound("small", "one", "folder/inner", "two", "folder/deep/large", large, "other", strings.Repeat("x", 4095))
	c, err := compound.Open(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	folder := c.Find(compound.Root, "FOLDER")
	if got := string(c.Stream(compound.Root, "small")); got != "one" {
		t.Errorf("small: got %q", got)
	}
	if got := string(c.Stream(folder, "inner")); got != "two" {
		t.Errorf("inner: got %q", got)
	}
	if got := string(c.Stream(c.Find(folder, "deep"), "large")); got != large {
		t.Errorf("large: got %d bytes", len(got))
	}
	if got := len(c.Stream(compound.Root, "other")); got != 4095 {
		t.Errorf("other: got %d bytes", got)
	}
	if c.Stream(compound.Root, "inner") != nil || c.Stream(compound.Root, "folder") != nil {
		t.Error("found a stream where there is none")
	}
	short := file[:len(file)/2]
	if _, err := compound.Open(strings.NewReader(short), int64(len(short))); err == nil {
		return // the first half may well be readable
	} else if bad := new(content.Unreadable); !errors.As(err, &bad) || bad.Cause != content.Damaged {
		t.Errorf("cut short: got error %v", err)
	}
}

// TestCompoundLoops turns every link in the tables of a file into a loop: one at
// a time, and all at once.
func TestCompoundLoops(t *testing.T) {
	file := documenttest.Compound("WordDocument", strings.Repeat("w", 5000), "1Table", "t", "__properties_version1.0", strings.Repeat("p", 300))
	all := []byte(file)
	for at := len(file) - 512; at < len(file)-400; at += 4 {
		one := []byte(file)
		number := uint32((at - len(file) + 512) / 4)
		binary.LittleEndian.PutUint32(one[at:], number)
		binary.LittleEndian.PutUint32(all[at:], number)
		documenttest.Check(t, "a.doc", string(one))
	}
	documenttest.Check(t, "a.doc", string(all))
	for at := 0; at < len(file); at += 4 {
		one := []byte(file)
		binary.LittleEndian.PutUint32(one[at:], 1)
		documenttest.Check(t, "a.doc", string(one))
	}
}

// FuzzCompound changes the bytes of the container. The readers of the formats
// inside read the result.
func FuzzCompound(f *testing.F) {
	record := func(kind int, body string) string {
		return documenttest.Bytes(uint16(kind), uint16(len(body)), body)
	}
	f.Add(documenttest.Compound("WordDocument", "w", "1Table", "t"))
	f.Add(documenttest.Compound("Workbook", record(0x809, "\x00\x06\x10\x00")+record(0x0a, "")))
	f.Add(documenttest.Compound("__properties_version1.0", strings.Repeat("\x00", 32), "__substg1.0_1000001F", documenttest.UTF16("text")))
	f.Fuzz(func(t *testing.T, data string) {
		documenttest.Check(t, "a.doc", compound.Magic+data[min(len(data), 8):])
	})
}
