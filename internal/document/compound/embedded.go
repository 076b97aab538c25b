package compound

import (
	"bytes"

	"understudy.example/internal/document/decode"
)

// Unwrap returns the file inside an object embedded in an Office document, with
// its name. It returns nil when the bytes are not such an object or hold no
// file.
func Unwrap(data []byte) (file []byte, name string) {
	if !bytes.HasPrefix(data, []byte(Magic)) {
		return nil, ""
	}
	c, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, ""
	}
	return c.EmbeddedFile(Root)
}

// EmbeddedFile returns the file inside a storage that is an embedded object,
// with its name; nil when it holds none.
func (c *File) EmbeddedFile(storage int) (file []byte, name string) {
	for _, name := range []string{"Package", "CONTENTS"} {
		if data := c.Stream(storage, name); data != nil {
			return data, "embedded file"
		}
	}
	return nativeFile(c.Stream(storage, "\x01Ole10Native"))
}

// nativeFile reads an Ole10Native stream: sizes and names, then the file.
func nativeFile(b []byte) (file []byte, name string) {
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
	temporary := int(Uint32(rest, 4)) // length of the path of a temporary copy
	rest = rest[8:]
	if temporary < 0 || temporary+4 > len(rest) {
		return nil, ""
	}
	size := int(Uint32(rest, temporary))
	rest = rest[temporary+4:]
	return rest[:min(max(size, 0), len(rest))], decode.Text(label, "")
}
