package document

// rtfSkipped are the groups whose text is not text of the document.
var rtfSkipped = map[string]bool{
	"colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "fldinst": true, "listtable": true, "listoverridetable": true,
	"revtbl": true, "rsidtbl": true, "themedata": true, "colorschememapping": true, "latentstyles": true, "datastore": true, "generator": true,
	"filetbl": true, "xmlnstbl": true, "bkmkstart": true, "bkmkend": true, "listtext": true, "pntext": true, "nonshppict": true, "xe": true, "tc": true,
	"annotation": true, "atnid": true, "atnauthor": true, "atntime": true, "formfield": true, "datafield": true, "do": true, "private": true,
	"nonesttables": true, "sp": true, "ftnsep": true, "ftnsepc": true, "aftnsep": true, "aftnsepc": true,
}

// rtfShown are groups marked as optional whose text is shown.
var rtfShown = map[string]bool{"shptxt": true, "shpinst": true, "result": true, "shppict": true, "nesttableprops": true, "footnote": true}

var rtfHeads = map[string]bool{
	"header": true, "headerl": true, "headerr": true, "headerf": true, "footer": true, "footerl": true, "footerr": true, "footerf": true,
}

var rtfSigns = map[string]string{
	"tab": "\t", "line": "\n", "lbr": "\n", "softline": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ",
}

// rtfCharsets are the code pages of the charsets of fonts.
var rtfCharsets = map[int]int{
	77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// named acts on a word.
func (w *rtfWalk) named(name string, number int, hasNumber bool) {
	g := &w.group
	first := g.first
	g.first = false
	on := !hasNumber || number != 0
	switch {
	case first && (rtfSkipped[name] || g.starred && !rtfShown[name]):
		g.skip = true
	case first && name == "fonttbl":
		g.fonts = true
	case first && rtfHeads[name] && !g.skip:
		w.openHead()
	case rtfSigns[name] != "":
		w.put(rtfSigns[name])
	case name == "u" && hasNumber:
		w.pass = 0
		w.unit(number)
	case name == "uc" && hasNumber:
		g.instead = min(max(number, 0), 100)
	case name == "bin" && hasNumber:
		w.at += min(max(number, 0), len(w.data)-w.at)
	case name == "v" || name == "deleted":
		w.flush()
		g.hidden = on
	case name == "plain":
		w.flush()
		g.hidden = false
	default:
		w.structure(name, number)
	}
}

func (w *rtfWalk) openHead() {
	w.endParagraph(false)
	w.endTable()
	w.group.head, w.head, w.group.inTable = true, true, false
}

// structure acts on the words for fonts, paragraphs and tables.
func (w *rtfWalk) structure(name string, number int) {
	g := &w.group
	switch name {
	case "ansicpg":
		w.page = codePage(number)
	case "mac":
		w.page = codePage(10000)
	case "pc":
		w.page = codePage(437)
	case "f":
		w.flush()
		w.defines, g.font = number, number
	case "fcharset":
		if page := rtfCharsets[number]; g.fonts && page != 0 && len(w.pages) < 10_000 {
			w.pages[w.defines] = codePage(page)
		}
	case "pard":
		g.inTable = false
	case "intbl":
		g.inTable = true
	}
	if g.skip || g.hidden || g.fonts {
		return
	}
	switch name {
	case "par", "sect", "page":
		w.endParagraph(g.inTable)
	case "nestrow":
		w.endParagraph(true)
	case "nestcell":
		w.put("\t")
	case "cell":
		w.endParagraph(true)
		w.endCell()
	case "row":
		w.endParagraph(true)
		w.endRow()
	}
}

func (w *rtfWalk) endParagraph(inTable bool) {
	w.flush()
	text := w.para.String()
	w.para.Reset()
	w.high = 0
	if inTable {
		w.inCell(text)
	} else if text != "" || len(w.rows)+len(w.row) > 0 {
		w.paragraph(text)
	}
}
