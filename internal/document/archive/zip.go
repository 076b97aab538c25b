// Package archive reads ZIP archives within limits: as the container of Office
// documents, and as a file of documents. It knows none of the formats inside.
package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"understudy.example/internal/document/content"
)

// Limits of one archive. A limit on what all archives of a submission unpack
// together is in content.File.Unzip.
const (
	maxEntries   = 10_000
	maxDirectory = 16 << 20 // bytes read to list the entries
)

// ErrLimit is the error of reading an entry after the submission has unpacked as
// many bytes as it may.
var ErrLimit = errors.New("more than 200 MiB unpacked")

// Zip is an open ZIP archive. Case is ignored in the names of its entries.
type Zip struct {
	files map[string]*zip.File // by name in lower case, without a leading slash
	names []string             // in the order of the archive
	left  *int64               // bytes that may still be unpacked

	memory bytes.Buffer // reused for each file
}

// Open lists the entries of an archive.
func Open(f *content.File) (*Zip, error) {
	m := &meter{f.Data, maxDirectory}
	r, err := zip.NewReader(m, f.Size)
	if err != nil {
		return nil, content.Errorf(content.Damaged, "damaged %s", nameOfFormat(f.Name))
	}
	if len(r.File) > maxEntries {
		return nil, content.Errorf(content.Limit, "more than %d files inside", maxEntries)
	}
	m.left = 1 << 40
	z := &Zip{files: map[string]*zip.File{}, left: f.Unzip}
	for _, entry := range r.File {
		name := strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(entry.Name, "\\", "/"), "/"))
		if _, twice := z.files[name]; !twice {
			z.files[name] = entry
			z.names = append(z.names, name)
		}
	}
	return z, nil
}

// meter fails after a number of bytes: the directory of a ZIP archive may be as
// large as the file claims.
type meter struct {
	io.ReaderAt
	left int64
}

func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	if m.left -= int64(len(p)); m.left < 0 {
		return 0, errors.New("too large")
	}
	return m.ReaderAt.ReadAt(p, off)
}

// nameOfFormat returns what the extension of a file name says that an archive is.
func nameOfFormat(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".xlsx", ".xlsm", ".xltx":
		return "Excel workbook"
	case ".docx", ".docm", ".dotx":
		return "Word document"
	}
	return "zip archive"
}

// HasOfficeExtension reports whether a file name has the extension of a Word
// document or an Excel workbook in the form of a ZIP archive.
func HasOfficeExtension(name string) bool { return nameOfFormat(name) != "zip archive" }

// Names returns the names of the entries in lower case, in the order of the
// archive.
func (z *Zip) Names() []string { return z.names }

// Has reports whether the archive has an entry of that name.
func (z *Zip) Has(name string) bool { return z.files[strings.ToLower(name)] != nil }

// HasPrefix reports whether the name of any entry starts with a prefix, which
// must be in lower case.
func (z *Zip) HasPrefix(prefix string) bool {
	for _, name := range z.names {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Left returns the number of bytes that may still be unpacked, in the whole submission.
func (z *Zip) Left() *int64 { return z.left }

// OpenEntry unpacks an entry as a stream. The bytes read count against the limit of
// the submission.
func (z *Zip) OpenEntry(name string) (io.ReadCloser, error) {
	entry := z.files[strings.ToLower(name)]
	if entry == nil {
		return nil, errors.New("no entry " + name)
	}
	rc, err := entry.Open()
	if err != nil {
		return nil, err
	}
	return &limited{rc, z.left}, nil
}

// limited counts the bytes read from an entry.
type limited struct {
	io.ReadCloser
	left *int64
}

func (l *limited) Read(p []byte) (int, error) {
	if *l.left <= 0 {
		return 0, ErrLimit
	}
	if int64(len(p)) > *l.left {
		p = p[:*l.left]
	}
	n, err := l.ReadCloser.Read(p)
	*l.left -= int64(n)
	return n, err
}

// Bytes unpacks an entry up to a limit. When the entry is missing or damaged,
// it returns what can be read.
func (z *Zip) Bytes(name string, limit int64) []byte {
	rc, err := z.OpenEntry(name)
	if err != nil {
		return nil
	}
	defer rc.Close()
	data, _ := io.ReadAll(io.LimitReader(rc, limit))
	return data
}
