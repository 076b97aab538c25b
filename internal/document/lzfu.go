package document

// lzfuStart fills the dictionary of compressed RTF before the first byte
// (MS-OXRTFCP 2.1.2.1).
const lzfuStart = "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"

// unpackRTF unpacks the compressed RTF of an Outlook message. Every reference
// gives at most 17 bytes for two, so that the result is bounded.
func unpackRTF(b []byte) []byte {
	if len(b) < 16 {
		return nil
	}
	size, kind := int(u32(b, 4)), u32(b, 8)
	b = b[16:]
	if kind == 0x414c454d { // stored as it is
		return b[:min(size, len(b))]
	}
	if kind != 0x75465a4c {
		return nil
	}
	var ring [4096]byte
	at := copy(ring[:], lzfuStart)
	out := make([]byte, 0, min(size, 17*len(b)))
	add := func(c byte) {
		out = append(out, c)
		ring[at%4096] = c
		at++
	}
	for len(b) > 0 && len(out) < size {
		flags := b[0]
		b = b[1:]
		for bit := 0; bit < 8 && len(out) < size; bit++ {
			switch {
			case flags>>bit&1 == 0:
				if len(b) < 1 {
					return out
				}
				add(b[0])
				b = b[1:]
			case len(b) < 2:
				return out
			default:
				from, length := int(b[0])<<4|int(b[1])>>4, int(b[1]&15)+2
				b = b[2:]
				if from == at%4096 {
					return out // the mark of the end
				}
				for i := range length {
					add(ring[(from+i)%4096])
				}
			}
		}
	}
	return out
}
