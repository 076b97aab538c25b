package sites

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// valuesLead matches text that can stand before a list of values.
var valuesLead = lazyregexp.New(`(?i)^\W*(?:(?:declared|insured|total|sums?|property|replacement)\s+)*(?:values?|sums? insured|limits?|insured|coverage)\s*(?:\([^)]*\))?\s*[:–-]\s*`)

var inlineSum = lazyregexp.New(`(?i)^\s*([\pL][\pL&/ ]{0,40}?)\s*(?:[:=@–-]|\bof\b)?\s*((?:US\$|A\$|C\$|CA\$|AU\$|[$£€]|GBP|USD|EUR|CAD|AUD)?\s*\d[\d,.]*\s*(?:k|m|mm|mn|bn|million)?)\s*(?:\(([^)]*)\))?\.?\s*$`)

// inline reads "Buildings £4.5m; M&P £3.2m; GP £6m (18 months)" for the open location.
func (b *blocks) inline(line string, at source.Place) bool {
	if b.current == nil || len(line) > 400 {
		return false
	}
	if m := valuesLead.FindString(line); m != "" {
		line = line[len(m):]
	}
	parts := strings.Split(strings.ReplaceAll(line, " / ", ";"), ";")
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
	for f, c := range found {
		if _, taken := b.current.Cells[f]; !taken {
			b.current.Cells[f] = c
		}
	}
	return true
}

// describe extracts construction and sprinklers from sentences inside a block.
func (b *blocks) describe(line string, at source.Place) {
	if b.current == nil || len(line) > 400 {
		return
	}
	if head, _, _ := strings.Cut(line, ". "); !strings.Contains(head, ":") && buildForm.MatchString(head) {
		b.set("construction_type", head, source.Prose, at)
	}
	if lower := strings.ToLower(line); strings.Contains(lower, "sprinkler") && !strings.Contains(lower, "?") {
		if _, _, labelled := strings.Cut(lower, "sprinklered:"); !labelled {
			b.set("~sprinkler_text", line, source.Prose, at)
		}
	}
	b.describeAlarms(line, at)
}

var (
	fireAlarm = lazyregexp.New(`(?i)\b(no |non?[- ])?(?:\w+ )?(?:fire alarm|smoke (?:detect|alarm)|fire detection)`)
	burglary  = lazyregexp.New(`(?i)\b(no |non?[- ])?(?:\w+ )?(?:intruder alarm|burglar alarm|security alarm|intruder detection)`)
)

// describeAlarms extracts detectors and alarms from a sentence about a location.
func (b *blocks) describeAlarms(line string, at source.Place) {
	if strings.ContainsAny(line, "?:") {
		return
	}
	for name, form := range map[string]*lazyregexp.Regexp{"~fire_alarm": fireAlarm, "location_have_intrusion_detectors": burglary} {
		if m := form.FindStringSubmatch(line); m != nil {
			answer := "Yes"
			if m[1] != "" {
				answer = "No"
			}
			b.set(name, answer, source.Prose, at)
		}
	}
}

var limitHeader = lazyregexp.New(`(?i)^\W*(?:limits?|limit of insurance|amounts?|sums? insured)\b`)

// sums of a location by category, in a table inside its block.
func (b *blocks) categoryTable(t *content.Table, at source.Place) bool {
	if b.current == nil || len(t.Rows) < 3 || len(t.Rows[0]) < 2 || !strings.Contains(recognise.Loose(words.Key(t.Rows[0][0].Text)), "category") && recognise.HeaderForms()[words.Key(t.Rows[0][0].Text)].Field != "~category" {
		return false
	}
	if m, ok := recognise.Header(t.Rows[0][1].Text); !limitHeader.MatchString(t.Rows[0][1].Text) && (!ok || !recognise.MoneyColumns[m.Field]) {
		return false
	}
	for _, row := range t.Rows[1:] {
		if len(row) < 2 || sov.IsTotal(row[0].Text) {
			continue
		}
		target := location.CategoryOf(row[0].Text)
		cell, ok := location.ReadCell(location.Column{Field: "100_pct_limit", From: source.Synonym, Scale: 1}, row[1], at)
		if target == "" || !ok {
			continue
		}
		if held, taken := b.current.Cells[target]; taken {
			cell.Value += held.Value
		}
		b.current.Cells[target] = cell
	}
	return true
}

// sums reads "Bradford: Buildings 7,200,000; Stock 2,100,000".
func (b *blocks) sums(text string, at source.Place) bool {
	name, list, ok := strings.Cut(text, ":")
	if !ok || len(name) > 60 || sov.IsTotal(name) || strings.Contains(strings.ToLower(name), "total") {
		return false
	}
	if _, known := recognise.Label(name); known || headerOrCategory(name) {
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
	if a := address.Parse(name); a.City != "" || len(strings.Fields(name)) <= 2 {
		row.Cells["location_city"] = cell
	}
	b.close()
	b.rows = append(b.rows, row)
	return true
}

func headerOrCategory(name string) bool {
	_, ok := recognise.Header(name)
	return ok || location.CategoryOf(name) != ""
}

// table reads the labels of a table inside a block, or of a table that is a block.
func (b *blocks) table(t *content.Table, at source.Place) {
	if m := location.SiteHead.FindStringSubmatch(t.Title); m != nil {
		b.open(m[1], m[2], at)
	}
	if len(t.Rows) == 0 || sov.IsLosses(t.Rows[0]) || b.categoryTable(t, at) {
		return
	}
	rows := t.Rows
	if stacked := sov.StackedSites(rows); stacked != nil {
		rows = stacked
	}
	for n, row := range rows {
		if n > 400 {
			return
		}
		cells := row[:0:0]
		for _, c := range row[:min(len(row), layout.MaxFormCells)] {
			if !c.Merged && strings.TrimSpace(c.Text) != "" {
				cells = append(cells, c)
			}
		}
		if len(cells) == 1 {
			if m := location.SiteHead.FindStringSubmatch(cells[0].Text); m != nil {
				b.open(m[1], m[2], layout.CellPlace(at, cells[0]))
			}
			continue
		}
		for i := 0; i+1 < len(cells); i++ {
			label := strings.TrimRight(cells[i].Text, ": ?")
			if _, ok := recognise.Header(label); ok || location.SiteHead.MatchString(label) || siteLabel.MatchString(label) {
				b.pair(label, cells[i+1].Text, layout.CellPlace(at, cells[i+1]))
				i++
			}
		}
	}
}
