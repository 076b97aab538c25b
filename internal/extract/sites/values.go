package sites

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// valuesLead matches text that can stand before a list of values.
var valuesLead = vocabulary.Pattern(`(?i)^\W*(?:{{property.before values}}\s+)*{{property.values}}\s*(?:\([^)]*\))?\s*[:–-]\s*`)

var inlineSum = vocabulary.Pattern(`(?i)^[\s•*-]*([\pL][\pL&/ ]{0,40}?)\s*(?:\([^()]*\)\s*)?(?:[:=@–-]|\bof\b)?\s*({{money.sign|money.code}}?\s*\d[\d,.'’]*(?: \d{3})*\s*{{money.scale}}?\.?\s*(?:€|{{money.behind}}\b)?)\s*(?:\(([^)]*)\))?\.?\s*$`)

var hasCurrency = vocabulary.Pattern(`\d\s*(?:{{money.sign}}|{{money.code}}\b|{{money.behind}}\b)|(?:{{money.sign}}|\b{{money.code}})\s*\d`)

// inline reads "Buildings £4.5m; M&P £3.2m; GP £6m (18 months)" for the open location.
func (b *blocks) inline(line string, at source.Place) bool {
	if b.current == nil || len(line) > 400 {
		return false
	}
	if m := valuesLead.FindString(line); m != "" {
		line = line[len(m):]
	}
	parts := strings.Split(strings.Join(pairs.ColumnsOf(strings.ReplaceAll(line, " / ", ";")), ";"), ";")
	if len(parts) == 1 {
		parts = strings.Split(line, ", ")
	}
	found := map[string]location.Cell{}
	for _, part := range parts {
		m := inlineSum.FindStringSubmatch(part)
		if m == nil {
			return false
		}
		target := location.CategoryOf(m[1])
		if h, ok := recognise.AnyHeader(m[1]); ok && target == "" && (h.Field == "location_pd" || h.Field == "contents_tiv") {
			target = h.Field
		}
		a, _, ok := parse.Money(m[2])
		if !ok || a < 1_000_00 {
			return false
		}
		if target == "" {
			continue // "Contents & stock" is neither
		}
		b.Propose("business_interruption_period", parse.IndemnityPeriod.FindString(part), source.Prose, 1, at)
		cell := location.Cell{From: source.Synonym, At: at, Value: a}
		if held, taken := found[target]; taken {
			cell.Value += held.Value
		}
		found[target] = cell
	}
	if len(found) < 2 && !b.passing {
		return false
	}
	b.current.Complete(location.Row{Cells: found})
	return true
}

// sumsOf returns the sums of texts that each consist of the words for insured property and an
// amount. It returns nil if one does not.
func sumsOf(texts []string, at source.Place) map[string]location.Cell {
	found := map[string]location.Cell{}
	for _, text := range texts {
		m := inlineSum.FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		target := location.CategoryOf(m[1])
		if h, ok := recognise.AnyHeader(m[1]); ok && target == "" && recognise.MoneyColumns[h.Field] {
			target = h.Field
		}
		if a, _, ok := parse.Money(m[2]); ok && a >= 1_000_00 && target != "" {
			found[target] = location.Cell{From: source.Synonym, At: at, Value: a}
		}
	}
	return found
}

// describe adds what a line says about the construction and the protection of the open
// location. In a line with labels, the construction does not count, because a label states it.
func (b *blocks) describe(line string, at source.Place) {
	if b.current == nil || len(line) > 400 {
		return
	}
	said := location.Row{Cells: map[string]location.Cell{}}
	location.DescribeBuilding(said, line, at)
	if key := b.current.NumberKey(); key != "" && len(said.Cells) > 0 && refersElsewhere(line, key) {
		for f := range answered {
			delete(said.Cells, f) // "Sprinklers only at site 1", below site 2
		}
	}
	for f, c := range said.Cells {
		if _, taken := b.current.Cells[f]; !taken && (!strings.ContainsAny(line, "?:") || f == "location_have_sprinklers" || f == "~built" || f == "~stories") {
			b.current.Cells[f] = c
		}
	}
}

// refersElsewhere reports whether a line names locations by their numbers, but not the one with the given key.
func refersElsewhere(line, key string) bool {
	about := location.References(line)
	return len(about) > 0 && !slices.Contains(about, key)
}

// sums reads "Bradford: Buildings 7,200,000; Stock 2,100,000".
func (b *blocks) sums(text string, at source.Place) bool {
	name, list, ok := strings.Cut(text, ":")
	if !ok || len(name) > 60 || column.IsTotal(name) || strings.Contains(strings.ToLower(name), "total") {
		return false
	}
	if _, known := recognise.Label(name); known || headerOrCategory(name) || len(location.References(name)) > 0 || !namesPlace(name) {
		return false
	}
	row := location.Row{Cells: map[string]location.Cell{}, At: at}
	for part := range strings.SplitSeq(list, ";") {
		m := sumItem.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		target := location.CategoryOf(m[1])
		a, _, ok := parse.Money(m[2])
		if target == "" || !ok || a < 1_000_00 {
			continue
		}
		cell := location.Cell{From: source.Signature, At: at, Value: a}
		if held, taken := row.Cells[target]; taken {
			cell.Value += held.Value
		}
		row.Cells[target] = cell
	}
	if len(row.Cells) < 2 {
		return false
	}
	name = strings.TrimSpace(name)
	cell := location.Cell{Text: name, From: source.Prose, At: at}
	row.Cells["~name"] = cell
	if a := address.Parse(name); a.City != "" || words.Count(name) <= 2 {
		row.Cells["location_city"] = cell
	}
	b.close()
	b.rows = append(b.rows, row)
	return true
}

// namesPlace reports whether a text can be the name of a place: its words are capitalised, it has a number, or it
// has a word for a place, as in "Main site". "Reserve set" has none of these.
func namesPlace(name string) bool {
	for w := range strings.FieldsSeq(name) {
		if first, _ := utf8.DecodeRuneInString(w); unicode.IsLower(first) && !parse.IsJoiner(w) && !vocabulary.Set("addresses.joiner")[w] {
			return parse.DigitsForm.MatchString(name) || len(vocabulary.Sites().Find(name)) > 0
		}
	}
	return true
}

func headerOrCategory(name string) bool {
	_, ok := recognise.Header(name)
	return ok || location.CategoryOf(name) != ""
}
