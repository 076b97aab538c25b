package document

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// readZip reads the files of a zip archive like the attachments of a mail. The
// folders in their names are dropped: a name is only shown.
func readZip(r *reading, part *Part, src source) error {
	z, err := openArchive(src)
	if err != nil {
		return err
	}
	before := len(r.parts)
	for _, name := range z.names {
		base := path.Base(name)
		if strings.HasSuffix(name, "/") || strings.HasPrefix(base, ".") || strings.HasPrefix(name, "__macosx/") {
			continue
		}
		base = path.Base(strings.ReplaceAll(z.files[name].Name, "\\", "/")) // with its capitals
		data, err := z.unpack(name)
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		var bad *Unreadable
		switch {
		case errors.As(err, &bad):
			r.parts = append(r.parts, &Part{Name: base, Depth: src.depth + 1, Note: bad.Reason, Cause: bad.Cause})
		case err != nil:
			return err
		default:
			if err := r.attach(src, base, data, ""); err != nil {
				return err
			}
		}
		if len(r.parts) > maxParts || *src.unzip <= 0 {
			part.note(Limit, "too much inside: the rest left out")
			break
		}
	}
	return nothingRead(r.parts[before:])
}

// unpack gives the bytes of a file in a zip archive.
func (a *archive) unpack(name string) ([]byte, error) {
	f := a.files[name]
	if f.Flags&1 != 0 {
		return nil, unreadable(Password, "password protected")
	}
	rc, err := a.open(name)
	if err != nil {
		return nil, unreadable(Damaged, "damaged file in a zip archive")
	}
	defer rc.Close()
	most := max(smallUnzipped, maxZipRatio*int64(f.CompressedSize64))
	data, err := io.ReadAll(io.LimitReader(rc, most+1))
	switch {
	case int64(len(data)) > most || errors.Is(err, errUnzipped):
		return nil, unreadable(Limit, "unpacks to too much: not read")
	case err != nil && len(data) == 0:
		return nil, unreadable(Damaged, "damaged file in a zip archive")
	}
	return data, nil
}

// nothingRead is the error of an archive none of whose files could be read: the
// cause of the first.
func nothingRead(inside []*Part) error {
	if len(inside) == 0 {
		return unreadable(Empty, "no document in the zip archive")
	}
	if slices.ContainsFunc(inside, (*Part).read) {
		return nil
	}
	return unreadable(inside[0].Cause, "%s: %s", inside[0].Name, inside[0].Note)
}
