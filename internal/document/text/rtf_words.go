package text

import "understudy.example/internal/document/decode"

// rtfSkipped are the groups whose text does not belong to the document.
var rtfSkipped = map[string]bool{
	"colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "fldinst": true, "listtable": true, "listoverridetable": true,
	"revtbl": true, "rsidtbl": true, "themedata": true, "colorschememapping": true, "latentstyles": true, "datastore": true, "generator": true,
	"filetbl": true, "xmlnstbl": true, "bkmkstart": true, "bkmkend": true, "listtext": true, "pntext": true, "nonshppict": true, "xe": true, "tc": true,
	"annotation": true, "atnid": true, "atnauthor": true, "atntime": true, "formfield": true, "datafield": true, "do": true, "private": true,
	"nonesttables": true, "sp": true, "ftnsep": true, "ftnsepc": true, "aftnsep": true, "aftnsepc": true,
}

// rtfShown are the groups marked as optional whose text is shown.
var rtfShown = map[string]bool{"shptxt": true, "shpinst": true, "result": true, "shppict": true, "nesttableprops": true, "footnote": true}

// rtfHeadersFooters are the groups of page headers and footers.
var rtfHeadersFooters = map[string]bool{
	"header": true, "headerl": true, "headerr": true, "headerf": true, "footer": true, "footerl": true, "footerr": true, "footerf": true,
}

// rtfSymbols are the control words that stand for a character.
var rtfSymbols = map[string]string{
	"tab": "\t", "line": "\n", "lbr": "\n", "softline": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ",
}

// rtfCharsets maps the character sets of fonts to code pages.
var rtfCharsets = map[int]int{
	77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// word acts on a control word. It returns the number of bytes of binary data that
// follow it.
func (t *rtfText) word(name string, number int, hasNumber bool) (binary int) {
	g := &t.group
	first := g.unnamed
	g.unnamed = false
	switch {
	case first && (rtfSkipped[name] || g.optional && !rtfShown[name]):
		g.skip = true
	case first && name == "fonttbl":
		g.fonts = true
	case first && rtfHeadersFooters[name] && !g.skip:
		t.openHeaderFooter()
	case rtfSymbols[name] != "":
		t.write(rtfSymbols[name])
	case name == "u" && hasNumber:
		t.skip = 0
		t.unicode(number)
	case name == "uc" && hasNumber:
		g.fallback = min(max(number, 0), 100)
	case name == "bin" && hasNumber:
		return max(number, 0)
	case name == "v" || name == "deleted":
		t.flush()
		g.hidden = !hasNumber || number != 0
	case name == "plain":
		t.flush()
		g.hidden = false
	default:
		t.structure(name, number)
	}
	return 0
}

func (t *rtfText) openHeaderFooter() {
	t.endParagraph(false)
	t.EndTable()
	t.group.headerFooter, t.HeaderFooter, t.group.inTable = true, true, false
}

// structure acts on the control words for fonts, paragraphs and tables.
func (t *rtfText) structure(name string, number int) {
	g := &t.group
	switch name {
	case "ansicpg":
		t.encoding = decode.CodePage(number)
	case "mac":
		t.encoding = decode.CodePage(10000)
	case "pc":
		t.encoding = decode.CodePage(437)
	case "f":
		t.flush()
		t.definedFont, g.font = number, number
	case "fcharset":
		if page := rtfCharsets[number]; g.fonts && page != 0 && len(t.encodings) < 10_000 {
			t.encodings[t.definedFont] = decode.CodePage(page)
		}
	case "pard":
		g.inTable = false
	case "intbl":
		g.inTable = true
	}
	if g.silent() {
		return
	}
	switch name {
	case "par", "sect", "page":
		t.endParagraph(g.inTable)
	case "nestrow":
		t.endParagraph(true)
	case "nestcell":
		t.write("\t")
	case "cell":
		t.endParagraph(true)
		t.EndCell()
	case "row":
		t.endParagraph(true)
		t.EndRow()
	}
}
