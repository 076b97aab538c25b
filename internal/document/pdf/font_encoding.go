package pdf

import (
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/encoding/charmap"
)

// readEncoding reads the text of each code of a font with codes of one byte.
func (r *reader) readEncoding(f *font, dict types.Dict, base string) {
	table := charmap.Windows1252
	encoding := r.object(dict["Encoding"])
	named := r.name(encoding)
	d, _ := encoding.(types.Dict)
	if d != nil {
		named = r.name(d["BaseEncoding"])
	}
	if named == "MacRomanEncoding" {
		table = charmap.Macintosh
	}
	for c := range f.encoding {
		if char := table.DecodeByte(byte(c)); char >= ' ' && char != 0xfffd {
			f.encoding[c] = string(char)
		}
	}
	if named == "" && r.name(dict["Subtype"]) == "Type1" {
		f.encoding['\''], f.encoding['`'] = "’", "‘"
		f.encoding[0xae], f.encoding[0xaf] = "fi", "fl"
		f.encoding[0xb7], f.encoding[0xb1] = "•", "–"
	}
	if strings.Contains(base, "Dingbats") {
		for c := range f.encoding {
			f.encoding[c] = ""
		}
		f.encoding['4'], f.encoding['8'], f.encoding['n'], f.encoding['l'], f.encoding['o'] = "✔", "✘", "■", "●", "☐"
	}
	code := 0
	for _, o := range r.array(d["Differences"]) {
		if n, ok := r.number(o); ok {
			code = int(n)
			continue
		}
		if code >= 0 && code < 256 {
			if text, known := glyphText(r.name(o)); known {
				f.encoding[code] = text
			}
		}
		code++
	}
}
