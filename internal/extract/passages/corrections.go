package passages

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

var (
	// Corrects matches a sentence that states one value of a numbered location: "Loc 3
	// building value is $1.9m, not $1.5m".
	Corrects = vocabulary.Pattern(`(?i)^\W*(?:for |on |at )?{{sites.location|sites.building}}\.?\s*(?:#|no\.?|number)?\s*(\d{1,4}|[A-H])\b['’]?s?\s*(?:\([^)]{1,60}\))?[,:]?\s*(?:[-–—]\s*)?(?:the |its )?([%\pL][\pL /&-]{1,40}?)\s+{{corrections.states}}\s+(.{1,80}?)(?:,?\s+\(?{{corrections.instead}}\b.*)?[.;]?$`)
	// guarded matches a sentence that states the sprinklers of a numbered location in one word:
	// "Building 2 is sprinklered".
	guarded = vocabulary.Pattern(`(?i)^\W*{{sites.location|sites.building}}\.?\s*(?:#|no\.?|number)?\s*(\d{1,4}|[A-H])\s+(?:is|has|are)\s+({{corrections.degree}}*sprinkler(?:ed|s)?)\b`)
)

// everywhere matches a sentence that states the sprinklers of all locations.
var everywhere = vocabulary.Pattern(`(?i)\b{{protection.all}}(?: of the| three| four| five| \d+| these)*\s+{{sites.plural}}\b[^.;:?]{0,40}?\b((?:are|is|have|has)\b[^.;:?]{0,30}\bsprinkler(?:ed|s)?)\b`)

var denied = vocabulary.Pattern(`(?i)^{{protection.none of all}}\b`)

// correctAll sets the sprinklers of rows that do not state them, if a sentence states
// them for all locations.
func correctAll(d *layout.Document, rows []location.Row) {
	for _, l := range d.Lines {
		m := everywhere.FindStringSubmatch(l.Text)
		if m == nil || l.At.Quoted || strings.Contains(strings.ToLower(m[0]), "except") {
			continue
		}
		text := m[1]
		if denied.MatchString(m[0]) {
			text = "not sprinklered"
		}
		cell, ok := location.ReadCell(location.Column{Field: "~sprinkler_text", From: source.Prose, Scale: 1}, content.Cell{Text: text}, l.At)
		if !ok {
			return
		}
		cell.At = l.At
		for _, r := range rows {
			stated := false
			for f := range r.Cells {
				stated = stated || strings.Contains(f, "sprinkler")
			}
			if !stated {
				r.Cells["~sprinkler_text"] = cell
			}
		}
		return
	}
}

// Correct applies the corrections of single locations in the newest mail to the rows.
func Correct(d *layout.Document, rows []location.Row) {
	if len(rows) == 0 {
		return
	}
	correctAll(d, rows)
	byID := map[string]int{}
	for i, r := range rows {
		if id := r.LocationKey(); id != "" {
			if _, taken := byID[id]; !taken {
				byID[id] = i
			}
		}
	}
	if len(byID) == 0 {
		return
	}
	for _, l := range d.Lines {
		if l.At.Quoted || len(l.Text) > 300 {
			continue
		}
		line := strings.TrimSpace(pairs.WithoutMark(l.Text))
		for _, clause := range clauses.Split(andThe.ReplaceAllString(line, ". $1"), -1) {
			correctOne(rows, byID, clause, l.At)
		}
	}
}

var (
	clauses = lazyregexp.New(`[.;:]\s+`)
	andThe  = vocabulary.Pattern(`(?i),?\s+and\s+((?:the|{{sites.location}}|{{sites.building}})\b)`)
)

// correctOne applies the correction in one clause, which is about one location.
func correctOne(rows []location.Row, byID map[string]int, line string, at source.Place) {
	id, name, value := "", "", ""
	if m := guarded.FindStringSubmatch(line); m != nil {
		id, name, value = m[1], "~sprinkler_text", m[2]
	} else if m := Corrects.FindStringSubmatch(line); m != nil {
		if h, ok := recognise.Header(m[2]); ok {
			id, name, value = m[1], h.Field, m[3]
		}
	}
	i, known := byID[strings.TrimLeft(words.BareKey(id), "0")]
	if !known || name == "" || name == "location_id" || name == "~name" {
		return
	}
	cell, ok := location.ReadCell(location.Column{Field: name, From: source.Synonym, Scale: 1}, content.Cell{Text: value}, at)
	if !ok {
		return
	}
	cell.At = at
	delete(rows[i].Cells, name)
	if name == "~sprinkler_text" {
		delete(rows[i].Cells, "location_have_sprinklers")
	}
	rows[i].Cells[name] = cell
}
