package hostile

import (
	"encoding/binary"
	"fmt"
	"strings"

	"understudy.example/internal/document/documenttest"
)

// data joins values as bytes.
func data(values ...any) string { return documenttest.Bytes(values...) }

// record returns a record of an Excel 97-2003 workbook.
func record(kind int, values ...any) string {
	content := data(values...)
	return data(uint16(kind), uint16(len(content))) + content
}

// xls returns an Excel 97-2003 workbook with records before its sheet and in it.
func xls(globals, sheet string) string { return xlsOf(1, globals, sheet) }

// xlsOf returns an Excel 97-2003 workbook with a number of sheets that all consist of the same
// records.
func xlsOf(sheets int, globals, sheet string) string {
	const begin, end = 0x809, 0x0a
	head := record(begin, uint16(0x600), uint16(5), uint32(0), uint64(0))
	tail := record(end)
	const listed = 0x85
	name := func(at int) string { return record(listed, uint32(at), uint16(0), uint8(1), uint8(0), "A") }
	at := len(head) + len(globals) + sheets*len(name(0)) + len(tail)
	return documenttest.Compound("Workbook", head+globals+strings.Repeat(name(at), sheets)+tail+record(begin, uint16(0x600), uint16(0x10), uint32(0), uint64(0))+sheet+tail)
}

// doc returns a Word 97-2003 document, with its header changed.
func doc(change func(header []byte), table string) string { return docOf(letter, change, table) }

// docOf returns a Word 97-2003 document of a text, with its header changed.
func docOf(text string, change func(header []byte), table string) string {
	main := make([]byte, 0x400, 0x1000)
	le := binary.LittleEndian
	le.PutUint16(main, 0xa5ec)
	le.PutUint16(main[2:], 0xc1)
	le.PutUint16(main[10:], 0x0200) // the table is in the stream 1Table
	le.PutUint16(main[32:], 14)
	le.PutUint16(main[62:], 22)
	le.PutUint32(main[24:], 0x400)
	le.PutUint32(main[28:], 0x400+uint32(len(text)))
	le.PutUint32(main[76:], uint32(len(text)))
	le.PutUint16(main[152:], 93)
	pieces := data(uint8(2), uint32(16), uint32(0), uint32(len(text)), uint16(0), uint32(0x400*2|1<<30), uint16(0))
	if table != "" {
		pieces = table
	}
	le.PutUint32(main[418:], 0)
	le.PutUint32(main[422:], uint32(len(pieces)))
	change(main)
	main = append(main, text...)
	return documenttest.Compound("WordDocument", string(main)+strings.Repeat("\x00", 4096), "1Table", pieces+strings.Repeat("\x00", 4096))
}

// binaries are workbooks and documents of Office 97-2003 whose streams are hostile.
func binaries() []Document {
	number := func(row, column int) string {
		return record(0x203, uint16(row), uint16(column), uint16(0), 7.0)
	}
	label := record(0x204, uint16(0), uint16(0), uint16(0), uint16(13), uint8(0), "Named Insured") + record(0x204, uint16(0), uint16(1), uint16(0), uint16(8), uint8(0), "Foxglove")
	field := func(at int, value uint32) func([]byte) {
		return func(header []byte) { binary.LittleEndian.PutUint32(header[at:], value) }
	}
	unchanged := func([]byte) {}
	manyPieces := func() string {
		var ends, pieces strings.Builder
		for i := range many + 1 {
			ends.WriteString(data(uint32(i % len(letter))))
		}
		for range many {
			pieces.WriteString(data(uint16(0), uint32(0x400*2|1<<30), uint16(0)))
		}
		return doc(unchanged, data(uint8(2), uint32(ends.Len()+pieces.Len()))+ends.String()+pieces.String())
	}
	// repeated returns a document whose pieces, after the first one, are all the same 20,000
	// characters.
	repeated := func(first, text string) func() string {
		return func() string {
			const size = 20_000
			from := len(letter) + len(first)
			var ends, pieces strings.Builder
			ends.WriteString(data(uint32(0), uint32(from)))
			pieces.WriteString(data(uint16(0), uint32(0x400*2|1<<30), uint16(0)))
			for i := range many / 2 {
				ends.WriteString(data(uint32(from + (i+1)*size)))
				pieces.WriteString(data(uint16(0), uint32((0x400+from)*2|1<<30), uint16(0)))
			}
			return docOf(letter+first+strings.Repeat(text, size/len(text)), func(header []byte) {
				binary.LittleEndian.PutUint32(header[76:], 1<<30)
			}, data(uint8(2), uint32(ends.Len()+pieces.Len()))+ends.String()+pieces.String())
		}
	}
	return []Document{
		{"xls: two billion shared texts by their number", "a.xls", "", xls(record(0xfc, uint32(2_000_000_000), uint32(2_000_000_000), uint16(4), uint8(0), "City"), label)},
		{"xls: a shared text of 65,535 characters that is not there", "a.xls", "", xls(record(0xfc, uint32(1), uint32(1), uint16(65_535), uint8(1), "C"), label)},
		{"xls: 100,000 continued records", "a.xls", "", func() string {
			return xls(record(0xfc, uint32(1), uint32(1), uint16(65_535), uint8(0), "C")+strings.Repeat(record(0x3c, uint8(0), "x"), many), label)
		}},
		{"xls: a sheet that starts at itself", "a.xls", "more than 50 sheets: the rest was skipped", xls(strings.Repeat(record(0x85, uint32(0), uint16(0), uint8(1), uint8(0), "B"), 1000), label)},
		{"xls: a sheet beyond the file", "a.xls", "", xls(record(0x85, uint32(0x7fffffff), uint16(0), uint8(1), uint8(0), "B"), label)},
		{"xls: a record that is longer than the file", "a.xls", "", xls("", label+data(uint16(0x203), uint16(0xffff))+"x")},
		{"xls: 300,000 cells at the last place", "a.xls", "", func() string { return xls("", label+strings.Repeat(number(65_535, 255), 300_000)) }},
		{"xls: a column beyond the last", "a.xls", "", xls("", label+number(0, 65_535))},
		{"xls: a range of cells that ends before it starts", "a.xls", "", xls("", label+record(0xbd, uint16(0), uint16(9), uint16(0), uint32(7), uint16(1)))},
		{"xls: 8,000 merged cells of all cells", "a.xls", "", func() string {
			return xls("", label+strings.Repeat(record(0xe5, uint16(8), strings.Repeat(data(uint16(0), uint16(65_535), uint16(0), uint16(255)), 8)), 1000))
		}},
		{"xls: sheets nested 100,000 deep", "a.xls", "", func() string {
			return xls("", label+strings.Repeat(record(0x809, uint16(0x600), uint16(0x20), uint32(0)), many))
		}},
		{"xls: 50 sheets are the same numbers in the same row", "a.xls", "", func() string {
			return xlsOf(50, "", label+strings.Repeat(record(0xbd, uint16(9), uint16(0), strings.Repeat("\x00\x00\x00\x00\x10\x41", 900), uint16(9)), 1000))
		}},
		{"xls: 50 sheets are the same numbers beyond the last column", "a.xls", "", func() string {
			return xlsOf(50, "", label+strings.Repeat(record(0xbd, uint16(9), uint16(2000), strings.Repeat("\x00\x00\x00\x00\x10\x41", 1300), uint16(9)), 700))
		}},
		{"xls: 50 sheets are the same empty cells", "a.xls", "", func() string {
			return xlsOf(50, "", label+strings.Repeat(record(0x204, uint16(9), uint16(0), uint16(0)), 600_000))
		}},
		{"xls: 300,000 cells share 50,000 NUL", "a.xls", "", func() string {
			shared := record(0xfc, uint32(1), uint32(1), uint16(50_000), uint8(0), strings.Repeat("\x00", 8000)) + strings.Repeat(record(0x3c, uint8(0), strings.Repeat("\x00", 8000)), 6)
			return xls(shared, label+strings.Repeat(record(0xfd, uint16(9), uint16(0), uint16(0), uint32(0)), 300_000))
		}},
		{"xls: encrypted", "a.xls", "password protected", xls(record(0x2f, uint16(1), strings.Repeat("x", 52)), label)},
		{"xls: records without a container, cut", "a.xls", "", record(0x809, uint16(0x600), uint16(0x10), uint32(0)) + label + "\x03"},
		{"doc: text beyond the file", "a.doc", "", doc(field(24, 0x7fffffff), "")},
		{"doc: two billion characters", "a.doc", "", doc(field(76, 2_000_000_000), "")},
		{"doc: a list of pieces beyond the file", "a.doc", "damaged Word document", doc(field(418, 0x7fffffff), "")},
		{"doc: a list of pieces of two billion bytes", "a.doc", "", doc(field(422, 2_000_000_000), "")},
		{"doc: a piece of two billion characters", "a.doc", "", doc(unchanged, data(uint8(2), uint32(16), uint32(0), uint32(2_000_000_000), uint16(0), uint32(0x400*2|1<<30), uint16(0)))},
		{"doc: 100,000 pieces are the same text", "a.doc", "", manyPieces},
		{"doc: 50,000 pieces are the same blank paragraphs", "a.doc", "", repeated("\r", " \r")},
		{"doc: 50,000 pieces are the same empty cells", "a.doc", "", repeated("\r", "\x07")},
		{"doc: 50,000 pieces are the same brackets in a field", "a.doc", "", repeated("\r\x13", "(")},
		{"doc: 5 million characters that are no text in 1,000 fields", "a.doc", "", func() string {
			text := letter + "\r" + strings.Repeat("\x13\x14", 1000) + strings.Repeat("\x02", 5_000_000)
			return docOf(text, unchanged, "")
		}},
		{"doc: 700,000 names of the same page of paragraphs", "a.doc", "", func() string {
			pieces := data(uint8(2), uint32(16), uint32(0), uint32(len(letter)), uint16(0), uint32(0x400*2|1<<30), uint16(0))
			const n = 700_000
			pages := strings.Repeat(data(uint32(0)), n+1) + strings.Repeat(data(uint32(2)), n)
			return doc(func(header []byte) {
				le := binary.LittleEndian
				le.PutUint32(header[0x102:], uint32(len(pieces)))
				le.PutUint32(header[0x106:], uint32(len(pages)))
				le.PutUint32(header[0x1a6:], uint32(len(pieces)))
			}, pieces+pages)
		}},
		{"doc: a list of pieces after 100,000 other lists", "a.doc", "damaged Word document", func() string { return doc(unchanged, strings.Repeat(data(uint8(1), uint16(0)), many)) }},
		{"doc: encrypted", "a.doc", "password protected", doc(func(header []byte) { header[11] |= 1 }, "")},
		{"doc: only a header", "a.doc", "damaged Word document", documenttest.Compound("WordDocument", "\xec\xa5\xc1\x00")},
	}
}

// compounds are containers of Office 97-2003 and Outlook whose tables are hostile.
func compounds() []Document {
	good := xls("", record(0x204, uint16(0), uint16(0), uint16(0), uint16(8), uint8(0), "Foxglove"))
	// header returns the container with a field of its header changed.
	header := func(at int, value uint32) string {
		b := []byte(good)
		binary.LittleEndian.PutUint32(b[at:], value)
		return string(b)
	}
	// fat returns a container whose sector table is changed: each sector follows itself.
	fat := func(next func(sector uint32) uint32) string {
		b := []byte(documenttest.Compound("Workbook", strings.Repeat("\x00", 200_000)))
		first := binary.LittleEndian.Uint32(b[76:])
		table := b[512+512*int(first):]
		for i := range len(table) / 4 {
			binary.LittleEndian.PutUint32(table[4*i:], next(uint32(i)))
		}
		return string(b)
	}
	// directory returns a container in whose directory the entries refer to the given one.
	directory := func(entry uint32) string {
		b := []byte(documenttest.Compound("Workbook", "x", "a/b", "y", "a/c", "z", "d/e", "w"))
		at := 512 + 512*int(binary.LittleEndian.Uint32(b[48:]))
		for i := range 4 {
			for _, link := range []int{68, 72, 76} {
				binary.LittleEndian.PutUint32(b[at+128*i+link:], entry)
			}
		}
		return string(b)
	}
	property := func(folder string, id int, text string) []string {
		return []string{fmt.Sprintf("%s__substg1.0_%04X001F", folder, id), documenttest.UTF16(text)}
	}
	msg := func(more ...string) string {
		pairs := []string{"__properties_version1.0", strings.Repeat("\x00", 32)}
		pairs = append(pairs, property("", 0x37, "Submission")...)
		pairs = append(pairs, property("", 0x1000, letter)...)
		return documenttest.Compound(append(pairs, more...)...)
	}
	compressed := func(size uint32, content string) string {
		return msg("__substg1.0_10090102", data(uint32(len(content)+12), size, uint32(0x75465a4c), uint32(0), content))
	}
	attachments := func(n int) func() string {
		return func() string {
			var pairs []string
			for i := range n {
				folder := fmt.Sprintf("__attach_version1.0_#%08X/", i)
				pairs = append(pairs, property(folder, 0x3707, fmt.Sprintf("%d.txt", i))...)
				pairs = append(pairs, folder+"__substg1.0_37010102", letter+fmt.Sprint(i))
			}
			return msg(pairs...)
		}
	}
	messages := func() string {
		var pairs []string
		var folder strings.Builder
		for range 200 {
			folder.WriteString("__attach_version1.0_#00000000/__substg1.0_3701000D/")
			pairs = append(pairs, folder.String()+"__properties_version1.0", strings.Repeat("\x00", 24))
			pairs = append(pairs, property(folder.String(), 0x1000, letter)...)
		}
		return msg(pairs...)
	}
	return []Document{
		{"compound: each sector follows itself", "a.xls", "damaged Excel workbook", fat(func(sector uint32) uint32 { return sector })},
		{"compound: the sectors follow each other in a circle", "a.xls", "damaged Excel workbook", fat(func(sector uint32) uint32 { return (sector + 1) % 390 })},
		{"compound: all sectors are followed by the last", "a.xls", "damaged Excel workbook", fat(func(uint32) uint32 { return 0xfffffffd })},
		{"compound: the directory refers to its root", "a.xls", "OLE container: not supported", directory(0)},
		{"compound: the directory refers to itself", "a.xls", "damaged Excel workbook", directory(1)},
		{"compound: the directory refers beyond its end", "a.xls", "OLE container: not supported", directory(0x7fffffff)},
		{"compound: a sector size of 2^31", "a.xls", "", header(30, 0x0006001f)},
		{"compound: two billion sectors of the table", "a.xls", "", header(44, 2_000_000_000)},
		{"compound: the list of the table is in a cycle", "a.xls", "", header(68, 0)},
		{"compound: the directory is beyond the file", "a.xls", "damaged Office 97-2003 file", header(48, 0x7fffffff)},
		{"compound: only a header", "a.doc", "damaged Office 97-2003 file", good[:512]},
		{"compound: cut", "a.xls", "damaged Office 97-2003 file", good[:len(good)/2]},
		{"compound: an encrypted package", "a.docx", "password protected", documenttest.Compound("EncryptedPackage", strings.Repeat("x", 5000), "EncryptionInfo", "y")},
		{"msg: 200 messages within each other", "a.msg", "", messages},
		{"msg: 5,000 attachments", "a.msg", "", attachments(5_000)},
		{"msg: packed text of four billion bytes", "a.msg", "", compressed(0xffffffff, "\x01\x00\x00")},
		{"msg: packed text that repeats itself", "a.msg", "", func() string { return compressed(1<<30, strings.Repeat("\xff"+strings.Repeat("\x00\x0f", 8), 300_000)) }},
		{"msg: a text of 6 MB", "a.msg", "", func() string { return msg("__substg1.0_1000001F", strings.Repeat("a\x00", 3*mega)) }},
	}
}
