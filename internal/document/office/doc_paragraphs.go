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

// tableParagraphs lists the paragraphs that belong to tables, in the order of the
// file.
func (d *docFile) tableParagraphs() []docParagraph {
	b := d.structure(docParagraphs)
	var list []docParagraph
	n := (len(b) - 4) / 8
	read := make([]bool, len(d.main)/512+1) // by the numbers of pages
	for i := range max(n, 0) {
		number := compound.Uint32(b, 4*(n+1)+4*i) & 0x3fffff
		page := d.propertyPage(number)
		if page == nil || read[number] || len(list) > 1_000_000 {
			continue
		}
		read[number] = true
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
				list = append(list, p)
			}
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].from < list[j].from })
	return list
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

// paragraphAt returns the paragraph that contains a byte of the main stream; the
// zero value when there is none.
func paragraphAt(list []docParagraph, at int) docParagraph {
	i := sort.Search(len(list), func(i int) bool { return list[i].from > at })
	if i > 0 && at < list[i-1].to {
		return list[i-1]
	}
	return docParagraph{}
}
