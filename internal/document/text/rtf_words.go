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

// word acts on a control word.
func (p *rtfParser) word(name string, number int, hasNumber bool) {
	g := &p.group
	first := g.unnamed
	g.unnamed = false
	switch {
	case first && (rtfSkipped[name] || g.optional && !rtfShown[name]):
		g.skip = true
	case first && name == "fonttbl":
		g.fonts = true
	case first && rtfHeadersFooters[name] && !g.skip:
		p.openHeaderFooter()
	case rtfSymbols[name] != "":
		p.write(rtfSymbols[name])
	case name == "u" && hasNumber:
		p.skip = 0
		p.unicode(number)
	case name == "uc" && hasNumber:
		g.fallback = min(max(number, 0), 100)
	case name == "bin" && hasNumber:
		p.at += min(max(number, 0), len(p.data)-p.at)
	case name == "v" || name == "deleted":
		p.flush()
		g.hidden = !hasNumber || number != 0
	case name == "plain":
		p.flush()
		g.hidden = false
	default:
		p.structure(name, number)
	}
}

func (p *rtfParser) openHeaderFooter() {
	p.endParagraph(false)
	p.EndTable()
	p.group.headerFooter, p.HeaderFooter, p.group.inTable = true, true, false
}

// structure acts on the control words for fonts, paragraphs and tables.
func (p *rtfParser) structure(name string, number int) {
	g := &p.group
	switch name {
	case "ansicpg":
		p.encoding = decode.CodePage(number)
	case "mac":
		p.encoding = decode.CodePage(10000)
	case "pc":
		p.encoding = decode.CodePage(437)
	case "f":
		p.flush()
		p.definedFont, g.font = number, number
	case "fcharset":
		if page := rtfCharsets[number]; g.fonts && page != 0 && len(p.encodings) < 10_000 {
			p.encodings[p.definedFont] = decode.CodePage(page)
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
		p.endParagraph(g.inTable)
	case "nestrow":
		p.endParagraph(true)
	case "nestcell":
		p.write("\t")
	case "cell":
		p.endParagraph(true)
		p.EndCell()
	case "row":
		p.endParagraph(true)
		p.EndRow()
	}
}

func (p *rtfParser) endParagraph(inTable bool) {
	p.flush()
	text := p.paragraph.String()
	p.paragraph.Reset()
	p.high = 0
	if inTable {
		p.CellParagraph(text)
	} else if text != "" || p.InTable() {
		p.Paragraph(text)
	}
}
