package office

import (
	"sort"

	"understudy.example/internal/document/compound"
)

// docParagraph is a paragraph as a range of the main stream.
type docParagraph struct {
	from, to int
	inTable  bool
	rowEnd   bool // it is the mark that ends a row of a table
}

// readParagraphs lists the paragraphs that belong to tables.
func (d *docFile) readParagraphs() {
	b := compound.Slice(d.table, compound.Uint32(d.main, 0x102), compound.Uint32(d.main, 0x106))
	n := (len(b) - 4) / 8
	for i := range max(n, 0) {
		page := compound.Slice(d.main, compound.Uint32(b, 4*(n+1)+4*i)&0x3fffff*512, 512)
		if len(page) < 512 || len(d.paragraphs) > 1_000_000 {
			continue
		}
		count := min(int(page[511]), (511-4)/17)
		for j := range count {
			p := docParagraph{from: int(compound.Uint32(page, 4*j)), to: int(compound.Uint32(page, 4*j+4))}
			at := 2 * int(page[4*(count+1)+13*j])
			if at == 0 || at+2 > 511 {
				continue
			}
			size := 2*int(page[at]) - 1
			if at++; size < 0 {
				size = 2 * int(page[at])
				at++
			}
			p.readProperties(page[min(at+2, 511):min(at+size, 511)])
			if p.inTable || p.rowEnd {
				d.paragraphs = append(d.paragraphs, p)
			}
		}
	}
	sort.Slice(d.paragraphs, func(i, j int) bool { return d.paragraphs[i].from < d.paragraphs[j].from })
}

// readProperties reads the two properties that say how a paragraph belongs to a
// table.
func (p *docParagraph) readProperties(b []byte) {
	eachProperty(b, func(number int, value []byte) {
		switch number {
		case 0x2416:
			p.inTable = value[0] != 0
		case 0x2417:
			p.rowEnd = value[0] != 0
		}
	})
}

// eachProperty calls visit for each property of a list. The upper bits of the
// number of a property state the size of its value.
func eachProperty(b []byte, visit func(number int, value []byte)) {
	for len(b) >= 3 {
		number := compound.Uint16(b, 0)
		b = b[2:]
		size := [8]int{1, 1, 2, 4, 2, 2, 0, 3}[number>>13]
		if size == 0 {
			size = 1 + int(b[0])
			if number == 0xd608 && len(b) > 1 {
				size = 1 + compound.Uint16(b, 0)
			}
		}
		size = min(size, len(b))
		visit(number, b[:size])
		b = b[size:]
	}
}

// paragraphAt returns the paragraph of a table that contains a byte of the main
// stream; the zero value when there is none.
func (d *docFile) paragraphAt(at int) docParagraph {
	i := sort.Search(len(d.paragraphs), func(i int) bool { return d.paragraphs[i].from > at })
	if i > 0 && at < d.paragraphs[i-1].to {
		return d.paragraphs[i-1]
	}
	return docParagraph{}
}
