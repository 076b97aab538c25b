package extract

import (
	"regexp"
	"strings"

	"understudy/internal/extract/read"
	"understudy/internal/place"
)

var (
	siteHead  = regexp.MustCompile(`(?i)^\W*(?:location|premises|site|property|loc|risk address|risk location)\s*(?:#|no\.?|number)?\s*:?\s*(\d{1,4}|[A-H])\b\s*(?:of \d+)?\s*[-–—:.)]*\s*(.*)$`)
	sumItem   = regexp.MustCompile(`(?i)([A-Za-z][A-Za-z&/ ]{0,40}?)\s*[:=@]?\s*((?:US\$|[$£€]|GBP|USD|EUR)?\s*\d[\d,.]*\s*(?:k|m|mm|mn|bn|million)?)\b`)
	siteTail  = regexp.MustCompile(`(?i)^\W*([A-Z][\w&/ ,'’-]{2,80}?)\s*\((?:location|premises|site|property|loc)\s*(?:#|no\.?)?\s*(\d{1,4})\)\W*$`)
	buildForm = regexp.MustCompile(`(?i)\b(steel|timber|wood|portal|concrete|masonry|brick|block|joisted|stone)\b.{0,40}\b(frame|walls?|construction|cladding|tilt-up|block|roof)\b`)
	occupiers = regexp.MustCompile(`(?i)\b(tenants?|landlord|business|company)\b`)
	listItem  = regexp.MustCompile(`^\s*(?:\(?\d{1,3}[.)]|[-•*·▪])\s+(.+)$`)
	siteTitle = regexp.MustCompile(`(?i)\b(locations?|premises|sites|properties|addresses to be insured|schedule of properties|risk addresses)\b`)
)

// blocks collects locations that are described one after the other, each by
// labels of its own.
type blocks struct {
	*document
	rows    []sovRow
	current *sovRow
	listed  bool // below a heading such as "Locations"
	quoted  bool // reads the older mails instead of the newest
	passing bool // the open location is only one when values follow
	notes   []sovRow
}

// readBlocks finds locations outside of tables: blocks of labels under
// "Location 1", lists of addresses, and lists of sums by site.
func (d *document) readBlocks(quoted bool) []sovRow {
	b := &blocks{document: d, quoted: quoted}
	for i := 0; i < len(d.lines); i++ {
		l := d.lines[i]
		switch {
		case l.at.quoted != quoted:
		case l.table != nil:
			if d.sovRows[l.table] == nil {
				b.table(l.table, l.at)
			}
		case l.label != "":
			if !formName.MatchString(l.label) {
				b.pair(l.label, l.value, l.at)
			}
		case strings.TrimSpace(l.text) != "":
			if whole, n := d.addressBelow(i); n > 0 && b.address(whole, l.at) {
				i += n
				continue
			}
			if whole, ok := d.wrapped(i); ok {
				l.text = whole
				i++
			}
			b.text(l.text, l.at)
		}
	}
	b.close()
	return b.merged()
}

// addressBelow joins the lines under a location's label up to the one that ends
// its address, and counts them.
func (d *document) addressBelow(i int) (string, int) {
	if !siteLabel.MatchString(d.lines[i].text) {
		return "", 0
	}
	whole := ""
	for n := 1; n <= 3 && i+n < len(d.lines); n++ {
		text := strings.TrimSpace(d.lines[i+n].text)
		if text == "" || len(text) > 80 {
			return "", 0
		}
		whole += ", " + text
		if written(place.Parse(whole[2:])) {
			return whole[2:], n
		}
	}
	return "", 0
}

// wrapped joins a location's heading with the next line when its address goes
// on there.
func (d *document) wrapped(i int) (string, bool) {
	if i+1 >= len(d.lines) {
		return "", false
	}
	m, next := siteHead.FindStringSubmatch(d.lines[i].text), d.lines[i+1].text
	if m == nil || len(m[2]) < 20 || next == "" || len(next) > 120 || place.Parse(m[2]).PostalCode != "" {
		return "", false
	}
	address := m[2]
	if _, after, ok := strings.Cut(address, ": "); ok {
		address = after
	}
	return d.lines[i].text + " " + next, written(place.Parse(address + " " + next))
}

func (b *blocks) close() {
	if b.current != nil && b.current.place() && len(b.current.cells) > 1 && (!b.passing || b.current.values() || b.current.housed()) {
		b.rows = append(b.rows, *b.current)
	}
	b.current, b.passing = nil, false
}

// housed tells whether a row says what the building is.
func (r sovRow) housed() bool {
	for f := range houseCols {
		if r.cells[f].text != "" {
			return true
		}
	}
	return false
}

// open begins a location.
func (b *blocks) open(id, rest string, at origin) {
	b.close()
	b.current = &sovRow{cells: map[string]sovCell{"location_id": {text: id, score: float64(fromSynonym), at: at}}, at: at}
	rest = strings.Trim(rest, " -–—:()")
	if rest == "" {
		return
	}
	if pieces := dashed.Split(rest, -1); len(pieces) > 1 && written(place.Parse(pieces[0])) {
		// "5 Dock Road, Portland, ME 04101 - Building $1.2m / Contents $400k - sprinklered"
		b.set("location_address", pieces[0], fromSynonym, at)
		for _, p := range pieces[1:] {
			b.describe(p, at)
			b.passing = true // one sum alone counts
			b.inline(p, at)
			b.passing = false
		}
		return
	}
	name, address, ok := strings.Cut(rest, ": ")
	if !ok {
		name, address, ok = cutAt(dashed, rest)
	}
	if ok && written(place.Parse(address)) {
		b.set("~name", name, fromSynonym, at)
		rest = address
	}
	if a := place.Parse(rest); written(a) && a.PostalCode != "" && a.Street != "" && len(rest) < 160 && !strings.Contains(rest, ";") && !sentence.MatchString(rest) && (a.State != "" || a.Country != "") || place.IsStreet(rest) && len(rest) < 60 && digitsForm.MatchString(rest[:1]) {
		b.set("location_address", rest, fromSynonym, at)
	} else if b.current.cells["~name"].text == "" {
		b.set("~name", rest, fromSynonym, at)
	}
}

// written tells whether the parts of an address can be those of one: a town in
// few words without digits, and a postal code that is no year.
func written(a place.Address) bool {
	return a.PostalCode != "" && !(a.CountryISO == "" && calendar.MatchString(a.PostalCode)) && capital(a.City) &&
		!strings.ContainsAny(a.City, "0123456789:;()/") && len(strings.Fields(a.City)) <= 5 && len(strings.Fields(a.State)) <= 4 && len(a.Street) < 120
}

func (b *blocks) set(name, text string, from source, at origin) {
	if b.current == nil || name == "" {
		return
	}
	cell, ok := readCell(column{field: name, from: from, scale: 1}, read.Cell{Text: text}, at)
	if _, taken := b.current.cells[name]; ok && !taken {
		cell.at = at
		b.current.cells[name] = cell
	}
}

// pair takes a label inside a block.
func (b *blocks) pair(label, value string, at origin) {
	m, ok := matchHeader(strings.TrimRight(numbering.ReplaceAllString(label, ""), ": ?"))
	if ok && siteLabel.MatchString(label) && b.address(value, at) {
		return
	}
	if !ok {
		if id := siteHead.FindStringSubmatch(label); id != nil && len(id[2]) < 30 {
			b.open(id[1], value, at)
		}
		return
	}
	if m.field == "location_id" && len(value) < 12 && headerForms[words(label)].field == "location_id" && strings.Contains(words(label), " ") {
		if b.current == nil || b.current.cells["location_id"].text != value {
			b.open(value, "", at)
		}
		return
	}
	if m.field == "~category" || m.field == "~name" && m.from != fromHeader {
		return
	}
	b.set(m.field, value, min(m.from, fromSynonym), at)
}

func (b *blocks) text(text string, at origin) {
	line := strings.TrimSpace(markup.ReplaceAllString(text, ""))
	if left, right, ok := strings.Cut(line, ":"); ok && siteLabel.MatchString(left) && b.address(strings.TrimSpace(right), at) {
		return
	}
	if m := siteHead.FindStringSubmatch(line); m != nil && len(line) < 260 && !sentence.MatchString(line) {
		b.open(m[1], m[2], at)
		return
	}
	if m := siteTail.FindStringSubmatch(line); m != nil {
		b.open(m[2], m[1], at)
		return
	}
	if corrects.MatchString(line) {
		return // see corrected
	}
	if left, right, ok := cutAt(dashed, line); ok && b.current != nil {
		if m, known := matchHeader(left); known && moneyCols[m.field] && digitsForm.MatchString(right) && len(right) < 30 {
			b.pair(left, right, at)
			return
		}
	}
	if left, right, ok := cutAt(dashed, line); ok && siteLabel.MatchString(left) && b.address(right, at) {
		return
	}
	b.describe(line, at)
	if b.inline(line, at) {
		return
	}
	if m := listItem.FindStringSubmatch(text); m != nil && !b.listed && b.passed(m[1], text, at) {
		return
	}
	pieces := splitPairs(line)
	if b.sums(line, at) {
		return
	}
	if m := listItem.FindStringSubmatch(text); m != nil && b.listed {
		b.item(m[1], at)
		return
	}
	if len(pieces) == 0 || len(pieces) == 1 && pieces[0].value == "" {
		heading := len(strings.Fields(line)) <= 8 && !strings.HasSuffix(line, ".")
		if heading && siteTitle.MatchString(line) {
			b.listed = true
		} else if heading && len(line) > 3 && !sumsInsured.MatchString(line) {
			b.listed = b.listed && len(pieces) == 0
			for _, h := range headings {
				if h.form.MatchString(line) && h.party != site && h.party != nobody && len(strings.Fields(line)) <= 4 && !digitsForm.MatchString(line) && !occupiers.MatchString(line) {
					b.close()
				}
			}
		}
	}
	for _, p := range pieces {
		b.pair(p.label, p.value, at)
	}
}

// siteLabel is a label before the address of what is insured.
var siteLabel = regexp.MustCompile(`(?i)^\W*(?:loc|location|risk|premises|site|property|situation)(?: (?:location|address|insured|of risk))*\W*$`)

// address opens a location with its address, when the value is a whole one.
func (b *blocks) address(value string, at origin) bool {
	a := place.Parse(value)
	if a.Street == "" || a.PostalCode != "" && !written(a) || a.PostalCode == "" && a.State == "" || len(value) > 160 || !digitsForm.MatchString(value) {
		return false
	}
	if b.current != nil && b.current.cells["location_address"].text == "" {
		b.set("location_address", value, fromLabel, at)
		return true
	}
	if b.current != nil && bareKey(b.current.cells["location_address"].text) == bareKey(value) {
		return true
	}
	b.close()
	b.current = &sovRow{cells: map[string]sovCell{}, at: at}
	b.set("location_address", value, fromLabel, at)
	b.passing = true
	return true
}

// passed opens a location for an entry of a list that ends in an address; it
// counts when values follow.
func (b *blocks) passed(entry, line string, at origin) bool {
	head, rest, ok := cutAt(dashed, entry)
	if !ok {
		head, rest = "", entry
	}
	a := place.Parse(rest)
	if !written(a) || a.Street == "" || len(entry) > 160 || sentence.MatchString(entry) || emailForm.MatchString(entry) {
		return false
	}
	id := strings.Trim(strings.TrimSuffix(strings.TrimSpace(line), entry), " ().-*•·▪")
	b.close()
	b.current = &sovRow{cells: map[string]sovCell{}, at: at}
	b.set("location_id", id, fromSynonym, at)
	b.set("~name", head, fromSynonym, at)
	b.set("location_address", rest, fromSynonym, at)
	b.passing = true
	return true
}

// valuesLead is what may stand before a list of values.
var valuesLead = regexp.MustCompile(`(?i)^\W*(?:(?:declared|insured|total|sums?|property|replacement)\s+)*(?:values?|sums? insured|limits?|insured|coverage)\s*(?:\([^)]*\))?\s*:\s*`)

var inlineSum = regexp.MustCompile(`(?i)^\s*([\pL][\pL&/ ]{0,40}?)\s*(?:[:=@–-]|\bof\b)?\s*((?:US\$|A\$|C\$|CA\$|AU\$|[$£€]|GBP|USD|EUR|CAD|AUD)?\s*\d[\d,.]*\s*(?:k|m|mm|mn|bn|million)?)\s*(?:\(([^)]*)\))?\.?\s*$`)

// inline takes "Buildings £4.5m; M&P £3.2m; GP £6m (18 months)" for the open
// location.
func (b *blocks) inline(line string, at origin) bool {
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
	found := map[string]sovCell{}
	for _, part := range parts {
		m := inlineSum.FindStringSubmatch(part)
		if m == nil {
			return false
		}
		target := categoryOf(m[1])
		a, _, ok := money(m[2])
		if target == "" || !ok || a < 1_000_00 {
			return false
		}
		b.propose("business_interruption_period", biPeriod.FindString(part), fromProse, 1, at)
		cell := sovCell{score: float64(fromSynonym), at: at, value: a}
		if held, taken := found[target]; taken {
			cell.value += held.value
		}
		found[target] = cell
	}
	if len(found) < 2 && !b.passing {
		return false
	}
	for f, c := range found {
		if _, taken := b.current.cells[f]; !taken {
			b.current.cells[f] = c
		}
	}
	return true
}

// describe takes construction and sprinklers from sentences inside a block.
func (b *blocks) describe(line string, at origin) {
	if b.current == nil || len(line) > 400 {
		return
	}
	if head, _, _ := strings.Cut(line, ". "); !strings.Contains(head, ":") && buildForm.MatchString(head) {
		b.set("construction_type", head, fromProse, at)
	}
	if lower := strings.ToLower(line); strings.Contains(lower, "sprinkler") && !strings.Contains(lower, "?") {
		if _, _, labelled := strings.Cut(lower, "sprinklered:"); !labelled {
			b.set("~sprinkler_text", line, fromProse, at)
		}
	}
	b.describeAlarms(line, at)
}

var (
	fireAlarm = regexp.MustCompile(`(?i)\b(no |non?[- ])?(?:\w+ )?(?:fire alarm|smoke (?:detect|alarm)|fire detection)`)
	burglary  = regexp.MustCompile(`(?i)\b(no |non?[- ])?(?:\w+ )?(?:intruder alarm|burglar alarm|security alarm|intruder detection)`)
)

// describeAlarms takes detectors and alarms from a sentence about a location.
func (b *blocks) describeAlarms(line string, at origin) {
	if strings.ContainsAny(line, "?:") {
		return
	}
	for name, form := range map[string]*regexp.Regexp{"~fire_alarm": fireAlarm, "location_have_intrusion_detectors": burglary} {
		if m := form.FindStringSubmatch(line); m != nil {
			answer := "Yes"
			if m[1] != "" {
				answer = "No"
			}
			b.set(name, answer, fromProse, at)
		}
	}
}

// sums of a location by category, in a table inside its block.
func (b *blocks) categoryTable(t *read.Table, at origin) bool {
	if b.current == nil || len(t.Rows) < 3 || len(t.Rows[0]) < 2 || !strings.Contains(loose(words(t.Rows[0][0].Text)), "category") && headerForms[words(t.Rows[0][0].Text)].field != "~category" {
		return false
	}
	if m, ok := matchHeader(t.Rows[0][1].Text); !ok || !moneyCols[m.field] {
		return false
	}
	for _, row := range t.Rows[1:] {
		if len(row) < 2 || isTotal(row[0].Text) {
			continue
		}
		target := categoryOf(row[0].Text)
		cell, ok := readCell(column{field: "100_pct_limit", from: fromSynonym, scale: 1}, row[1], at)
		if target == "" || !ok {
			continue
		}
		if held, taken := b.current.cells[target]; taken {
			cell.value += held.value
		}
		b.current.cells[target] = cell
	}
	return true
}

// item takes a line of a list of locations: an address, or a name with what
// protects it.
func (b *blocks) item(text string, at origin) {
	head, rest, _ := cutAt(dashed, text)
	if head == "" {
		head = text
	}
	row := sovRow{cells: map[string]sovCell{}, at: at}
	cell := func(t string) sovCell { return sovCell{text: t, score: float64(fromProse), at: at} }
	a := place.Parse(head)
	switch {
	case written(a) && a.Street != "":
		row.cells["location_address"] = cell(head)
	case len(head) < 80:
		row.cells["~name"] = cell(head)
	default:
		return
	}
	if rest != "" {
		row.cells["~fire_protection"] = cell(rest)
		if strings.Contains(strings.ToLower(rest), "fire alarm") || strings.Contains(strings.ToLower(rest), "smoke") {
			row.cells["~fire_alarm"] = cell("monitored")
		}
		if strings.Contains(strings.ToLower(rest), "intruder alarm") || strings.Contains(strings.ToLower(rest), "burglar alarm") {
			row.cells["location_have_intrusion_detectors"] = cell("monitored")
		}
	}
	if row.place() {
		b.rows = append(b.rows, row)
		return
	}
	b.notes = append(b.notes, row)
}

// sums takes "Bradford: Buildings 7,200,000; Stock 2,100,000".
func (b *blocks) sums(text string, at origin) bool {
	name, list, ok := strings.Cut(text, ":")
	if !ok || len(name) > 60 || isTotal(name) || strings.Contains(strings.ToLower(name), "total") {
		return false
	}
	if _, known := matchLabel(name); known || headerOrCategory(name) {
		return false
	}
	row := sovRow{cells: map[string]sovCell{}, at: at}
	for part := range strings.SplitSeq(list, ";") {
		m := sumItem.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		target := categoryOf(m[1])
		a, _, ok := money(m[2])
		if target == "" || !ok || a < 1_000_00 {
			continue
		}
		cell := sovCell{score: float64(fromSignature), at: at, value: a}
		if held, taken := row.cells[target]; taken {
			cell.value += held.value
		}
		row.cells[target] = cell
	}
	if len(row.cells) < 2 {
		return false
	}
	name = strings.TrimSpace(name)
	cell := sovCell{text: name, score: float64(fromProse), at: at}
	row.cells["~name"] = cell
	if a := place.Parse(name); a.City != "" || len(strings.Fields(name)) <= 2 {
		row.cells["location_city"] = cell
	}
	b.close()
	b.rows = append(b.rows, row)
	return true
}

func headerOrCategory(name string) bool {
	_, ok := matchHeader(name)
	return ok || categoryOf(name) != ""
}

// merged adds what a list of names said to the rows of the same name.
func (b *blocks) merged() []sovRow {
	for _, note := range b.notes {
		first, _, _ := strings.Cut(note.cells["~name"].text, " ")
		for i := range b.rows {
			name := b.rows[i].cells["~name"].text
			if name == "" || !strings.EqualFold(strings.Split(name, " ")[0], first) {
				continue
			}
			for f, c := range note.cells {
				if _, taken := b.rows[i].cells[f]; !taken {
					b.rows[i].cells[f] = c
				}
			}
		}
	}
	var out []sovRow
	seen := map[string]int{}
	for _, r := range b.rows {
		key := r.idKey() + r.addressKey()
		if at, known := seen[key]; known {
			for f, c := range r.cells {
				if _, taken := out[at].cells[f]; !taken {
					out[at].cells[f] = c
				}
			}
			continue
		}
		seen[key] = len(out)
		out = append(out, r)
	}
	return out
}

// table takes the labels of a table inside a block, or a table that is a block.
func (b *blocks) table(t *read.Table, at origin) {
	if m := siteHead.FindStringSubmatch(t.Title); m != nil {
		b.open(m[1], m[2], at)
	}
	if len(t.Rows) == 0 || isLosses(t.Rows[0]) || b.categoryTable(t, at) {
		return
	}
	rows := t.Rows
	if stacked := stackedSites(rows); stacked != nil {
		rows = stacked
	}
	for n, row := range rows {
		if n > 400 {
			return
		}
		cells := row[:0:0]
		for _, c := range row {
			if !c.Merged && strings.TrimSpace(c.Text) != "" {
				cells = append(cells, c)
			}
		}
		if len(cells) == 1 {
			if m := siteHead.FindStringSubmatch(cells[0].Text); m != nil {
				b.open(m[1], m[2], cellPlace(at, cells[0]))
			}
			continue
		}
		for i := 0; i+1 < len(cells); i++ {
			label := strings.TrimRight(cells[i].Text, ": ?")
			if _, ok := matchHeader(label); ok || siteHead.MatchString(label) {
				b.pair(label, cells[i+1].Text, cellPlace(at, cells[i+1]))
				i++
			}
		}
	}
}
