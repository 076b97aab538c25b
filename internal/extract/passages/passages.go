// Package passages reads insured locations in running text: addresses in paragraphs and lists, the
// text about each address, and corrections in a mail.
package passages

import (
	"strings"
	"unicode/utf8"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
)

// Passage is a paragraph or an entry of a list.
type Passage struct {
	text   string
	id     string
	number string // of an entry in a list
	item   bool
	sites  bool // a heading or a label says that it states insured places
	at     source.Place
}

const (
	maxPassage = 3000 // bytes
	MaxHeading = 260  // bytes of a line that begins with the number of a location
	wrapsFrom  = 55   // bytes of a line after which a sentence can continue on the next line

	// paragraphsBelow is the number of empty lines below a location's heading that do not end its passage: its address and its
	// description can be separate paragraphs.
	paragraphsBelow = 2
)

// Read returns the paragraphs and entries of lists outside of tables, of the newest mail or
// of the older ones.
func Read(d *layout.Document, quoted bool) []Passage {
	var out []Passage
	labels := map[string]labelKind{} // labels repeat
	kindOf := func(label string) labelKind {
		kind, known := labels[label]
		if !known {
			kind = labelKindOf(label)
			labels[label] = kind
		}
		return kind
	}
	cur := Passage{}
	sites := false
	below := 0 // empty lines still allowed within the passage
	flush := func() {
		if cur.text != "" {
			out = append(out, cur)
			if !cur.sites || !cur.item {
				sites = sites && cur.item
			}
		}
		cur, below = Passage{}, 0
	}
	last := 0 // length of the line before
	for _, l := range d.Lines {
		if l.At.Quoted != quoted || l.Head {
			continue
		}
		text := strings.TrimSpace(withoutEmphasis(pairs.WithoutMarkup(l.Text)))
		switch {
		case l.Table != nil:
			flush()
			continue
		case l.Label != "":
			flush()
			is := NameSites(l.Label)
			out = append(out, Passage{text: l.Value, sites: is, at: l.At})
			sites = is
			continue
		case text == "":
			if below--; below < 0 {
				flush()
			}
			continue
		}
		written := withoutEmphasis(strings.TrimLeft(l.Text, layout.EmptyColumn+"\t"))
		item, id, behind, head := itemOf(written), "", "", false
		if item == "" && len(text) < MaxHeading {
			id, behind, head = Heading(text)
		}
		label, rest := leadLabel(written)
		if sites && label != "" && otherParty(label) {
			flush()
			sites = false
		}
		switch {
		case item != "":
			flush()
			cur = Passage{text: item, id: itemNumber(written, sites), number: itemNumber(written, true), item: true, sites: sites, at: l.At}
		case label != "" && kindOf(label) == ofPlaces:
			flush()
			sites = true
			number := itemNumber(rest, true)
			if inner := itemOf(rest); inner != "" {
				rest = inner
			}
			cur = Passage{text: rest, id: number, sites: true, item: true, at: l.At}
		case head:
			flush()
			cur = Passage{text: behind, id: id, item: true, sites: true, at: l.At}
			if cur.text == "" {
				cur.text = text + ":"
				below = paragraphsBelow
			}
		case !strings.HasSuffix(text, ".") && NameSites(strings.TrimRight(text, ": ")):
			flush()
			sites = true
		case label != "" && kindOf(label) == ofAddress && IsAddress(rest):
			flush()
			cur = Passage{text: rest, sites: sites, at: l.At}
		case cur.text != "" && !(last >= wrapsFrom || cur.item && strings.HasPrefix(l.Text, " ") || cur.sites && last > 0) ||
			label != "" && strings.Count(label, " ") < 5 && cur.text != "" && !(cur.item && kindOf(label) == ofBuilding):
			flush()
			cur = Passage{text: text, at: l.At}
		case cur.text == "":
			cur = Passage{text: text, sites: sites, at: l.At}
		case len(cur.text) < maxPassage && cur.item && label == "" && kindOf(firstWord(text)) == ofBuilding && IsAddress(cur.text):
			cur.text += ", " + text // a value, not the rest of the town
		case len(cur.text) < maxPassage:
			cur.text += " " + text
		}
		last = len(l.Text)
	}
	flush()
	return out
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// withoutEmphasis removes the marks of emphasis of Markdown.
func withoutEmphasis(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "**", ""), "__", "")
}

const MaxLabel = 60 // bytes

// leadLabel returns the label at the beginning of a line: the text before a colon, a tab or
// several spaces.
func leadLabel(text string) (label, rest string) {
	text = strings.TrimLeft(text, " \t")
	if text == "" || !parse.IsLetter(rune(text[0])) && text[0] < utf8.RuneSelf {
		return "", ""
	}
	for i := range min(len(text), MaxLabel) {
		switch {
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'), text[i] == '\t', strings.HasPrefix(text[i:], "   "):
			return strings.TrimRight(text[:i], " "), strings.TrimLeft(text[i:], " \t:")
		case strings.IndexByte(";?!|*\"", text[i]) >= 0:
			return "", ""
		}
	}
	return "", ""
}

// labelKind says what a label is about.
type labelKind int

const (
	ofOthers   labelKind = iota
	ofPlaces             // insured places
	ofBuilding           // a value or a detail of a location
	ofAddress            // the address of a location, or of the insured
)

func labelKindOf(label string) labelKind {
	if NameSites(label) || isPlace(label) {
		return ofPlaces
	}
	if m, ok := recognise.AnyHeader(label); ok && m.Field == "location_address" {
		if named, known := recognise.Label(label); !known || named.Field == "~address" {
			return ofAddress
		}
	} else if ok && (location.ValueColumns[m.Field] || location.BuildingColumns[m.Field]) {
		return ofBuilding
	}
	return ofOthers
}
