package passages

import (
	"slices"
	"strings"
	"unicode/utf8"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

// numberedHead matches a heading with a number, which a text can follow: "Risikoort 1", "Building 2 -
// Annex". The groups are the words, the number and the text.
var numberedHead = lazyregexp.New(`(?i)^\W*([\pL][\pL ]{2,40}?)\s*(?:#|no\.?|nr\.?|n[°º]\.?)?\s*(\d{1,3}|[A-H])\s*(?:\([^()]{2,40}\)\s*)?(?:[:.)–—-]+\s*(.*))?$`)

// Heading returns the number of a location in its heading, and the text after the number.
func Heading(line string) (id, rest string, ok bool) {
	h := headings.Of(line)
	return h.id, h.rest, h.ok
}

// numbered is a heading with the number of a location, if ok is true.
type numbered struct {
	id, rest string
	ok       bool
}

var headings = memo.New(func(line string) (h numbered) {
	h.id, h.rest, h.ok = heading(line)
	return h
})

func heading(line string) (id, rest string, ok bool) {
	if m := location.SiteHead.FindStringSubmatchIndex(line); m != nil {
		if before := strings.TrimRight(line[:m[2]], " \t"); strings.HasSuffix(before, ":") && !strings.Contains(before, "#") && startsStreet(line[m[2]:]) {
			return "", "", false // "Property: 12 Elm Row, Salem, OR 97301"
		}
		return line[m[2]:m[3]], line[m[4]:m[5]], true
	}
	if !parse.HasDigit(line) && !strings.HasSuffix(strings.TrimRight(line[:max(len(line)-1, 0)], ")"), " ") {
		return "", "", false // this check is faster than the pattern
	}
	m := numberedHead.FindStringSubmatch(words.Unnumbered(line))
	if m == nil || !NameSites(m[1]) && (!isPlace(m[1]) || m[3] != "") || m[3] != "" && !IsAddress(m[3]) && !IsName(m[3]) {
		return "", "", false
	}
	return m[2], m[3], true
}

// IsName reports whether the text after the number of a location can be its name: a few words without
// digits.
func IsName(text string) bool {
	return len(text) <= maxName && words.Capital(text) && !strings.ContainsAny(text, parse.Digits+":;.,?☐☒☑[") && words.Count(text) <= maxNameWords
}

const (
	maxName      = 40 // bytes of the name of a location in its heading
	maxNameWords = 5
)

// startsStreet reports whether a text is an address that begins with a house number.
func startsStreet(text string) bool {
	a := address.Parse(text)
	return parse.WrittenAddress(a) && address.IsStreet(a.Street) && !strings.ContainsAny(text, ":#\t")
}

// IsAddress reports whether the text after the number of a location is an address.
func IsAddress(text string) bool {
	if at := strings.Index(text, " ("); at > 0 && strings.HasSuffix(text, ")") {
		text = text[:at] // a description in brackets follows
	}
	arranged := address.Arrange(text)
	return arranged != text || parse.WrittenAddress(address.Parse(text))
}

// IsHeading reports whether a text is the heading of a location.
func IsHeading(text string) bool {
	_, _, ok := Heading(text)
	return ok
}

// NameSites reports whether a heading or a label announces insured places.
func NameSites(text string) bool {
	if len(text) > maxHeading || strings.Contains(text, ": ") {
		return false
	}
	text = words.Numbering.ReplaceAllString(words.Bracketed.ReplaceAllString(text, " "), "")
	found := vocabulary.Sites().Whole(text, 0)
	return slices.ContainsFunc(found, func(m vocabulary.Match) bool { return m.Meaning == "sites" })
}

// isPlace reports whether a label is a word for a building or a place, and nothing else.
func isPlace(label string) bool {
	words := vocabulary.Words(label)
	found := vocabulary.Sites().FindWords(words)
	return len(found) == 1 && found[0].Meaning == "place" && found[0].First == 0 && found[0].Last == len(words)-1
}

const maxHeading = 70 // bytes in a heading above locations

// itemOf returns the text of an entry of a list, or "".
func itemOf(line string) string {
	start := strings.TrimLeft(line, " \t(")
	if len(start) < 3 || len(start) == len(line) && !strings.ContainsAny(start[:3], ".)- ") && start[0] < utf8.RuneSelf {
		return ""
	}
	for _, form := range []*lazyregexp.Regexp{ListItem, letteredItem} {
		if m := form.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

var letteredItem = lazyregexp.New(`^\s*\(?[a-hA-H][.)]\s+(.+)$`)

var ListItem = lazyregexp.New(`^\s*(?:\(?\d{1,3}[.)]|[-•*·▪])\s+(.+)$`)

// itemNumber returns the number of an entry in a list of places, or "".
func itemNumber(line string, sites bool) string {
	if m := numberedItem.FindStringSubmatch(line); m != nil && sites {
		return m[1]
	}
	return ""
}

var numberedItem = lazyregexp.New(`^\s*\(?(\d{1,3})[.)]\s`)

// Addresses splits a text that consists of complete addresses. It returns nil for other texts.
func Addresses(text string) []string {
	parts := connectors.Split(text, maxSplit)
	for i, p := range parts {
		parts[i] = strings.Trim(p, " ,.")
		if !parse.HasDigit(p) {
			return nil // no postal code
		}
		if a := address.Parse(parts[i]); !parse.WrittenAddress(a) || a.PostalCode == "" {
			return nil
		}
	}
	return parts
}

const maxSplit = 50

// connectors matches the separators between addresses in a text.
var connectors = vocabulary.Pattern(`\s*;\s*|\s*\n\s*|\s(?:{{connectives.and}}|&)\s`)

func AddressRow(address string, at source.Place) location.Row {
	row := location.Row{Cells: map[string]location.Cell{}, At: at}
	row.Add("location_address", address, source.Prose, at)
	return row
}
