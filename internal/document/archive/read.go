package archive

import (
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"understudy.example/internal/document/content"
)

// Limits of one file in an archive of documents. It may unpack to maxRatio times
// its packed size, or to smallFile when that is more: harmless small files
// compress to almost nothing.
const (
	maxRatio  = 200
	smallFile = 10 << 20

	maxDeflated = 1032    // DEFLATE data can unpack to at most this many times its size
	maxMemory   = 8 << 20 // bytes of the buffer that are reused for the next file
)

// Read reads the files of a ZIP archive like the attachments of a mail. It drops
// the folders from their names: a name is only shown.
func Read(f *content.File) error {
	z, err := Open(f)
	if err != nil {
		return err
	}
	for _, name := range z.names {
		base := path.Base(name)
		if strings.HasSuffix(name, "/") || strings.HasPrefix(base, ".") || strings.HasPrefix(name, "__macosx/") {
			continue
		}
		base = path.Base(strings.ReplaceAll(z.files[name].Name, "\\", "/")) // with its capital letters
		data, err := z.unpack(name)
		if f.Err() != nil {
			return f.Err()
		}
		var bad *content.Unreadable
		switch {
		case errors.As(err, &bad):
			f.AttachUnread(base, bad)
		case err != nil:
			return err
		default:
			if err := f.Attach(base, data); err != nil {
				return err
			}
		}
		if f.Full() {
			f.AddNote(content.Limit, "too much unpacked content: the rest was skipped")
			break
		}
	}
	return nothingRead(f.Inner())
}

// unpack returns the bytes of a file in an archive of documents.
func (z *Zip) unpack(name string) ([]byte, error) {
	entry := z.files[name]
	if entry.Flags&1 != 0 {
		return nil, content.Errorf(content.Password, "password protected")
	}
	rc, err := z.OpenEntry(name)
	if err != nil {
		return nil, content.Errorf(content.Damaged, "damaged file in a zip archive")
	}
	defer rc.Close()
	tooLarge := content.Errorf(content.Limit, "too large when unpacked: not read")
	most := max(smallFile, maxRatio*int64(entry.CompressedSize64))
	if size := entry.UncompressedSize64; size > uint64(most) && size/maxDeflated <= entry.CompressedSize64 {
		return nil, tooLarge // a size that cannot be true is ignored
	}
	z.memory.Reset()
	_, err = z.memory.ReadFrom(io.LimitReader(rc, most+1))
	data := z.memory.Bytes()
	if len(data) > maxMemory {
		z.memory = bytes.Buffer{}
	} else {
		data = bytes.Clone(data)
	}
	switch {
	case int64(len(data)) > most || errors.Is(err, ErrLimit):
		return nil, tooLarge
	case err != nil && len(data) == 0:
		return nil, content.Errorf(content.Damaged, "damaged file in a zip archive")
	}
	return data, nil
}

// nothingRead returns the error of an archive when none of its files could be
// read: that of the first one.
func nothingRead(inner []*content.Part) error {
	if len(inner) == 0 {
		return content.Errorf(content.Empty, "no document in the zip archive")
	}
	if slices.ContainsFunc(inner, (*content.Part).WasRead) {
		return nil
	}
	return content.Errorf(inner[0].Cause, "%s: %s", inner[0].Name, inner[0].Note)
}
