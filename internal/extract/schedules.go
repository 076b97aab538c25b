package extract

import (
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/list"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/schedule"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

// The values of some fields can have a single digit.
func init() {
	for _, f := range field.MoreFacts {
		if _, ruled := parse.TextRules[f.Name]; !ruled && (f.Kind == field.Number || strings.HasSuffix(f.Name, "_covered_auto_symbols")) {
			parse.TextRules[f.Name] = parse.CountValue
		}
	}
}

// Entries returns the number of locations and of entries of lists.
func (e *Extraction) Entries() int {
	n := len(e.Locations)
	for _, v := range slices.Concat(e.Facts, e.Options) {
		if field.EntryFields(v.Field) != nil {
			n++
		}
	}
	return n
}

// readSchedules extracts the lists of vehicles, claims, employees by class, policies and
// additional interests. Interests in a location are added to it. Lists in older mails
// count only if the newest one has none.
func (d *extractor) readSchedules(locations [][]field.Value) (facts, options []field.Value) {
	result, lines := d.schedules(false)
	if len(result.Entries) == 0 && d.Quotes() {
		result, lines = d.schedules(true)
	}
	for _, v := range result.Values {
		d.Propose(v.Field, v.Text, source.Synonym, v.Fit, d.Lines[lines[v.Block]].At)
	}
	add := func(list *[]field.Value, name string, e schedule.Entry) {
		value := field.Value{Field: name, Text: field.ObjectText(field.EntryFields(name), e.Values), Score: d.rateEntry(name, e), Evidence: e.Place.String()}
		if value.Text != "{}" {
			*list = append(*list, value)
		}
	}
	parties := map[string]bool{}
	ids := locationIDs(locations)
	for _, e := range result.Entries {
		switch e.List {
		case "claim_history":
			add(&options, e.List, e)
		case "additional_interest":
			if key := e.Values["party_name"] + "|" + e.Values["party_address"]; !parties[key] {
				parties[key] = true
				add(&facts, e.List, e)
			}
			interests := vocabulary.Schedule(e.List)
			if e.Values["party_address"] != "" && interests.Is("insured", vocabulary.NewPhrase(e.Values["interest"])) {
				e.Values["address"] = e.Values["party_address"]
				add(&facts, "additional_insureds", e)
			}
			if i := interestedLocation(e.Values, locations, ids); i >= 0 {
				add(&locations[i], field.LocationInterest, e)
			}
		default:
			add(&facts, e.List, e)
		}
	}
	d.proposeTotals(result.Entries)
	return facts, options
}

// sources are the kinds of places of entries.
var sources = map[schedule.Source]source.Kind{schedule.FromForm: source.Form, schedule.FromTable: source.Header, schedule.FromBlock: source.Synonym}

// rateEntry returns the score of an entry of a list.
func (d *extractor) rateEntry(name string, e schedule.Entry) float64 {
	part := slices.IndexFunc(d.Parts, func(p content.Part) bool { return p.Name == e.Place.Part })
	r := resolve.Reading{Field: name, Group: candidate.Group(name), Features: d.Features(sources[e.Source], e.Doubts.Header, e.Doubts.Cells, source.Place{Part: max(part, 0)})}
	return candidate.Rounded(resolve.Fitted.Alone(&r))
}

// schedules reads the lists, and returns the index of the line of each block.
func (d *extractor) schedules(quoted bool) (schedule.Result, []int) {
	blocks := make([]schedule.Block, 0, len(d.Lines))
	lines := make([]int, 0, len(d.Lines))
	for i, l := range d.Lines {
		if l.At.Quoted && !quoted || l.Head {
			continue
		}
		blocks = append(blocks, schedule.Block{
			Text: l.Text, Label: l.Label, Value: l.Value, Table: l.Table, Taken: d.tables.Taken[l.Table],
			Part: l.At.Part, Place: l.At.Evidence, Printed: d.Printed[l.At.Part],
		})
		lines = append(lines, i)
	}
	return schedule.Read(blocks, list.Types{
		Date:    d.scheduleDate,
		Money:   scheduleMoney,
		Missing: words.Missing,
	}), lines
}

// pointedDate matches a date with points, whose day comes first.
var pointedDate = lazyregexp.New(`^\s*\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\s*$`)

func (d *extractor) scheduleDate(text string) (string, bool) {
	order := d.Order
	if pointedDate.MatchString(text) {
		order = parse.DayFirst
	}
	date, _, ok := parse.DateValue(text, order)
	return date, ok
}

// scheduleMoney returns an amount that is not negative.
func scheduleMoney(text string) (string, bool) {
	if len(parse.Dates(text, parse.UnknownOrder)) > 0 {
		return "", false
	}
	f, ok := parse.FindMoney(text)
	return f.Amount.String(), ok && f.Amount >= 0 && (f.Fit == 1 || f.Currency)
}

// interestedLocation returns the index of the location that an additional interest applies
// to; -1 if it is not known. If there is only one location, mortgagees and loss payees
// without a location have an interest in it.
func interestedLocation(values map[string]string, locations [][]field.Value, ids map[string]int) int {
	stated := words.BareKey(values["~location"])
	if stated == "" {
		if len(locations) == 1 && vocabulary.Schedule("additional_interest").Is("property", vocabulary.NewPhrase(values["interest"])) {
			return 0
		}
		return -1
	}
	if i, ok := ids[stated]; ok {
		return i
	}
	number := strings.TrimLeft(strings.TrimLeftFunc(stated, func(r rune) bool { return r < '0' || r > '9' }), "0")
	if i, ok := ids[number]; ok && number != "" {
		return i
	}
	return -1
}

// locationIDs returns the indexes of the locations by their numbers, also without zeros in
// front.
func locationIDs(locations [][]field.Value) map[string]int {
	ids := map[string]int{}
	for i, location := range locations {
		for _, v := range location {
			if v.Field != "location_id" {
				continue
			}
			for _, key := range []string{words.BareKey(v.Text), strings.TrimLeft(words.BareKey(v.Text), "0")} {
				if _, taken := ids[key]; !taken {
					ids[key] = i
				}
			}
		}
	}
	return ids
}

// proposeTotals proposes values that follow from the lists, if the document does not state
// them: the number of vehicles that are not trailers, and the sum of payrolls.
func (d *extractor) proposeTotals(entries []schedule.Entry) {
	units, payroll := 0, parse.Amount(0)
	var unitsAt, payrollAt source.Place
	for _, e := range entries {
		switch {
		case e.List == "vehicles" && !vocabulary.Schedule("vehicles").Is("trailer", vocabulary.NewPhrase(e.Values["body_type"])):
			if units++; units == 1 {
				unitsAt = source.Place{Line: len(d.Lines), Evidence: e.Place}
			}
		case e.List == "employees":
			if sum, _, ok := parse.Money(e.Values["estimated_annual_payroll"]); ok && payroll < parse.MostCents {
				if payroll == 0 {
					payrollAt = source.Place{Line: len(d.Lines), Evidence: e.Place}
				}
				payroll += sum
			}
		}
	}
	if units > 0 && d.Best(field.PowerUnits) == "" {
		d.Propose(field.PowerUnits, strconv.Itoa(units), source.Sum, 1, unitsAt)
	}
	if payroll > 0 && d.Best("workers_comp_estimated_annual_payroll") == "" {
		d.Propose("workers_comp_estimated_annual_payroll", payroll.String(), source.Sum, 1, payrollAt)
	}
}
