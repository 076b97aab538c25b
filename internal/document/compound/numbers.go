package compound

import "encoding/binary"

// Uint16 returns the little-endian number of two bytes at a position.
func Uint16(b []byte, at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }

// Uint32 returns the little-endian number of four bytes at a position.
func Uint32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// Slice returns a range of bytes, cut to those that exist.
func Slice(b []byte, at, size uint32) []byte {
	from := min(int64(at), int64(len(b)))
	return b[from:min(from+int64(size), int64(len(b)))]
}

func uint32s(b []byte) []uint32 {
	list := make([]uint32, len(b)/4)
	for i := range list {
		list[i] = Uint32(b, 4*i)
	}
	return list
}
