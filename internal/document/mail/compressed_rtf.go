package mail

import "understudy.example/internal/document/compound"

// rtfDictionary fills the dictionary of compressed RTF before the first byte
// (MS-OXRTFCP 2.1.2.1).
const rtfDictionary = "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"

// The types of compressed RTF, as its bytes 8 to 11 state them.
const (
	rtfCompressed = 0x75465a4c
	rtfStored     = 0x414c454d
)

// decompressRTF returns the RTF body of an Outlook message, nil when its type is
// unknown. A reference takes two bytes and yields at most 17, so the size of the
// result is bounded.
func decompressRTF(b []byte) []byte {
	if len(b) < 16 {
		return nil
	}
	size, kind := int(compound.Uint32(b, 4)), compound.Uint32(b, 8)
	b = b[16:]
	if kind == rtfStored {
		return b[:min(size, len(b))]
	}
	if kind != rtfCompressed {
		return nil
	}
	var dictionary [4096]byte
	at := copy(dictionary[:], rtfDictionary)
	out := make([]byte, 0, min(size, 17*len(b)))
	add := func(c byte) {
		out = append(out, c)
		dictionary[at%4096] = c
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
					add(dictionary[(from+i)%4096])
				}
			}
		}
	}
	return out
}
