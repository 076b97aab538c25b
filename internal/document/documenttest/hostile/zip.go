package hostile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// entry is a file of a ZIP archive.
type entry struct {
	name    string
	content string
	packed  *stream // instead of content
}

// zipped returns a ZIP archive of the files.
func zipped(entries ...entry) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		if e.packed == nil {
			method := zip.Deflate
			if len(e.content) < 1000 {
				method = zip.Store
			}
			w, _ := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
			w.Write([]byte(e.content))
			continue
		}
		w, _ := z.CreateRaw(&zip.FileHeader{
			Name: e.name, Method: zip.Deflate, CRC32: e.packed.crc32,
			CompressedSize64: uint64(len(e.packed.deflated)), UncompressedSize64: e.packed.size,
		})
		w.Write(e.packed.deflated)
	}
	z.Close()
	return b.String()
}

// bomb returns a file of an archive that unpacks to size bytes.
func bomb(name, head, filler string, size int, tail string) entry {
	packed := deflate(head, filler, size, tail)
	return entry{name: name, packed: &packed}
}

const letter = "Named Insured: Foxglove Bakery LLC\nMailing Address: 12 Mill Street, Springfield, IL 62701\n"

// copies returns files with nearly the same content.
func copies(n int, extension, content string) []entry {
	files := make([]entry, n)
	for i := range files {
		files[i] = entry{name: fmt.Sprintf("%d.%s", i, extension), content: content + fmt.Sprint(i)}
	}
	return files
}

// archives are ZIP archives.
func archives(s divisor) []Document {
	// Archives within each other: 16 files in each of 4 levels, and 200 MB in the last.
	matryoshka := func() string {
		inner := zipped(bomb("0.txt", letter, "0", 200*mega, ""))
		for range 4 {
			var files []entry
			for i := range 16 {
				files = append(files, entry{name: fmt.Sprintf("%d.zip", i), content: inner + strings.Repeat(" ", i)})
			}
			inner = zipped(files...)
		}
		return inner
	}
	deep := func() string {
		inner := zipped(entry{name: "a.txt", content: letter})
		for range 100 {
			inner = zipped(entry{name: "a.zip", content: inner})
		}
		return inner
	}
	numbered := func(n int) func() string {
		return func() string {
			files := make([]entry, n)
			for i := range files {
				files[i] = entry{name: fmt.Sprintf("%d.txt", i), content: letter + fmt.Sprint(i)}
			}
			return zipped(files...)
		}
	}
	// All entries of the directory are the same data, under other names.
	overlapping := func() string {
		text := zipped(bomb("aaaaaaaa.txt", letter, "0", 100*mega, ""))
		directory := strings.LastIndex(text, "PK\x01\x02")
		end := strings.LastIndex(text, "PK\x05\x06")
		var entries strings.Builder
		const n = 5_000
		for i := range n {
			entries.WriteString(strings.ReplaceAll(text[directory:end], "aaaaaaaa", fmt.Sprintf("%08d", i)))
		}
		tail := []byte(text[end:])
		binary.LittleEndian.PutUint16(tail[8:], n)
		binary.LittleEndian.PutUint16(tail[10:], n)
		binary.LittleEndian.PutUint32(tail[12:], uint32(entries.Len()))
		return text[:directory] + entries.String() + string(tail)
	}
	plain := zipped(entry{name: "a.txt", content: letter})
	header := func(signature string, at int, value string) string { // changes a field of a header
		b := []byte(plain)
		copy(b[strings.Index(plain, signature)+at:], value)
		return string(b)
	}
	return []Document{
		{"zip: 500 MB in one line, packed", "a.zip", "a.txt: too large when unpacked: not read", func() string { return zipped(bomb("a.txt", letter, "0", 500*mega, "")) }},
		{"zip: 500 MB in one line of CSV, packed", "a.zip", "a.csv: too large when unpacked: not read", func() string { return zipped(bomb("a.csv", "Address,City,", "1,", 500*mega, "")) }},
		{"zip: 150 MB of text that compresses badly enough", "a.zip", "a.txt: too large when unpacked: not read", func() string {
			return zipped(bomb("a.txt", letter, strings.Repeat("Named Insured: Quill and Sons, 4 Dock Road\n", 3)+strings.Repeat("ab", 99), 150*mega, ""))
		}},
		{"zip: 50 pages of 140,000 entries", "a.zip", "", func() string {
			return zipped(copies(50, "html", "<p>Named Insured: Foxglove Bakery LLC</p>"+slowPage(s.of(140_000)))...)
		}},
		{"zip: 50 texts of 3.6 million cells", "a.zip", "", func() string {
			return zipped(copies(50, "txt", letter+"\n"+strings.Repeat(strings.Repeat("|", 901)+"\n", s.of(4000)))...)
		}},
		{"zip: 40 texts of lines in columns that are not aligned", "a.zip", "", func() string {
			line := strings.Repeat("a   ", 2500) + "a\n"
			return zipped(copies(40, "txt", letter+"\n"+strings.Repeat(line, s.of(400))+" b"+line)...)
		}},
		{"zip: 50 statements of 9,900 locations", "a.zip", "", func() string { return zipped(copies(50, "csv", schedule(s.of(9_900))())...) }},
		{"zip: 65,536 archives of 200 MB within each other", "a.zip", "too large when unpacked", matryoshka},
		{"zip: 100 archives within each other", "a.zip", "nested too deeply", deep},
		{"zip: 5,000 names for the same 100 MB", "a.zip", "00000000.txt: too large when unpacked: not read", overlapping},
		{"zip: 100,000 files", "a.zip", "more than 10000 files inside", numbered(many)},
		{"zip: 9,000 files", "a.zip", "", numbered(9_000)},
		{"zip: files outside of the archive", "a.zip", "", zipped(entry{name: "../../../../etc/passwd", content: letter}, entry{name: "/etc/shadow", content: "x"}, entry{name: "a\x00b.txt", content: "y"})},
		{"zip: encrypted", "a.zip", "a.txt: password protected", header("PK\x01\x02", 8, "\x01\x00")},
		{"zip: an unknown method", "a.zip", "a.txt: damaged file in a zip archive", header("PK\x01\x02", 10, "\x63\x00")},
		{"zip: a file of 4 GB by its header", "a.zip", "", header("PK\x01\x02", 24, "\xfe\xff\xff\xff")},
		{"zip: a file of no bytes by its header", "a.zip", "a.txt: damaged file in a zip archive", header("PK\x01\x02", 24, "\x00\x00\x00\x00")},
		{"zip: a file beyond the archive", "a.zip", "a.txt: damaged file in a zip archive", header("PK\x01\x02", 42, "\xff\xff\xff\x7f")},
		{"zip: 65,535 entries by its directory", "a.zip", "damaged zip archive", header("PK\x05\x06", 8, "\xff\xff\xff\xff")},
		{"zip: a directory beyond the archive", "a.zip", "a.txt: damaged file in a zip archive", header("PK\x05\x06", 16, "\xff\xff\xff\x7f")},
		{"zip: cut", "a.zip", "damaged zip archive", plain[:len(plain)-30]},
		{"zip: only a header", "a.zip", "damaged zip archive", "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00"},
		{"zip: no files", "a.zip", "no document in the zip archive", zipped()},
	}
}
