package content

import (
	"bytes"
	"crypto/sha256"
	"io"
	"strings"
)

// File is one file being read: the submitted file, or one inside it. The reader
// of its format adds what it finds: blocks with Add, notes with AddNote, inner
// files with Attach.
type File struct {
	*Part
	Data  io.ReaderAt // nil for an inner file that has no bytes of its own
	Size  int64       // in bytes
	Unzip *int64      // bytes that may still be unpacked, in the whole submission

	reader  Reader // without a function until the format is recognised
	number  int    // of its part in the submission
	mails   int    // mails around it, and itself when it is one
	reading *reading
}

// Err returns the error of the context: not nil when reading must stop.
func (f *File) Err() error { return f.reading.ctx.Err() }

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
// cells of spreadsheets do not count as text: they have limits of their own.
func (f *File) Add(b Block) bool {
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
		f.AddNote(Limit, "too much text: the rest left out")
		if b.Text == "" || room <= 0 {
			return false
		}
		b.Text = strings.ToValidUTF8(b.Text[:min(room, len(b.Text))], "")
	}
	f.reading.text += min(n, room)
	b.Place.Part = f.Name
	f.Blocks = append(f.Blocks, b)
	return n <= room
}

// Attach reads a file found inside this one. When the inner file cannot be
// read, the note of its part says why, and the file around it is read on.
func (f *File) Attach(name string, data []byte) error {
	return f.AttachAs(name, data, Reader{})
}

// AttachAs is Attach for an inner file whose format the file around it states.
func (f *File) AttachAs(name string, data []byte, as Reader) error {
	inner := &File{Data: bytes.NewReader(data), Size: int64(len(data)), reader: as}
	return f.attach(name, inner, sha256.Sum256(data))
}

// AttachObject is AttachAs for an inner file that is an object within the
// structure of the file around it, without bytes of its own. The sum tells it
// from other objects.
func (f *File) AttachObject(name string, sum [sha256.Size]byte, as Reader) error {
	return f.attach(name, &File{reader: as}, sum)
}

// AttachUnread adds the part of an inner file whose bytes cannot be had.
func (f *File) AttachUnread(name string, why *Unreadable) {
	part := &Part{Name: name, Depth: f.Depth + 1, Note: why.Reason, Cause: why.Cause}
	f.reading.parts = append(f.reading.parts, part)
}

// Inner returns the parts of the files attached so far, at any depth.
func (f *File) Inner() []*Part { return f.reading.parts[f.number+1:] }

// Full reports whether the submission has reached its limit of parts or of
// unpacked bytes, so that inner files are of no use.
func (f *File) Full() bool { return len(f.reading.parts) > MaxParts || *f.Unzip <= 0 }
