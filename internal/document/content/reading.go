package content

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Reader reads the files of one format.
type Reader struct {
	Format Format
	Read   func(*File) error
}

// ReadParts reads a document of the given file name and size in bytes into its
// parts. It calls recognise for each file whose format is not known yet. Its
// error is an *Unreadable when the document is to blame. An attachment that
// cannot be read is no error: its Part has a Note.
func ReadParts(ctx context.Context, name string, data io.ReaderAt, size int64, recognise func(*File) (Reader, error)) ([]Part, error) {
	unzip := int64(maxUnzipped)
	r := &reading{ctx: ctx, recognise: recognise, seen: map[[sha256.Size]byte]string{}}
	if err := r.read(&File{Part: &Part{Name: name}, Data: data, Size: size, Unzip: &unzip, reading: r}); err != nil {
		return nil, err
	}
	parts := make([]Part, len(r.parts))
	for i, part := range r.parts {
		parts[i] = *part
	}
	return parts, nil
}

// reading is the state of one submission being read, shared by its files.
type reading struct {
	ctx         context.Context
	recognise   func(*File) (Reader, error)
	parts       []*Part
	seen        map[[sha256.Size]byte]string // names of the attachments read, by content
	attachments int
	text        int // bytes of text kept
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

// attach reads an inner file unless a limit forbids it or a file with the same
// sum was read before.
func (f *File) attach(name string, inner *File, sum [sha256.Size]byte) error {
	r := f.reading
	if len(r.parts) >= MaxParts {
		r.parts[0].AddNote(Limit, fmt.Sprintf("more than %d files inside: the rest left out", MaxParts))
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
