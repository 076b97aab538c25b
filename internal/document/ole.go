package document

import (
	"bytes"
	"encoding/binary"
)

// unwrapOLE takes the file out of an OLE object embedded in an Office
// document; nil when the bytes are not such an object or hold no file.
func unwrapOLE(data []byte) (file []byte, name string) {
	if !bytes.HasPrefix(data, []byte(oleMagic)) {
		return nil, ""
	}
	c, err := openCompound(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, ""
	}
	return c.wrapped(0)
}

// wrapped takes the file out of a storage that is an embedded object.
func (c *compound) wrapped(storage int) (file []byte, name string) {
	for _, name := range []string{"Package", "CONTENTS"} {
		if content := c.stream(storage, name); content != nil {
			return content, "embedded file"
		}
	}
	return nativeFile(c.stream(storage, "\x01Ole10Native"))
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
