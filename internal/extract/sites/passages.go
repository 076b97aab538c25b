package sites

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// passage is a paragraph or an entry of a list.
type passage struct {
	text  string
	id    string
	item  bool
	sites bool // a heading or a label says that it states insured places
	at    source.Place
}

var (
	leadLabel = lazyregexp.New(`^\s*([\pL][\pL\d .,'’/&()#-]{1,60}?)\s*(?::(?:\s|$)|\t| {3,})`)
)

// emphasis removes the marks of emphasis of Markdown.
var emphasis = strings.NewReplacer("**", "", "__", "")

const (
	maxPassage = 3000 // bytes
	wrapsFrom  = 55   // bytes of a line after which a sentence can continue on the next line
)

// passagesOf returns the paragraphs and entries of lists outside of tables.
func passagesOf(d *layout.Document, quoted bool) []passage {
	var out []passage
	labels := map[string]labelKind{} // labels repeat
	kindOf := func(label string) labelKind {
		kind, known := labels[label]
		if !known {
			kind = labelKindOf(label)
			labels[label] = kind
		}
		return kind
	}
	cur := passage{}
	sites := false
	flush := func() {
		if cur.text != "" {
			out = append(out, cur)
			if !cur.sites || !cur.item {
				sites = sites && cur.item
			}
		}
		cur = passage{}
	}
	last := 0 // length of the line before
	for _, l := range d.Lines {
		text := strings.TrimSpace(emphasis.Replace(pairs.Markup.ReplaceAllString(l.Text, "")))
		switch {
		case l.At.Quoted != quoted || l.Head:
			continue
		case l.Table != nil:
			flush()
			continue
		case l.Label != "":
			flush()
			is := isSites(l.Label)
			out = append(out, passage{text: l.Value, sites: is, at: l.At})
			sites = is
			continue
		case text == "":
			flush()
			continue
		}
		written := emphasis.Replace(l.Text)
		item := listItem.FindStringSubmatch(written)
		if item == nil {
			item = letteredItem.FindStringSubmatch(written)
		}
		head := location.SiteHead.FindStringSubmatch(text)
		label := leadLabel.FindStringSubmatch(written)
		switch {
		case item != nil:
			flush()
			cur = passage{text: item[1], item: true, sites: sites, at: l.At}
		case label != nil && kindOf(label[1]) == ofPlaces:
			flush()
			sites = true
			rest := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(written)[len(strings.TrimSpace(label[1])):], " \t:"))
			if m := listItem.FindStringSubmatch(rest); m != nil {
				rest = m[1]
			}
			cur = passage{text: rest, sites: true, item: true, at: l.At}
		case head != nil && len(text) < 260:
			flush()
			cur = passage{text: head[2], id: head[1], item: true, sites: true, at: l.At}
			if cur.text == "" {
				cur.text = text
			}
		case len(text) < 70 && !strings.HasSuffix(text, ".") && isSites(strings.TrimRight(text, ": ")):
			flush()
			sites = true
		case cur.text != "" && !(last >= wrapsFrom || cur.item && strings.HasPrefix(l.Text, " ") || cur.sites && last > 0) ||
			label != nil && len(strings.Fields(label[1])) <= 5 && cur.text != "" && !(cur.item && kindOf(label[1]) == ofBuilding):
			flush()
			cur = passage{text: text, at: l.At}
		case cur.text == "":
			cur = passage{text: text, sites: sites, at: l.At}
		case len(cur.text) < maxPassage:
			cur.text += " " + text
		}
		last = len(l.Text)
	}
	flush()
	return out
}

// labelKind says what a label is about.
type labelKind int

const (
	ofOthers   labelKind = iota
	ofPlaces             // insured places
	ofBuilding           // a value or a detail of a location
)

func labelKindOf(label string) labelKind {
	if isSites(label) || isPlace(label) {
		return ofPlaces
	}
	if m, ok := recognise.AnyHeader(label); ok && (location.ValueColumns[m.Field] || location.BuildingColumns[m.Field]) {
		return ofBuilding
	}
	return ofOthers
}

var letteredItem = lazyregexp.New(`^\s*\(?[a-hA-H][.)]\s+(.+)$`)

// isSites reports whether a heading or a label announces insured places.
func isSites(text string) bool {
	text = words.Numbering.ReplaceAllString(words.Bracketed.ReplaceAllString(text, " "), "")
	found := vocabulary.Sites().Whole(text, 0)
	return slices.ContainsFunc(found, func(m vocabulary.Match) bool { return m.Meaning == "sites" })
}

// isPlace reports whether a label names a building.
func isPlace(label string) bool {
	words := vocabulary.Words(label)
	found := vocabulary.Sites().FindWords(words)
	return len(found) == 1 && found[0].Meaning == "place" && found[0].First == 0 && found[0].Last == len(words)-1
}
