package document

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

// Limits of one submission. They bound memory and time whatever the bytes say.
const (
	maxAttachments = 50
	maxParts       = 1_000
	maxDepth       = 6         // files within files, of any kind
	maxMailDepth   = 3         // mails attached to mails
	maxText        = 5_000_000 // bytes of text kept in all parts
	maxTextFile    = 32 << 20  // bytes of a plain text or a CSV table that are read
)

// Unreadable is the error of a document that yields nothing for a cause of its
// own, such as a needed password; its text is the reason, fit to be shown.
type Unreadable struct {
	Cause  Cause
	Reason string
}

func (e *Unreadable) Error() string { return e.Reason }

func unreadable(cause Cause, format string, args ...any) error {
	return &Unreadable{Cause: cause, Reason: fmt.Sprintf(format, args...)}
}

// Read reads the document of the given file name and size in bytes into
// its parts. Its error is an *Unreadable when the document is to blame. A bad
// attachment is no error: its Part has a Note.
func Read(ctx context.Context, name string, document io.ReaderAt, size int64) ([]Part, error) {
	r := &reading{ctx: ctx, seen: map[[sha256.Size]byte]string{}}
	unzip := int64(maxUnzipped)
	if err := r.read(source{name: name, data: document, size: size, unzip: &unzip}); err != nil {
		return nil, err
	}
	parts := make([]Part, len(r.parts))
	for i, part := range r.parts {
		parts[i] = *part
	}
	return parts, nil
}

// reading is the state of one submission being read.
type reading struct {
	ctx         context.Context
	parts       []*Part
	seen        map[[sha256.Size]byte]string // attachments read, by content
	attachments int
	text        int // bytes of text kept
}

// source is one file to be read: the submitted one or one inside it.
type source struct {
	name  string
	data  io.ReaderAt
	size  int64
	depth int
	mails int    // mails around it, and itself when it is one
	kind  kind   // when it is known without looking
	unzip *int64 // bytes that may still be unpacked, from all containers

	// A message inside an Outlook message is a folder of the same file.
	folder  *compound
	storage int
}

func (s source) bytes() ([]byte, error) {
	data := make([]byte, s.size)
	n, err := s.data.ReadAt(data, 0)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// start gives the bytes of a text, up to more than is kept of any.
func (s source) start(part *Part) ([]byte, error) {
	if s.size > maxTextFile {
		s.size = maxTextFile
		part.note(Limit, "more than 32 MiB: the rest left out")
	}
	return s.bytes()
}

// read adds the part of a source, and those inside it. A source that yields
// nothing is an error only when it is the submission itself.
func (r *reading) read(src source) error {
	part := &Part{Name: src.name, Depth: src.depth}
	r.parts = append(r.parts, part)
	err := r.fill(part, src)
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	var bad *Unreadable
	if !errors.As(err, &bad) {
		return err
	}
	if src.depth == 0 && !slices.ContainsFunc(r.parts, (*Part).read) {
		return bad
	}
	part.note(bad.Cause, bad.Reason)
	return nil
}

func (r *reading) fill(part *Part, src source) (err error) {
	defer func() {
		if recover() != nil {
			err = unreadable(Damaged, "damaged file")
		}
	}()
	if src.kind == "" {
		if src.kind, err = sniff(src); err != nil {
			return err
		}
	}
	if src.depth > 0 && (src.kind == kindMail || src.kind == kindMSG) {
		if src.mails++; src.mails > maxMailDepth {
			return unreadable(Limit, "nested too deeply: not read")
		}
	}
	format, fill := readerOf(src.kind)
	if fill == nil {
		return unreadable(Unsupported, "%s: not supported", src.kind)
	}
	part.Format = format
	return fill(r, part, src)
}

// readerOf is the list of formats that are read. A new format is one line here
// and, when its bytes are not yet told apart, one in sniff.go.
func readerOf(k kind) (Format, func(*reading, *Part, source) error) {
	switch k {
	case kindMail:
		return EML, readMail
	case kindMSG:
		return MSG, readMSG
	case kindText:
		return Text, readText
	case kindCSV:
		return CSV, readCSV
	case kindXLSX:
		return XLSX, readXLSX
	case kindXLS:
		return XLS, readXLS
	case kindXMLSheets:
		return XLS, readXMLSheets
	case kindDOCX:
		return DOCX, readDOCX
	case kindDOC:
		return DOC, readDOC
	case kindRTF:
		return RTF, readRTF
	case kindHTML:
		return HTML, readHTML
	case kindZip:
		return ZIP, readZip
	case kindPDF:
		return PDF, readPDF
	}
	return "", nil
}

// attach reads a file found inside another one. What it lacks is told in the
// note of its part, so that the file around it is read on.
func (r *reading) attach(around source, name string, data []byte, as kind) error {
	src := source{name: name, data: bytes.NewReader(data), size: int64(len(data)), depth: around.depth + 1, mails: around.mails, kind: as, unzip: around.unzip}
	return r.attachSource(src, sha256.Sum256(data))
}

// attachSource reads a file inside another one, told from others by the sum of
// its content.
func (r *reading) attachSource(src source, sum [sha256.Size]byte) error {
	if len(r.parts) >= maxParts {
		r.parts[0].note(Limit, fmt.Sprintf("more than %d files inside: the rest left out", maxParts))
		return nil
	}
	leftOut := func(cause Cause, why string) error {
		r.parts = append(r.parts, &Part{Name: src.name, Depth: src.depth, Note: why, Cause: cause})
		return nil
	}
	first, again := r.seen[sum]
	switch {
	case src.depth > maxDepth:
		return leftOut(Limit, "nested too deeply: not read")
	case again:
		return leftOut(Repeated, "same content as "+first+": read once")
	case r.attachments >= maxAttachments:
		return leftOut(Limit, fmt.Sprintf("more than %d attachments: not read", maxAttachments))
	}
	r.seen[sum] = src.name
	r.attachments++
	return r.read(src)
}

// read tells whether the part was read at all, be it without a word in it.
func (p *Part) read() bool { return len(p.Blocks) > 0 || p.Cause == NoText || p.Mail != nil }

// note adds a remark to the part, once; the first cause stays.
func (p *Part) note(cause Cause, s string) {
	if p.Cause == "" {
		p.Cause = cause
	}
	switch {
	case p.Note == "":
		p.Note = s
	case !strings.Contains(p.Note, s):
		p.Note += "; " + s
	}
}

// keep adds a block to the part and reports whether there is room for more.
func (r *reading) keep(part *Part, b Block) bool {
	n := len(b.Text) + len(b.Label) + len(b.Value)
	if b.Table != nil && part.Format != XLSX && part.Format != XLS && part.Format != CSV {
		for _, row := range b.Table.Rows {
			for _, c := range row {
				n += len(c.Text)
			}
		}
	}
	room := maxText - r.text
	if n > room {
		part.note(Limit, "too much text: the rest left out")
		if b.Text == "" || room <= 0 {
			return false
		}
		b.Text = strings.ToValidUTF8(b.Text[:min(room, len(b.Text))], "")
	}
	r.text += min(n, room)
	b.Place.Part = part.Name
	part.Blocks = append(part.Blocks, b)
	return n <= room
}
