package office

import (
	"io"
	"path"
	"strings"

	"understudy.example/internal/document/archive"
	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
)

const maxEmbeddedFile = 64 << 20

// relation is a link from one part of an Office container to another.
type relation struct{ id, kind, target string }

// relationsOf lists the links of a part. The part "" is the container itself.
func relationsOf(z *archive.Zip, part string) []relation {
	dir, file := path.Split(part)
	rc, err := z.OpenEntry(dir + "_rels/" + file + ".rels")
	if err != nil {
		return nil
	}
	defer rc.Close()
	var list []relation
	_ = walkXML(io.LimitReader(rc, 4<<20), z.Left(), func(e element) error {
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

// mainPart returns the name of the main part of an Office container, or the
// usual name when the container does not state one.
func mainPart(z *archive.Zip, usual string) string {
	for _, r := range relationsOf(z, "") {
		if r.kind == "officeDocument" && z.Has(r.target) {
			return r.target
		}
	}
	return usual
}

// attachEmbedded reads the files embedded in an Office container.
func attachEmbedded(f *content.File, z *archive.Zip, folder string) error {
	for _, name := range z.Names() {
		if !strings.HasPrefix(name, folder) || strings.HasSuffix(name, "/") {
			continue
		}
		data := z.Bytes(name, maxEmbeddedFile)
		if embedded, label := compound.Unwrap(data); embedded != nil {
			data, name = embedded, label
		}
		if len(data) == 0 {
			continue
		}
		if err := f.Attach(path.Base(name), data); err != nil {
			return err
		}
	}
	return nil
}
