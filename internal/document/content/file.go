package content

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Reader reads the files of one format.
type Reader struct {
	Format Format
	Read   func(*File) error
}

// ReadParts reads a document of the given file name and size in bytes into its
// parts. It calls recognise for each file whose format is not known yet. Its
// error is an *Unreadable when the document is to blame. An attachment that
// cannot be read is no error: its Part has a Note. With positions, blocks on pages have
// Spans.
func ReadParts(ctx context.Context, name string, data io.ReaderAt, size int64, positions bool, recognise func(*File) (Reader, error)) ([]Part, error) {
	unzip := int64(maxUnzipped)
	r := &reading{ctx: ctx, recognise: recognise, positions: positions, seen: map[[sha256.Size]byte]string{}}
	if err := r.read(&File{Part: &Part{Name: name}, Data: data, Size: size, Unzip: &unzip, reading: r}); err != nil {
		return nil, err
	}
	parts := make([]Part, len(r.parts))
	for i, part := range r.parts {
		parts[i] = *part
	}
	return parts, nil
}

// File is one file being read: the submitted file, or one inside it. The reader
// of its format adds what it finds: blocks with Add, notes with AddNote, inner
// files with Attach.
type File struct {
	*Part
	Data  io.ReaderAt // nil for an inner file that has no bytes of its own
	Size  int64       // in bytes
	Unzip *int64      // bytes that may still be unpacked, in the whole submission

	reader  Reader // its Read is nil until the format is recognised
	number  int    // of its part in the submission
	mails   int    // mails around it, and itself when it is one
	reading *reading
}

// reading is the state of one submission being read, shared by its files.
type reading struct {
	ctx         context.Context
	recognise   func(*File) (Reader, error)
	parts       []*Part
	seen        map[[sha256.Size]byte]string // names of the attachments read, by the sum of their content
	positions   bool                         // of text on pages are asked for
	attachments int
	text        int // bytes of text kept
	blocks      int
	cells       int             // of tables kept
	budgets     map[string]*int // of the readers, by their names
}

// read adds the part of a file, and those inside it. A file that yields nothing
// is an error only when it is the submission itself.
func (r *reading) read(f *File) error {
	f.number = len(r.parts)
	r.parts = append(r.parts, f.Part)
	err := r.readContent(f)
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	var bad *Unreadable
	if !errors.As(err, &bad) {
		return err
	}
	if f.Depth == 0 && !slices.ContainsFunc(r.parts, (*Part).WasRead) {
		return bad
	}
	f.AddNote(bad.Cause, bad.Reason)
	return nil
}

func (r *reading) readContent(f *File) (err error) {
	defer func() {
		if recover() != nil {
			err = Errorf(Damaged, "damaged file")
		}
	}()
	if f.reader.Read == nil {
		if f.reader, err = r.recognise(f); err != nil {
			return err
		}
	}
	if f.Depth > 0 && (f.reader.Format == EML || f.reader.Format == MSG) {
		if f.mails++; f.mails > maxMailDepth {
			return Errorf(Limit, "nested too deeply: not read")
		}
	}
	f.Format = f.reader.Format
	return f.reader.Read(f)
}

// Err returns the error of the context: not nil when reading must stop.
func (f *File) Err() error { return f.reading.ctx.Err() }

// Positions reports whether blocks on pages must have Spans.
func (f *File) Positions() bool { return f.reading.positions }

// Budget returns a counter that the readers of all files of the submission share: how much of
// some work they may still do. It starts at the limit. When it is used up, the readers skip what
// needs more of it.
func (f *File) Budget(name string, limit int) *int {
	r := f.reading
	if r.budgets[name] == nil {
		if r.budgets == nil {
			r.budgets = map[string]*int{}
		}
		r.budgets[name] = &limit
	}
	return r.budgets[name]
}

// Cells returns how many cells of tables can still be added, in the whole submission.
func (f *File) Cells() int { return maxCells - f.reading.cells }

// Room returns how many bytes of text can still be added, in the whole submission.
func (f *File) Room() int {
	if f.reading.blocks >= maxBlocks {
		return 0
	}
	return max(MaxText-f.reading.text, 0)
}

// NoteFull notes that text was skipped because there is no room for it.
func (f *File) NoteFull() { f.AddNote(Limit, "too much text: the rest was skipped") }

// Bytes returns the content of the file.
func (f *File) Bytes() ([]byte, error) { return f.FirstBytes(f.Size) }

// FirstBytes returns the content of the file up to a number of bytes.
func (f *File) FirstBytes(limit int64) ([]byte, error) {
	data := make([]byte, min(f.Size, limit))
	n, err := f.Data.ReadAt(data, 0)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// Add adds a block to the part and reports whether there is room for more. The
// cells of spreadsheets do not count as text: they have limits of their own. A table is
// cut to the rows for which there is room.
func (f *File) Add(b Block) bool {
	if f.reading.blocks++; f.reading.blocks > maxBlocks {
		f.NoteFull()
		return false
	}
	if b.Table != nil {
		f.fitTable(b.Table)
	}
	n := len(b.Text) + len(b.Label) + len(b.Value)
	if b.Table != nil && f.Format != XLSX && f.Format != XLS && f.Format != CSV {
		for _, row := range b.Table.Rows {
			for _, c := range row {
				n += len(c.Text)
			}
		}
	}
	room := MaxText - f.reading.text
	if n > room {
		f.NoteFull()
		if b.Text == "" || room <= 0 {
			return false
		}
		b.Text = strings.ToValidUTF8(b.Text[:min(room, len(b.Text))], "")
	}
	f.reading.text += min(n, room)
	b.Place.Part = f.Name
	if len(f.Blocks) == cap(f.Blocks) {
		f.Expect(len(f.Blocks) + 1) // append would copy a large list many times
	}
	f.Blocks = append(f.Blocks, b)
	return n <= room
}

// Expect reserves memory for a number of blocks that will be added, up to the limit on blocks.
func (f *File) Expect(blocks int) {
	f.Blocks = slices.Grow(f.Blocks, max(min(blocks, maxBlocks-f.reading.blocks+1), 0))
}

// fitTable cuts a table to the rows whose cells still fit, and counts those cells.
func (f *File) fitTable(t *Table) {
	for i, row := range t.Rows {
		if len(row) > f.Cells() {
			f.AddNote(Limit, fmt.Sprintf("more than %d cells in all tables: the rest was skipped", maxCells))
			t.Rows = t.Rows[:i]
			return
		}
		f.reading.cells += len(row)
	}
}

// Attach reads a file found inside this one. An inner file that cannot be read
// is no error: the note of its part says why.
func (f *File) Attach(name string, data []byte) error {
	return f.AttachAs(name, data, Reader{})
}

// AttachAs is Attach for an inner file whose format the file around it states.
func (f *File) AttachAs(name string, data []byte, as Reader) error {
	inner := &File{Data: bytes.NewReader(data), Size: int64(len(data)), reader: as}
	return f.attachFile(name, inner, sha256.Sum256(data))
}

// AttachObject is AttachAs for an inner file that has no bytes of its own, because
// it is an object within the structure of the file around it. Objects with the
// same sum are the same.
func (f *File) AttachObject(name string, sum [sha256.Size]byte, as Reader) error {
	return f.attachFile(name, &File{reader: as}, sum)
}

// AttachUnread adds the part of an inner file that is not read.
func (f *File) AttachUnread(name string, why *Unreadable) {
	part := &Part{Name: name, Depth: f.Depth + 1, Note: why.Reason, Cause: why.Cause}
	f.reading.parts = append(f.reading.parts, part)
}

// Inner returns the parts of the files attached so far, at any depth.
func (f *File) Inner() []*Part { return f.reading.parts[f.number+1:] }

// Full reports whether the submission has reached its limit of parts or of
// unpacked bytes, so that no further inner file can be read.
func (f *File) Full() bool { return len(f.reading.parts) > MaxParts || *f.Unzip <= 0 }

// attachFile reads an inner file unless a limit forbids it or a file with the same
// sum was read before.
func (f *File) attachFile(name string, inner *File, sum [sha256.Size]byte) error {
	r := f.reading
	if len(r.parts) >= MaxParts {
		r.parts[0].AddNote(Limit, fmt.Sprintf("more than %d files inside: the rest was skipped", MaxParts))
		return nil
	}
	first, again := r.seen[sum]
	switch {
	case f.Depth+1 > MaxDepth:
		f.AttachUnread(name, &Unreadable{Limit, "nested too deeply: not read"})
		return nil
	case again:
		f.AttachUnread(name, &Unreadable{Repeated, "same content as " + first + ": read once"})
		return nil
	case r.attachments >= maxAttachments:
		f.AttachUnread(name, &Unreadable{Limit, fmt.Sprintf("more than %d attachments: not read", maxAttachments)})
		return nil
	}
	r.seen[sum] = name
	r.attachments++
	inner.Part = &Part{Name: name, Depth: f.Depth + 1}
	inner.Unzip, inner.mails, inner.reading = f.Unzip, f.mails, r
	return r.read(inner)
}
