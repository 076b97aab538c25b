package document

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/font"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

const maxMapped = 200_000 // codes in one character map

// pdfFont turns the codes of a shown string into text and widths.
type pdfFont struct {
	wide      bool // codes of two bytes
	utf16     bool // the codes are UTF-16
	toUnicode map[int]string
	encoding  [256]string
	widths    map[int]float64 // in units of the text size
	fallback  float64
	core      string // the built-in font whose metrics serve
	vertical  bool
}

// font reads a font once.
func (p *pdfReader) font(o types.Object) *pdfFont {
	ref, isRef := o.(types.IndirectRef)
	if isRef {
		if f := p.fonts[ref.ObjectNumber.Value()]; f != nil {
			return f
		}
	}
	dict := p.dict(o)
	if dict == nil {
		return nil
	}
	f := &pdfFont{widths: map[int]float64{}, fallback: 0.5}
	if stream := p.stream(dict["ToUnicode"]); stream != nil {
		f.toUnicode = readCMap(stream)
	}
	if p.name(dict["Subtype"]) == "Type0" {
		p.wideFont(f, dict)
	} else {
		p.plainFont(f, dict)
	}
	if isRef && len(p.fonts) < 10_000 {
		p.fonts[ref.ObjectNumber.Value()] = f
	}
	return f
}

func (p *pdfReader) wideFont(f *pdfFont, dict types.Dict) {
	f.wide, f.fallback = true, 1
	name := p.name(dict["Encoding"])
	f.utf16 = strings.HasPrefix(name, "Uni")
	f.vertical = strings.HasSuffix(name, "-V")
	kids := p.array(dict["DescendantFonts"])
	if len(kids) == 0 {
		return
	}
	kid := p.dict(kids[0])
	if w, ok := p.number(kid["DW"]); ok {
		f.fallback = w / 1000
	}
	list := p.array(kid["W"])
	for i := 0; i+1 < len(list) && len(f.widths) < maxMapped; {
		first, _ := p.number(list[i])
		if widths := p.array(list[i+1]); widths != nil {
			for j, o := range widths {
				if w, ok := p.number(o); ok {
					f.widths[int(first)+j] = w / 1000
				}
			}
			i += 2
			continue
		}
		last, _ := p.number(list[i+1])
		if i+2 < len(list) {
			w, _ := p.number(list[i+2])
			for c := int(first); c <= int(last) && len(f.widths) < maxMapped; c++ {
				f.widths[c] = w / 1000
			}
		}
		i += 3
	}
}

func (p *pdfReader) plainFont(f *pdfFont, dict types.Dict) {
	base := p.name(dict["BaseFont"])
	if _, name, subset := strings.Cut(base, "+"); subset {
		base = name
	}
	p.encodingOf(f, dict, base)
	unit := 0.001
	if p.name(dict["Subtype"]) == "Type3" {
		if m := p.matrix(dict["FontMatrix"]); m[0] != 0 && m != identity {
			unit = m[0]
		}
	}
	widths := p.array(dict["Widths"])
	first, _ := p.number(dict["FirstChar"])
	for i, o := range widths {
		if w, ok := p.number(o); ok && i < 256 {
			f.widths[int(first)+i] = w * unit
		}
	}
	if w, ok := p.number(p.dict(dict["FontDescriptor"])["MissingWidth"]); ok && w > 0 {
		f.fallback = w * unit
	}
	if len(widths) == 0 {
		f.core = coreFont(base)
	}
}

// coreFont gives the built-in font that comes nearest to a font's name.
func coreFont(name string) string {
	if font.IsCoreFont(name) {
		return name
	}
	lower := strings.ToLower(name)
	bold, slanted := strings.Contains(lower, "bold"), strings.Contains(lower, "italic") || strings.Contains(lower, "oblique")
	family, italic, plain := "Helvetica", "Oblique", ""
	switch {
	case strings.Contains(lower, "courier"):
		family = "Courier"
	case strings.Contains(lower, "times"):
		family, italic, plain = "Times", "Italic", "-Roman"
	}
	switch {
	case bold && slanted:
		return family + "-Bold" + italic
	case bold:
		return family + "-Bold"
	case slanted:
		return family + "-" + italic
	}
	return family + plain
}

func (p *pdfReader) encodingOf(f *pdfFont, dict types.Dict, base string) {
	table := charmap.Windows1252
	encoding := p.object(dict["Encoding"])
	named := p.name(encoding)
	d, _ := encoding.(types.Dict)
	if d != nil {
		named = p.name(d["BaseEncoding"])
	}
	if named == "MacRomanEncoding" {
		table = charmap.Macintosh
	}
	for c := range f.encoding {
		if r := table.DecodeByte(byte(c)); r >= ' ' && r != 0xfffd {
			f.encoding[c] = string(r)
		}
	}
	if named == "" && p.name(dict["Subtype"]) == "Type1" {
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
	for _, o := range p.array(d["Differences"]) {
		if n, ok := p.number(o); ok {
			code = int(n)
			continue
		}
		if code >= 0 && code < 256 {
			if text, known := glyphText(p.name(o)); known {
				f.encoding[code] = text
			}
		}
		code++
	}
}

// decode gives the text and the width of each code of a shown string.
func (f *pdfFont) decode(s []byte, visit func(text string, width float64, code int)) {
	step := 1 + boolInt(f.wide)
	for i := 0; i+step <= len(s); i += step {
		code := int(s[i])
		if f.wide {
			code = code<<8 | int(s[i+1])
		}
		text, ok := f.toUnicode[code]
		switch {
		case ok:
		case f.utf16:
			text = string(utf16.Decode([]uint16{uint16(code)}))
		case !f.wide:
			text = f.encoding[code]
		}
		visit(text, f.width(code, text), code)
	}
}

func (f *pdfFont) width(code int, text string) float64 {
	if w, ok := f.widths[code]; ok {
		return w
	}
	if f.core != "" {
		for _, r := range text {
			if b, ok := charmap.Windows1252.EncodeRune(r); ok {
				if w, err := font.CharWidth(f.core, rune(b)); err == nil {
					return float64(w) / 1000
				}
			}
		}
	}
	return f.fallback
}

// readCMap reads a ToUnicode map: code to text.
func readCMap(data []byte) map[int]string {
	out := map[int]string{}
	s := &scanner{data: data}
	var operands []token
	for {
		t := s.next(0)
		if t.kind == tokenEnd || len(out) > maxMapped {
			return out
		}
		if t.kind != tokenOperator {
			if operands = append(operands, t); len(operands) > maxMapped {
				return out
			}
			continue
		}
		switch string(t.text) {
		case "endbfchar":
			for i := 0; i+1 < len(operands); i += 2 {
				out[codeOf(operands[i].text)] = utf16Text(operands[i+1].text, 0)
			}
		case "endbfrange":
			for i := 0; i+2 < len(operands); i += 3 {
				first, last := codeOf(operands[i].text), codeOf(operands[i+1].text)
				for c := first; c <= last && c-first < 1<<16 && len(out) <= maxMapped; c++ {
					if to := operands[i+2]; to.kind != tokenArray {
						out[c] = utf16Text(to.text, c-first)
					} else if c-first < len(to.list) {
						out[c] = utf16Text(to.list[c-first].text, 0)
					}
				}
			}
		}
		operands = operands[:0]
	}
}

func codeOf(b []byte) int {
	n := 0
	for _, c := range b[:min(len(b), 4)] {
		n = n<<8 | int(c)
	}
	return n
}

// utf16Text decodes the target of a map, its last unit moved on by add.
func utf16Text(b []byte, add int) string {
	if len(b) == 1 {
		return string(rune(int(b[0]) + add))
	}
	var units []uint16
	for i := 0; i+1 < len(b) && i < 64; i += 2 {
		units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
	}
	if len(units) == 0 {
		return ""
	}
	units[len(units)-1] += uint16(add)
	return strings.ReplaceAll(string(utf16.Decode(units)), "\x00", "")
}

var glyphNames = map[string]string{
	"space": " ", "exclam": "!", "quotedbl": `"`, "numbersign": "#", "dollar": "$", "percent": "%", "ampersand": "&", "quotesingle": "'",
	"parenleft": "(", "parenright": ")", "asterisk": "*", "plus": "+", "comma": ",", "hyphen": "-", "minus": "-", "period": ".", "slash": "/",
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"colon": ":", "semicolon": ";", "less": "<", "equal": "=", "greater": ">", "question": "?", "at": "@", "bracketleft": "[", "backslash": `\`,
	"bracketright": "]", "asciicircum": "^", "underscore": "_", "grave": "`", "braceleft": "{", "bar": "|", "braceright": "}", "asciitilde": "~",
	"quoteleft": "‘", "quoteright": "’", "quotedblleft": "“", "quotedblright": "”", "quotesinglbase": "‚", "quotedblbase": "„",
	"endash": "–", "emdash": "—", "bullet": "•", "ellipsis": "…", "dagger": "†", "daggerdbl": "‡", "perthousand": "‰", "fraction": "/",
	"guilsinglleft": "‹", "guilsinglright": "›", "guillemotleft": "«", "guillemotright": "»", "sterling": "£", "Euro": "€", "euro": "€", "yen": "¥",
	"cent": "¢", "currency": "¤", "section": "§", "paragraph": "¶", "copyright": "©", "registered": "®", "trademark": "™", "degree": "°",
	"plusminus": "±", "mu": "µ", "periodcentered": "·", "onehalf": "½", "onequarter": "¼", "threequarters": "¾", "onesuperior": "¹",
	"twosuperior": "²", "threesuperior": "³", "multiply": "×", "divide": "÷", "exclamdown": "¡", "questiondown": "¿", "germandbls": "ß",
	"ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "oslash": "ø", "Oslash": "Ø", "eth": "ð", "Eth": "Ð", "thorn": "þ", "Thorn": "Þ", "lslash": "ł",
	"Lslash": "Ł", "dotlessi": "ı", "dcroat": "đ", "Dcroat": "Đ", "fi": "fi", "fl": "fl", "ff": "ff", "ffi": "ffi", "ffl": "ffl", "nbspace": " ",
	"nonbreakingspace": " ", "sfthyphen": "-", "softhyphen": "-", "logicalnot": "¬", "ordfeminine": "ª", "ordmasculine": "º", "brokenbar": "¦",
	".notdef": "", "macron": "¯", "acute": "´", "dieresis": "¨", "cedilla": "¸", "circumflex": "ˆ", "tilde": "˜", "lessequal": "≤", "greaterequal": "≥",
}

var accents = map[string]string{
	"grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306", "dotaccent": "\u0307",
	"dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "caron": "\u030c", "cedilla": "\u0327", "commaaccent": "\u0327", "ogonek": "\u0328",
}

// glyphText gives the text of a glyph by its name.
func glyphText(name string) (string, bool) {
	if text, ok := glyphNames[name]; ok {
		return text, true
	}
	base, _, _ := strings.Cut(name, ".")
	if text, ok := glyphNames[base]; ok {
		return text, true
	}
	if len(base) == 1 {
		return base, true
	}
	for _, prefix := range []string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(base, prefix); ok && len(digits) >= 4 {
			if n, err := strconv.ParseUint(digits[:min(len(digits), 6-boolInt(prefix == "uni")*2)], 16, 32); err == nil {
				return string(rune(n)), true
			}
		}
	}
	if len(base) > 1 {
		if accent, ok := accents[base[1:]]; ok {
			return norm.NFC.String(base[:1] + accent), true
		}
	}
	return "", false
}
