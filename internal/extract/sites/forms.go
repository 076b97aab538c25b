package sites

import (
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

var (
	// alarmBox matches boxes that are ticked beside a kind of alarm.
	alarmBox = lazyregexp.New(`^(?:(?:Alarm_)?(Burglar|Smoke|Fire)|BuildingFireProtection_(Alarm|Sprinkler))_(?:CentralStation|LocalGong|Direct|PoliceConnect|FireConnect|WithKeys|Full|Partial)\w*Indicator$`)
	alarmOf  = map[string]string{"Burglar": "location_have_intrusion_detectors", "Smoke": "location_have_smoke_detectors", "Fire": "~fire_alarm", "Alarm": "~fire_alarm", "Sprinkler": "location_have_sprinklers"}
	// OldSite matches the name of a field of a location in older ACORD forms; the groups are the
	// number of the location and the rest of the name.
	OldSite = lazyregexp.New(`^ACORD_Location(\d+)_(\w+)$`)
)

// formSite is a location on a form: its page, and its suffix if the page has several.
type formSite struct {
	part, page int
	suffix     string
}

// formCell is a filled field of a form that states a location.
type formCell struct {
	site                formSite
	field, suffix, text string
	at                  source.Place
}

// formCells returns the filled fields that state locations, and the suffixes with
// which each page has addresses.
func formCells(d *layout.Document) (cells []formCell, addresses map[formSite]map[string]bool) {
	addresses = map[formSite]map[string]bool{}
	for _, l := range d.Lines {
		m := pairs.FormName.FindStringSubmatch(l.Label)
		value := strings.TrimSpace(l.Value)
		if m == nil || value == "" || strings.EqualFold(value, "off") {
			continue
		}
		suffix := pairs.FormSuffix.FindString(m[1])
		name := strings.TrimSuffix(m[1], suffix)
		site := formSite{part: l.At.Part, page: l.At.Evidence.Page}
		if old := OldSite.FindStringSubmatch(name); old != nil {
			site, suffix, name = formSite{part: l.At.Part, page: -1}, old[1], old[2]
		}
		target := vocabulary.FormFields("site")[name]
		if box := alarmBox.FindStringSubmatch(name); box != nil && pairs.BoxOn.MatchString(value) {
			target, value = alarmOf[box[1]+box[2]], "Yes"
		}
		if target == "" {
			continue
		}
		if target == "location_address" {
			if addresses[site] == nil {
				addresses[site] = map[string]bool{}
			}
			addresses[site][suffix] = true
		}
		cells = append(cells, formCell{site, target, suffix, value, l.At})
	}
	return cells, addresses
}

// Forms returns the locations that ACORD forms state. ACORD 125 lists several
// premises on a page, distinguished by the suffix. A page of ACORD 140 is about one
// premises, and its suffixes number the subjects insured.
func Forms(d *candidate.Set) []location.Row {
	cells, addresses := formCells(d.Document)
	var rows []location.Row
	index := map[formSite]int{}
	kinds, limits := map[formSite]string{}, []formCell{}
	for _, c := range cells {
		lettered := c.site
		lettered.suffix = c.suffix
		if len(addresses[c.site]) > 1 || c.site.page < 0 {
			c.site = lettered
		}
		switch c.field {
		case "~category":
			kinds[lettered] = c.text
			d.Propose("coverage", c.text, source.Form, 1, c.at)
			continue
		case "location_application_limit":
			limits = append(limits, c)
			continue
		}
		if _, known := index[c.site]; !known {
			index[c.site] = len(rows)
			rows = append(rows, location.Row{Cells: map[string]location.Cell{}, At: c.at})
		}
		rows[index[c.site]].SetCell(c.field, c.text, c.at)
	}
	for _, c := range limits {
		lettered := c.site
		lettered.suffix = c.suffix
		i, known := index[c.site]
		if target := location.CategoryOf(kinds[lettered]); known && target != "" {
			rows[i].SetCell(target, c.text, c.at)
		}
	}
	return location.Premises(rows)
}
