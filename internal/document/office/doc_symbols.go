package office

import (
	"fmt"
	"sort"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/decode"
)

// symbol returns what a placeholder in the text stands for: a checkbox, or a
// character of a symbol font; empty for any other placeholder.
func (d *docFile) symbol(at int) string {
	if at < d.run.from || at >= d.run.to {
		d.run = d.runAt(at)
		d.run.symbol = d.symbolOf(d.run.properties)
	}
	return d.run.symbol
}

// symbolOf returns the symbol that the properties of a run state.
func (d *docFile) symbolOf(properties []byte) string {
	number, value := 0, []byte(nil) // of the last property that states one
	eachProperty(properties, func(n int, v []byte) {
		if (n == 0x6a03 || n == 0x6a09) && len(v) == 4 {
			number, value = n, v
		}
	})
	switch number {
	case 0x6a03:
		return checkboxField(compound.Slice(d.forms, compound.Uint32(value, 0), 1<<10))
	case 0x6a09:
		return decode.Symbol(fmt.Sprintf("%04X", compound.Uint16(value, 2)|0xf000))
	}
	return ""
}

// docRun is a range of bytes of the main stream with the same properties of characters.
type docRun struct {
	from, to   int
	properties []byte
	symbol     string // for which placeholders in the run stand
}

// runAt returns the run of characters that contains a byte.
func (d *docFile) runAt(at int) docRun {
	unknown := docRun{from: at, to: at + 1}
	b := d.structure(docRuns)
	n := (len(b) - 4) / 8
	i := sort.Search(max(n, 0), func(i int) bool { return int(compound.Uint32(b, 4*(i+1))) > at })
	if i >= n {
		return unknown
	}
	page := d.propertyPage(compound.Uint32(b, 4*(n+1)+4*i))
	if page == nil {
		return unknown
	}
	count := min(int(page[511]), (511-4)/5)
	for j := range count {
		run := docRun{from: int(compound.Uint32(page, 4*j)), to: int(compound.Uint32(page, 4*j+4))}
		if at < run.from || at >= run.to {
			continue
		}
		if start := 2 * int(page[4*(count+1)+j]); start > 0 && start <= 510 {
			run.properties = page[start+1 : min(start+1+int(page[start]), 511)]
		}
		return run
	}
	return unknown
}

// checkboxField reads the state of a checkbox in a form: a header, then kind,
// result, name and default (MS-DOC 2.9.78).
func checkboxField(b []byte) string {
	if len(b) < 8 {
		return ""
	}
	b = b[min(compound.Uint16(b, 4), len(b)):]
	if len(b) < 12 || compound.Uint32(b, 0) != 0xffffffff || b[4]&3 != 1 {
		return ""
	}
	result := int(b[4] >> 2 & 31)
	name := 10 + 2*compound.Uint16(b, 10) + 4
	if result == 25 && name+2 <= len(b) {
		result = compound.Uint16(b, name)
	}
	return checkbox(result == 1)
}
