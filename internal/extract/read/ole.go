package read

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/richardlehane/mscfb"
)

// unwrapOLE takes the file out of an OLE object embedded in an Office
// document; nil when the bytes are not such an object or hold no file.
func unwrapOLE(data []byte) (file []byte, name string) {
	if !bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return nil, ""
	}
	defer func() {
		if recover() != nil {
			file, name = nil, ""
		}
	}()
	doc, err := mscfb.New(bytes.NewReader(data))
	if err != nil {
		return nil, ""
	}
	for i, entry := range doc.File {
		if i > 10_000 || entry.Size > int64(len(data)) {
			break
		}
		switch entry.Name {
		case "Package", "CONTENTS":
			content, _ := io.ReadAll(io.LimitReader(entry, entry.Size))
			return content, "embedded file"
		case "Ole10Native":
			content, _ := io.ReadAll(io.LimitReader(entry, entry.Size))
			return nativeFile(content)
		}
	}
	return nil, ""
}

// nativeFile reads the Ole10Native stream: sizes and names, then the file.
func nativeFile(b []byte) ([]byte, string) {
	if len(b) < 6 {
		return nil, ""
	}
	label, rest, ok := bytes.Cut(b[6:], []byte{0})
	if !ok {
		return nil, ""
	}
	_, rest, ok = bytes.Cut(rest, []byte{0})
	if !ok || len(rest) < 8 {
		return nil, ""
	}
	temporary := int(binary.LittleEndian.Uint32(rest[4:]))
	rest = rest[8:]
	if temporary < 0 || temporary+4 > len(rest) {
		return nil, ""
	}
	size := int(binary.LittleEndian.Uint32(rest[temporary:]))
	rest = rest[temporary+4:]
	return rest[:min(max(size, 0), len(rest))], decode(label, "")
}
