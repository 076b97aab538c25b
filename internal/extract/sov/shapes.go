package sov

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// transposed converts a table with one location per column and the headers in the first column. It
// uses the rows from the first to the last one with values for several locations. It returns nil
// for other tables.
func transposed(t *content.Table) *content.Table {
	const most = 200 // rows of headers
	if len(t.Rows) < 3 || len(t.Rows) > most {
		return nil
	}
	lead := leadColumn(t)
	t = withoutRetentions(withHeadAddresses(t, lead), lead)
	width, headers, rows, forms, placed := 0, 0, 0, 0, false
	first, last := -1, 0
	for i, row := range t.Rows {
		if len(row) <= lead {
			continue
		}
		filled := 0
		for _, c := range row[lead+1:] {
			if strings.TrimSpace(c.Text) == "" {
				continue
			}
			if filled++; filled <= 3 {
				_, label := recognise.HeaderForms()[words.Key(c.Text)]
				if m, ok := recognise.LabelForms()[words.Key(c.Text)]; (label || ok && m.From == source.Label) && len(c.Text) > 2 && !column.IsTotal(c.Text) {
					forms++ // a label beside a label, as in a form
				}
			}
		}
		if filled < 2 {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		width = max(width, len(row)-lead)
		rows++
		if m, ok := recognise.Header(strings.TrimRight(row[lead].Text, ": ")); ok && m.From >= source.Fuzzy {
			headers++
			placed = placed || location.PlaceColumns[m.Field]
			if m.Field == "location_address" && !holdHeads(t.Rows[first][lead+1:]) && !holdStreets(row[lead+1:]) {
				return nil
			}
		}
	}
	numbered := first >= 0 && holdHeads(t.Rows[first][lead+1:])
	if numbered {
		rows--
	}
	if len(t.Rows) < 4 && !numbered || width < 3 || width > location.MaxLocations || headers < 4 && !numbered || headers < 2 || headers*2 < rows || forms > 1 && forms*4 > rows || !placed && !numbered {
		return nil
	}
	turned := &content.Table{Title: t.Title, Hidden: t.Hidden, Rows: make([][]content.Cell, width)}
	for j := range turned.Rows {
		turned.Rows[j] = make([]content.Cell, last+1-first)
		for i, row := range t.Rows[first : last+1] {
			if lead+j < len(row) {
				turned.Rows[j][i] = row[lead+j]
			}
		}
	}
	// "Location 1", "Location 2" above the columns are the numbers of the locations, unless a row below
	// states them.
	if numbered && slices.ContainsFunc(turned.Rows[0][1:], func(c content.Cell) bool {
		m, ok := recognise.Header(strings.TrimRight(c.Text, ": "))
		return ok && m.Field == "location_id"
	}) {
		turned.Rows[0][0].Text = ""
	} else if numbered {
		turned.Rows[0][0].Text = "Location #"
		for _, row := range turned.Rows[1:] {
			if ids := location.References(row[0].Text); len(ids) == 1 {
				row[0].Text = strings.ToUpper(ids[0])
			}
		}
	} else if _, known := recognise.Header(turned.Rows[0][0].Text); !known {
		turned.Rows[0][0].Text = "Location"
		for _, row := range turned.Rows[1:] {
			if m := location.SiteHead.FindStringSubmatch(row[0].Text); m != nil {
				turned.Rows[0][0].Text, row[0].Text = "Location #", m[1]
			}
		}
	}
	return turned
}

// holdHeads reports whether at least two cells hold the headings of locations, such as "Site 1",
// and the others totals or nothing.
func holdHeads(cells []content.Cell) bool {
	heads := 0
	for _, c := range cells {
		switch text := strings.TrimSpace(c.Text); {
		case len(text) < maxHead && (len(location.References(text)) == 1 || premisesNumber.MatchString(text)):
			heads++
		case text != "" && !column.IsTotal(text):
			return false
		}
	}
	return heads > 1
}

const maxHead = 40 // bytes of the heading of a location above its column

// holdStreets reports whether most of the cells with text hold street addresses.
func holdStreets(cells []content.Cell) bool {
	streets, filled := 0, 0
	for _, c := range cells {
		if text := strings.TrimSpace(c.Text); text != "" && !column.IsTotal(text) {
			filled++
			if parse.HasDigit(text) && strings.ContainsFunc(text, parse.IsLetter) || address.IsStreet(text) {
				streets++
			}
		}
	}
	return streets*2 > filled
}

// leadColumn returns the column in which most rows with several cells begin.
func leadColumn(t *content.Table) int {
	counts := map[int]int{}
	best := 0
	for _, row := range t.Rows {
		if layout.FilledCells(row) < 3 {
			continue
		}
		j := slices.IndexFunc(row, func(c content.Cell) bool { return !c.Merged && strings.TrimSpace(c.Text) != "" })
		if counts[j]++; counts[j] > counts[best] {
			best = j
		}
	}
	return best
}

// StackedSites converts locations that are side by side, each with its own columns of
// labels and values, to locations below each other. It returns nil if there are none.
func StackedSites(rows [][]content.Cell) [][]content.Cell {
	if len(rows) < 3 {
		return nil
	}
	var starts []int
	for j, c := range rows[0] {
		switch {
		case c.Merged || strings.TrimSpace(c.Text) == "":
		case location.SiteHead.MatchString(c.Text):
			starts = append(starts, j)
		default:
			return nil
		}
	}
	if len(starts) < 2 || starts[1]-starts[0] < 2 {
		return nil
	}
	var stacked [][]content.Cell
	for n, from := range starts {
		for _, row := range rows {
			to := len(row)
			if n+1 < len(starts) {
				to = min(starts[n+1], len(row))
			}
			if from < to {
				stacked = append(stacked, row[from:to])
			}
		}
	}
	return stacked
}

const maxTitles = 30 // rows above a header

// titles returns the texts of the rows above a header. Rows with several cells count only if the first is a title or
// a company's name; otherwise it is probably a label, such as "Producer" beside "Alder LLC".
func titles(rows [][]content.Cell) (texts []string) {
	for _, row := range rows[:min(len(rows), maxTitles)] {
		first := slices.IndexFunc(row, func(c content.Cell) bool { return strings.TrimSpace(c.Text) != "" })
		if first >= 0 && layout.FilledCells(row) > 1 && !parse.DocTitle.MatchString(row[first].Text) && !parse.LegalName.MatchString(row[first].Text) {
			continue
		}
		texts = append(texts, layout.RowText(row))
	}
	return texts
}

// titleRows extracts the insured's name from the titles above a header: a company's
// complete name, alone or beside the title of the document.
func (d *Tables) titleRows(titles []string, at source.Place) {
	for _, text := range titles {
		text = strings.TrimSpace(text)
		if len(text) > 100 || at.Quoted {
			continue
		}
		name := text
		if m := parse.TitleName.FindStringSubmatch(text); m != nil {
			name = m[1] + m[2]
		}
		if m := parse.LegalName.FindStringIndex(name); m == nil || m[0] > 0 || m[1] < len(strings.TrimRight(name, ". ")) {
			continue
		}
		if !parse.NamesBroker(name) && !parse.InsurerName.MatchString(name) {
			d.Propose("company_name", name, source.Prose, 1, at)
		}
	}
}
