package forms

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Headers of columns for the expiring policy and for the requested one: "Expiring program", "Requested 2027/28",
// "Bisher (2026/2027)".
var (
	heldHead   = vocabulary.Pattern(comparedHead("held"))
	wantedHead = vocabulary.Pattern(comparedHead("wanted"))
)

func comparedHead(meaning string) string {
	const (
		nouns = `(?:(?:{{compared.noun}})[\s'’]*)*`
		years = `(?:[\s:,–-]*(?:\d{1,2}[./])*(?:FY)?'?\d{2,4}(?:\s*[/–-]\s*'?\d{2,4})?)?`
	)
	return `(?i)^\s*` + nouns + `(?:{{compared.` + meaning + `}})[\s:]*` + nouns + years + `\s*$`
}

const (
	maxComparedHead = 40 // bytes of such a header, without what is in brackets
	maxComparedHint = 30 // rows of a table in which such headers are searched
)

// isHead reports whether a text is a header that the pattern matches.
func isHead(c content.Cell, head interface{ MatchString(string) bool }) bool {
	text := words.Cut(c.Text, layout.MaxCellText)
	if in := strings.Trim(words.Bracketed.FindString(text), "()[] "); in != "" && !c.Merged && head.MatchString(in) {
		return true // "2027/28 (target)"
	}
	text = strings.TrimSpace(words.Bracketed.ReplaceAllString(text, ""))
	return text != "" && !c.Merged && len(text) <= maxComparedHead && head.MatchString(text)
}

// withoutHeld returns the table without the texts in the columns of the expiring policy, if it has such columns and
// others for the requested policy:
//
//	              Expiring     Requested
//	Term          2026-27      2027-28
//	Premium       $51,000      $48,000
//
// It proposes the premium and the insurer of the expiring policy.
func (r *Reader) withoutHeld(t *content.Table, at source.Place) *content.Table {
	if held := heldColumns(r.lineAbove(t, at)); len(held) > 0 {
		return r.emptied(t, -1, held, at)
	}
	for i := 0; i < min(len(t.Rows)-1, maxComparedHint); i++ {
		if held := heldColumns(t.Rows[i]); len(held) > 0 {
			return r.emptied(t, i, held, at)
		}
	}
	return t
}

// lineAbove returns the columns of the line above a table, as cells in the columns of the table.
func (r *Reader) lineAbove(t *content.Table, at source.Place) []content.Cell {
	widest := 0
	for _, row := range t.Rows {
		widest = max(widest, len(row))
	}
	if at.Line >= len(r.Lines) {
		return nil
	}
	var cells []content.Cell
	for _, text := range layout.HeadAbove(r.Above(at.Line), widest) {
		cells = append(cells, content.Cell{Text: text})
	}
	return cells
}

// heldColumns returns the columns below the headers of the expiring policy; nil if the row is not such a header.
func heldColumns(row []content.Cell) map[int]bool {
	held, wanted, others := map[int]bool{}, 0, 0
	var last bool // the header on the left is that of the expiring policy
	for j, c := range row {
		switch text := strings.TrimSpace(c.Text); {
		case text == "" || c.Merged:
		case isHead(c, heldHead):
			last = true
		case isHead(c, wantedHead):
			wanted++
			last = false
		case isAmount(text):
			return nil // a row of labels with their values: "Expiring | $51,000 | Target | $48,000"
		default:
			if others++; last || wanted > 0 {
				others++
			}
			last = false
		}
		if last {
			held[j] = true
		}
	}
	if wanted == 0 || len(held) == 0 || others > maxBesideCompared {
		return nil
	}
	return held
}

// isAmount reports whether a text is an amount, and not a year.
func isAmount(text string) bool {
	found, ok := parse.FindMoney(text)
	return ok && found.Fit == 1 && !parse.AccountYear.MatchString(text)
}

const maxBesideCompared = 3 // weight of other headers: one on the left, and one on the right, such as "Change"

// emptied returns the table without the texts in the columns, from the row below a header up to, but not including,
// the first row that has a label in one of these columns.
func (r *Reader) emptied(t *content.Table, head int, held map[int]bool, at source.Place) *content.Table {
	copied := *t
	copied.Rows = slices.Clone(t.Rows)
	if head >= 0 && strings.TrimSpace(t.Rows[head][0].Text) == "" {
		copied.Rows[head] = slices.Clone(t.Rows[head])
		for j, c := range t.Rows[head] {
			if m, ok := assign.ClearLabel(c.Text); ok && m.Field != "estimated_premium" && isHead(c, wantedHead) || held[j] {
				copied.Rows[head][j].Text = "" // not a label of the values below: "Wanted"
			}
		}
	}
	for i := head + 1; i < len(t.Rows) && i < layout.MaxPairRows; i++ {
		if sameForBoth(t.Rows[i], held) {
			continue
		}
		row := slices.Clone(t.Rows[i])
		label := -1
		for j, c := range row {
			text := strings.TrimSpace(c.Text)
			if text == "" || c.Merged {
				continue
			}
			if !held[j] {
				if label < 0 {
					label = j
				}
				continue
			}
			if _, known := assign.ClearLabel(text); known && label >= 0 && !subHead(t, head, i) {
				return &copied
			}
			if label >= 0 {
				r.proposeHeld(row[label].Text, c, at)
			}
			row[j].Text, row[j].Date, row[j].Number = "", "", nil
		}
		if label >= 0 && labelsInsurer(row[label].Text) {
			row = []content.Cell{} // the insurer of the requested policy is not known yet: "Open market"
		}
		copied.Rows[i] = row
	}
	return &copied
}

// sameForBoth reports whether a row states a detail of the insured only once: "Annual revenue | $4,500,000 | ".
func sameForBoth(row []content.Cell, held map[int]bool) bool {
	label := slices.IndexFunc(row, func(c content.Cell) bool { return strings.TrimSpace(c.Text) != "" })
	if label < 0 || held[label] {
		return false
	}
	for j, c := range row {
		if j != label && !held[j] && !words.Missing(c.Text) && strings.TrimSpace(c.Text) != "" {
			return false
		}
	}
	m, ok := assign.ClearLabel(strings.TrimRight(row[label].Text, ": "))
	return ok && !ofPolicies[m.Field]
}

// ofPolicies are the fields that differ from one policy to the next.
var ofPolicies = words.Set("estimated_premium", "~expiring_premium", "insurer", "policy_inception_date", "end_date", "~period", "coverage", "product", "100_pct_limit")

// subHead reports whether a row is directly below the header and has no digits, so that it is a part of the header.
func subHead(t *content.Table, head, i int) bool {
	return i == head+1 && !parse.HasDigit(layout.RowText(t.Rows[i]))
}

// labelsInsurer reports whether a label is for the insurer.
func labelsInsurer(label string) bool {
	m, ok := assign.ClearLabel(strings.TrimRight(label, ": "))
	return ok && m.Field == "insurer"
}

// proposeHeld proposes the premium or the insurer of the expiring policy.
func (r *Reader) proposeHeld(label string, c content.Cell, at source.Place) {
	m, ok := assign.ClearLabel(strings.TrimRight(label, ": "))
	switch {
	case !ok:
	case m.Field == "estimated_premium" || m.Field == "~expiring_premium":
		r.Propose("expiring_premium", c.Text, source.Label, 1, layout.CellPlace(at, c))
	case m.Field == "insurer":
		r.Propose("insurer", c.Text, source.Label, 1, layout.CellPlace(at, c))
	}
}
