package office

import "understudy.example/internal/document/compound"

// docPiece is a run of characters that are stored together.
type docPiece struct {
	from, to int  // in characters of the document
	at       int  // in bytes of the main stream
	narrow   bool // one byte for a character rather than two
}

// pieces reads the piece table. It skips the properties before it.
func (d *docFile) pieces() []docPiece {
	b := d.structure(docPieces)
	for len(b) >= 3 && b[0] == 1 {
		b = b[min(3+compound.Uint16(b, 1), len(b)):]
	}
	if len(b) < 5 || b[0] != 2 {
		return nil
	}
	b = compound.Slice(b, 5, compound.Uint32(b, 1))
	n := (len(b) - 4) / 12
	var list []docPiece
	last := 0
	for i := range max(n, 0) {
		at := compound.Uint32(b, 4*(n+1)+8*i+2)
		p := docPiece{from: int(compound.Uint32(b, 4*i)), to: int(compound.Uint32(b, 4*i+4)), at: int(at & 0x3fffffff), narrow: at&0x40000000 != 0}
		if p.narrow {
			p.at /= 2
		}
		// Pieces must not overlap, so that no more characters are read than the
		// document has.
		if p.from < last || p.to <= p.from || p.at >= len(d.main) {
			continue
		}
		last = p.to
		list = append(list, p)
	}
	return list
}
