package document

import (
	"archive/zip"
	"errors"
	"io"
	"path"
	"strings"
)

// Limits of one zip container.
const (
	maxZipEntries   = 10_000
	maxZipDirectory = 16 << 20  // bytes read to list the entries
	maxUnzipped     = 200 << 20 // bytes unpacked from all containers together
	maxZipRatio     = 200       // of a file in a zip archive, unless it is small
	smallUnzipped   = 10 << 20  // honest small files shrink to nearly nothing
)

var errUnzipped = errors.New("more than 200 MiB unpacked")

// archive is a zip container with a bound on what is unpacked from it.
type archive struct {
	files map[string]*zip.File // by name in lower case, without a leading slash
	names []string             // in the order of the container
	left  *int64               // bytes that may still be unpacked
}

// meter stops a reader after a number of bytes: the directory of a zip file
// may be as large as the file says.
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

func openArchive(src source) (*archive, error) {
	m := &meter{src.data, maxZipDirectory}
	z, err := zip.NewReader(m, src.size)
	if err != nil {
		return nil, unreadable(Damaged, "damaged %s", containerName(src.name))
	}
	if len(z.File) > maxZipEntries {
		return nil, unreadable(Limit, "more than %d files inside", maxZipEntries)
	}
	m.left = 1 << 40
	a := &archive{files: map[string]*zip.File{}, left: src.unzip}
	for _, f := range z.File {
		name := strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(f.Name, "\\", "/"), "/"))
		if _, twice := a.files[name]; !twice {
			a.files[name] = f
			a.names = append(a.names, name)
		}
	}
	return a, nil
}

func containerName(name string) string {
	switch extension(name) {
	case "xlsx", "xlsm", "xltx":
		return string(kindXLSX)
	case "docx", "docm", "dotx":
		return string(kindDOCX)
	}
	return string(kindZip)
}

func (a *archive) has(name string) bool { return a.files[strings.ToLower(name)] != nil }

func (a *archive) hasFolder(prefix string) bool {
	for _, n := range a.names {
		if strings.HasPrefix(n, prefix) {
			return true
		}
	}
	return false
}

// open unpacks an entry as a stream; what is read counts against the whole.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.files[strings.ToLower(name)]
	if f == nil {
		return nil, errors.New("no entry " + name)
	}
	rc, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &unpacking{rc, a}, nil
}

type unpacking struct {
	io.ReadCloser
	from *archive
}

func (u *unpacking) Read(p []byte) (int, error) {
	if *u.from.left <= 0 {
		return 0, errUnzipped
	}
	if int64(len(p)) > *u.from.left {
		p = p[:*u.from.left]
	}
	n, err := u.ReadCloser.Read(p)
	*u.from.left -= int64(n)
	return n, err
}

// text unpacks a whole entry up to a limit; what cannot be read is left out.
func (a *archive) text(name string, limit int64) []byte {
	rc, err := a.open(name)
	if err != nil {
		return nil
	}
	defer rc.Close()
	data, _ := io.ReadAll(io.LimitReader(rc, limit))
	return data
}

// relation is one link from a part of an Office container to another.
type relation struct{ id, kind, target string }

// relations lists the links of a part; the part "" is the container itself.
func (a *archive) relations(part string) []relation {
	dir, file := path.Split(part)
	rc, err := a.open(dir + "_rels/" + file + ".rels")
	if err != nil {
		return nil
	}
	defer rc.Close()
	var list []relation
	_ = walkXML(io.LimitReader(rc, 4<<20), func(e element) error {
		if e.opens && e.name == "Relationship" && !strings.EqualFold(e.attr("TargetMode"), "External") {
			target := strings.ReplaceAll(e.attr("Target"), "\\", "/")
			if strings.HasPrefix(target, "/") {
				target = target[1:]
			} else {
				target = path.Join(dir, target)
			}
			list = append(list, relation{e.attr("Id"), path.Base(e.attr("Type")), target})
		}
		return nil
	})
	return list
}

// mainPart finds the main document of an Office container, else gives the name
// that nearly all of them use.
func (a *archive) mainPart(usual string) string {
	for _, r := range a.relations("") {
		if r.kind == "officeDocument" && a.has(r.target) {
			return r.target
		}
	}
	return usual
}

// attachEmbedded reads the files embedded in an Office container.
func (r *reading) attachEmbedded(z *archive, src source, folder string) error {
	for _, name := range z.names {
		if !strings.HasPrefix(name, folder) || strings.HasSuffix(name, "/") {
			continue
		}
		data := z.text(name, 64<<20)
		if embedded, label := unwrapOLE(data); embedded != nil {
			data, name = embedded, label
		}
		if len(data) == 0 {
			continue
		}
		if err := r.attach(src, path.Base(name), data, ""); err != nil {
			return err
		}
	}
	return nil
}
