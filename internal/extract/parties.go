package extract

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
)

// settleParties completes the details of the parties from their other details, and splits
// the broker's address.
func (d *extractor) settleParties() {
	if d.Best("company_name") == "" {
		d.names.NameAtTop()
	}
	d.wholeName()
	d.dropPartAddresses()
	d.markAbove()
	d.names.BrokersLetterhead()
	d.names.BrokersHead()
	d.settleContacts()
	firm := d.Best("broker_name")
	d.Drop("it is a part of the broker's name", func(c resolve.Reading) bool {
		return c.Field == "company_name" && strings.HasSuffix(firm, " "+c.Text)
	})
	d.addressAfterName()
	d.names.AddressInSentence()
	if ranked := d.Ranked("broker_address"); len(ranked) > 0 {
		best := ranked[0].Reading
		a := address.Parse(best.Text)
		d.Drop("it is split into its parts", func(c resolve.Reading) bool { return c.Field == "broker_address" })
		for _, p := range [][2]string{{"broker_address", a.Street}, {"broker_city", a.City}, {"broker_state", a.State}, {"broker_postal_code", a.PostalCode}} {
			if p[1] != "" {
				d.Derive(p[0], p[1], best)
			}
		}
	}
	if best := d.Ranked("company_name"); len(best) > 0 && d.Best("legal_entity_type") == "" {
		if m := parse.LegalName.FindStringSubmatch(best[0].Text); m != nil {
			if form := entityOf(m[2]); form != "" {
				d.Derive("legal_entity_type", form, best[0].Reading)
			}
		}
	}
}

// wholeName completes the name of the insured with the legal form that an older mail or an attachment
// states: "Quill Pens" from the subject is "Quill Pens, Inc.".
func (d *extractor) wholeName() {
	named := d.Ranked("company_name")
	if len(named) == 0 || parse.LegalName.MatchString(named[0].Text) || !strings.Contains(named[0].Text, " ") {
		return
	}
	name := named[0].Text
	for _, l := range d.Lines {
		at := strings.Index(l.Text, name)
		if at < 0 || len(l.Text) > maxNamed {
			continue
		}
		if whole := parse.LegalAtStart.FindString(l.Text[at:]); len(whole) > len(name) && len(whole) <= len(name)+maxLonger && !parse.NamesBroker(whole) {
			d.Derive("company_name", whole, named[0].Reading)
			d.Drop("its whole name is known", func(c resolve.Reading) bool { return c.Field == "company_name" && c.Text == name })
			return
		}
	}
}

const (
	maxNamed  = 2000 // bytes of a line with the insured's name
	maxLonger = 40   // bytes by which the whole name can be longer
)

// markAbove marks the details of the insured that stand above the insured's name. Those of a
// letterhead, for example, are seldom the insured's.
func (d *extractor) markAbove() {
	named := d.Ranked("company_name")
	if len(named) == 0 {
		return
	}
	name := named[0].Reading
	d.Edit(func(c *resolve.Reading) {
		if insuredDetails[c.Field] && c.Part == name.Part && name.Place < letterLine {
			c.Features.Set(resolve.Above, c.Place < name.Place)
		}
	})
}

// letterLine is greater than the number of any line. The subject of a mail has this number.
const letterLine = 1 << 20

// insuredDetails are the fields that describe where the insured is and how it is reached.
var insuredDetails = words.Set("address", "city", "state", "postal_code", "phone_number", "email_id", "website", "contact_name")

// dropPartAddresses removes the addresses that lack the city and are the beginning of another
// one that has it.
func (d *extractor) dropPartAddresses() {
	whole := map[string][]string{}
	for _, c := range d.Readings {
		if addresses[c.Field] && parse.WrittenAddress(address.Parse(c.Text)) {
			whole[c.Field] = append(whole[c.Field], c.Key)
		}
	}
	d.Drop("another address completes it", func(c resolve.Reading) bool {
		return addresses[c.Field] && !parse.WrittenAddress(address.Parse(c.Text)) &&
			slices.ContainsFunc(whole[c.Field], func(key string) bool { return len(key) > len(c.Key) && strings.HasPrefix(key, c.Key) })
	})
}

var addresses = words.Set("address", "broker_address")

// addressAfterName extracts the insured's address from a sentence that states it after the
// insured's name, if no label states it.
func (d *extractor) addressAfterName() {
	named := d.Ranked("company_name")
	stated := d.Best("address")
	if a, ok := parse.Arranged(stated); len(named) == 0 || ok || a.City != "" {
		return
	}
	for _, quoted := range []bool{false, true} {
		if !d.addressAfter(named[0].Text, quoted) {
			continue
		}
		d.Drop("the address below the insured's name is complete", func(c resolve.Reading) bool {
			return stated != "" && c.Field == "address" && c.Text == stated && c.Features[resolve.Prose] > 0
		})
		return
	}
}

// maxAfterName is the maximum length in bytes of the text between a name and the end of its line,
// above an address.
const maxAfterName = 40

// addressAfter searches for the address after a name, in older mails or in the other lines.
func (d *extractor) addressAfter(name string, quoted bool) bool {
	for i, l := range d.Lines {
		text := d.RanOn(i, l.Text)
		at := strings.Index(text, name)
		if at < 0 || l.At.Quoted != quoted {
			continue
		}
		if strings.Trim(l.Text, " .,") == strings.Trim(name, " .,") && d.names.AddressBelow(i) {
			return true
		}
		if n := strings.Index(l.Text, name); n >= 0 && !strings.ContainsAny(l.Text[n+len(name):], "0123456789.") && len(l.Text)-n-len(name) <= maxAfterName && d.names.AddressBelow(i) {
			return true // "Quill Ltd DBA Quill Pens", above the address
		}
		rest := text[at+len(name):]
		if found, _ := parse.AddressesIn(rest); len(found) > 0 {
			d.Propose("address", found[0], source.Prose, 1, l.At)
			return true
		}
		for _, piece := range append([]string{rest}, beforeAddress.Split(rest, 6)...) {
			piece = strings.Trim(afterAddress.Split(piece, 2)[0], " ,.(")
			if len(piece) >= parse.MaxAddress || !parse.HasDigit(piece) {
				continue
			}
			if a := address.Parse(piece); parse.WrittenAddress(a) && parse.HasDigit(a.Street) && !parse.Sentence.MatchString(a.Street) {
				d.Propose("address", piece, source.Prose, 1, l.At)
				return true
			}
		}
	}
	return false
}

var (
	beforeAddress = vocabulary.Pattern(`(?i)\b{{addresses.before}}\s+|,\s+|\(|\)`)
	afterAddress  = vocabulary.Pattern(`\)|;|\.\s|,? {{addresses.after}}\b`)
)

// entityOf returns the type of the companies that have a legal form; "" if several types have it.
func entityOf(form string) string {
	for _, name := range []string{"legal_forms.any case", "legal_forms.exact case"} {
		for term, entity := range vocabulary.Classes(name) {
			if entity != "-" && words.BareKey(term) == words.BareKey(form) {
				return entity
			}
		}
	}
	return ""
}

// settleContacts assigns mail addresses to the party whose domain they are in.
func (d *extractor) settleContacts() {
	d.names.FirmByDomain()
	company, firm := d.Best("company_name"), d.Best("broker_name")
	d.Edit(func(c *resolve.Reading) {
		switch {
		case c.Field == "broker_email" && company != "" && parse.FitsInsured(company, c.Text) && !parse.FitsDomain(firm, c.Text):
			c.Field = "email_id"
		case c.Field == "email_id" && firm != "" && parse.FitsDomain(firm, c.Text) && !parse.FitsInsured(company, c.Text):
			c.Field = "broker_email"
		case c.Field == "website" && firm != "" && parse.FitsDomain(firm, "x@"+strings.TrimPrefix(c.Text, "www.")) && !parse.FitsInsured(company, "x@"+strings.TrimPrefix(c.Text, "www.")):
			c.Field = ""
		}
	})
	d.Drop("it is the broker's", func(c resolve.Reading) bool { return c.Field == "" })
	if firm != "" && d.Best("broker_email") == "" {
		for _, email := range parse.EmailForm.FindAllString(d.Text, 20) {
			if parse.FitsDomain(firm, email) && !parse.FitsInsured(company, email) {
				d.Propose("broker_email", email, source.Prose, 1, d.whereSaid(email))
				break
			}
		}
	}
	if company != "" && d.Best("website") == "" {
		for _, site := range parse.WebsiteForm.FindAllString(d.Text, 20) {
			if parse.FitsInsured(company, "x@"+strings.TrimPrefix(site, "www.")) && !parse.FitsDomain(firm, "x@"+strings.TrimPrefix(site, "www.")) {
				d.Propose("website", site, source.Prose, 1, d.whereSaid(site))
				break
			}
		}
	}
	d.names.DetailsBelowFirm(firm, company)
	d.letter.ContactsByMail(firm, company)
	d.letter.Signer(firm, company)
	d.letter.SentByInsured(firm, company)
	d.letter.OwnMail()
	d.names.PhoneBesideBroker(firm)
	d.names.BrokersAddressBelow(firm)
}

// settlePlaces derives the country of the risk from the locations, otherwise from the
// insured's address.
func (d *extractor) settlePlaces(locations [][]field.Value) {
	d.dropCounties()
	d.settleCountry(locations)
	if d.Best("risk_country") != "" {
		return
	}
	counts, order := map[string]int{}, []string{}
	var sample field.Value
	for _, row := range locations {
		for _, v := range row {
			if v.Field == "location_country" {
				if counts[v.Text]++; counts[v.Text] == 1 {
					order = append(order, v.Text)
				}
				sample = v
			}
		}
	}
	best := ""
	for _, c := range order {
		if counts[c] > counts[best] {
			best = c
		}
	}
	if best != "" {
		r := resolve.Reading{Features: d.Features(source.Header, 0, 0, source.Place{}), Evidence: sample.Evidence}
		d.Derive("risk_country", best, r)
		return
	}
	if ranked := d.Ranked("address"); len(ranked) > 0 {
		if iso := address.Parse(ranked[0].Text).CountryISO; iso != "" {
			d.Derive("risk_country", iso, ranked[0].Reading)
			return
		}
	}
	if ranked := d.Ranked("country"); len(ranked) > 0 {
		if iso, _, ok := address.Country(ranked[0].Text); ok {
			d.Derive("risk_country", iso, ranked[0].Reading)
			return
		}
	}
	if ranked := d.Ranked("state"); len(ranked) > 0 {
		if _, iso, ok := address.State(ranked[0].Text); ok {
			d.Derive("risk_country", iso, ranked[0].Reading)
			return
		}
	}
	if ranked := d.Ranked("company_name"); len(ranked) > 0 {
		if iso := formCountry(ranked[0].Text); iso != "" {
			d.Derive("risk_country", iso, ranked[0].Reading)
			return
		}
	}
	if country, at := d.impliedCountry(); country != "" {
		d.Propose("risk_country", country, source.Guess, 1, at)
	}
}

// sharedCountry returns the country of at least half of the locations, if no location
// is in another country.
func sharedCountry(locations [][]field.Value) field.Value {
	var shared field.Value
	known := 0
	for _, row := range locations {
		for _, v := range row {
			if v.Field != "location_country" {
				continue
			}
			if known++; known > 1 && v.Text != shared.Text {
				return field.Value{}
			}
			shared = v
		}
	}
	if known*2 < len(locations) {
		return field.Value{}
	}
	shared.Score = candidate.Rounded(shared.Score * 0.7)
	return shared
}

// settleCountry sets the country of locations that have none to the country of the
// insured, otherwise to that of the other locations.
func (d *extractor) settleCountry(locations [][]field.Value) {
	country := sharedCountry(locations)
	if home := d.Ranked("address"); len(home) > 0 {
		if iso := address.Parse(home[0].Text).CountryISO; iso != "" {
			country = field.Value{Field: "location_country", Text: iso, Score: d.RateDerived("location_country", iso, home[0].Reading), Evidence: home[0].Reading.Evidence}
		}
	}
	if country.Text == "" {
		return
	}
	for i, row := range locations {
		at, stated := 0, false
		for n, v := range row {
			switch v.Field {
			case "location_country":
				stated = true
			case "location_address", "location_city", "location_state", "location_postal_code":
				at = n + 1
			}
		}
		if !stated {
			locations[i] = slices.Insert(row, at, country)
		}
	}
}

// whereSaid returns the place of the first line or cell that contains a text.
func (d *extractor) whereSaid(text string) source.Place {
	for _, l := range d.Lines {
		if l.Table == nil && (strings.Contains(l.Text, text) || strings.Contains(l.Value, text)) {
			return l.At
		}
		if l.Table == nil {
			continue
		}
		for _, row := range l.Table.Rows {
			for _, c := range row {
				if strings.Contains(c.Text, text) {
					return layout.CellPlace(l.At, c)
				}
			}
		}
	}
	return source.Place{}
}
