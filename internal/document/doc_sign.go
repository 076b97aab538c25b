package document

import (
	"fmt"
	"sort"
)

// sign gives what a placeholder in the text stands for: a box to tick, or a
// sign of a symbol font; empty for any other.
func (d *word) sign(at int) string {
	found := ""
	properties(d.runAt(at), func(number int, value []byte) {
		switch {
		case number == 0x6a03 && len(value) == 4:
			found = checkBox(slice(d.forms, u32(value, 0), 1<<10))
		case number == 0x6a09 && len(value) == 4:
			found = symbol(fmt.Sprintf("%04X", u16(value, 2)|0xf000))
		}
	})
	return found
}

// runAt gives the properties of the characters around a byte.
func (d *word) runAt(at int) []byte {
	b := slice(d.table, u32(d.main, 0xfa), u32(d.main, 0xfe))
	n := (len(b) - 4) / 8
	i := sort.Search(max(n, 0), func(i int) bool { return int(u32(b, 4*(i+1))) > at })
	if i >= n {
		return nil
	}
	page := slice(d.main, u32(b, 4*(n+1)+4*i)&0x3fffff*512, 512)
	if len(page) < 512 {
		return nil
	}
	count := min(int(page[511]), (511-4)/5)
	for j := range count {
		if from, to := int(u32(page, 4*j)), int(u32(page, 4*j+4)); at < from || at >= to {
			continue
		}
		start := 2 * int(page[4*(count+1)+j])
		if start == 0 || start > 510 {
			return nil
		}
		return page[start+1 : min(start+1+int(page[start]), 511)]
	}
	return nil
}

// checkBox reads the state of a form's box: a head, then kind, result, name
// and default (MS-DOC 2.9.78).
func checkBox(b []byte) string {
	if len(b) < 8 {
		return ""
	}
	b = b[min(u16(b, 4), len(b)):]
	if len(b) < 12 || u32(b, 0) != 0xffffffff || b[4]&3 != 1 {
		return ""
	}
	result := int(b[4] >> 2 & 31)
	name := 10 + 2*u16(b, 10) + 4
	if result == 25 && name+2 <= len(b) {
		result = u16(b, name)
	}
	if result == 1 {
		return "☒"
	}
	return "☐"
}
