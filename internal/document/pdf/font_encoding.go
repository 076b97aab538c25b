package pdf

import (
	"strings"

	"golang.org/x/text/encoding/charmap"

	"understudy.example/internal/document/pdf/glyph"
	"understudy.example/internal/document/pdf/object"
)

// readEncoding returns the text of each code of a font with codes of one byte,
// given the name of the font.
func readEncoding(d objects, dict object.Dict, base string) (texts [256]string) {
	table := charmap.Windows1252
	encoding := d.resolve(dict["Encoding"])
	named := d.name(encoding)
	changes, _ := encoding.(object.Dict)
	if changes != nil {
		named = d.name(changes["BaseEncoding"])
	}
	if named == "MacRomanEncoding" {
		table = charmap.Macintosh
	}
	for c := range texts {
		if char := table.DecodeByte(byte(c)); char >= ' ' && char != 0xfffd {
			texts[c] = string(char)
		}
	}
	if named == "" && d.name(dict["Subtype"]) == "Type1" {
		texts['\''], texts['`'] = "’", "‘"
		texts[0xae], texts[0xaf] = "fi", "fl"
		texts[0xb7], texts[0xb1] = "•", "–"
	}
	if strings.Contains(base, "Dingbats") {
		for c := range texts {
			texts[c] = ""
		}
		texts['4'], texts['8'], texts['n'], texts['l'], texts['o'] = "✔", "✘", "■", "●", "☐"
	}
	code := 0
	for _, o := range d.array(changes["Differences"]) {
		if n, ok := d.number(o); ok {
			code = int(n)
			continue
		}
		if code >= 0 && code < 256 {
			if text, known := glyph.Text(string(d.name(o))); known {
				texts[code] = text
			}
		}
		code++
	}
	return texts
}
