package enrich

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// Scores of values from the client and of values inferred from others. Estimates
// have lower scores.
const (
	scoreGiven    = 0.95 // stated by the client
	splitFactor   = 0.97 // factor for a part split from an address line, applied to the line's score
	scoreInferred = 0.60 // follows from a postal code, state or name
	scoreLikely   = 0.50 // follows from an e-mail domain, or from the country of a location or of the insured
	scoreAssumed  = 0.35 // follows from the company's country alone
)

// company is the insured whose report is being built. Its record holds the fields
// of both company shapes.
type company struct {
	record Record
	home   address.Address // completed
	stated address.Address // stated parts only
	hash   hash
}

// newCompany combines the extracted values with the seed input.
func newCompany(in Input) *company {
	c := &company{record: newRecord(64)}
	c.record.addExtracted(in.Facts)
	c.record.setIfAbsent("company_name", strings.TrimSpace(in.Seed.CompanyName), scoreGiven)
	c.record.setIfAbsent("address", strings.TrimSpace(in.Seed.Address), scoreGiven)
	return c
}

// resolve splits and completes the address, and adds the values that follow from
// the address, the name and the e-mail address.
func (c *company) resolve() {
	r := c.record
	line := r.Scores["address"]
	c.stated = address.Parse(r.text("address"))
	if c.stated.Street == "" && c.stated.City == "" && c.stated.Country == "" {
		c.stated.Street = r.text("address")
	}
	if city := r.text("city"); city != "" && address.Key(city) != address.Key(c.stated.City) {
		// The address line has no city, so its last part belongs to the street.
		c.stated.Street = r.text("address")
	}
	r.replace("address", c.stated.Street, line)
	c.stated = mergeAddress(r, companyAddressFields, c.stated, line*splitFactor)
	c.home = completeAddress(r, companyAddressFields, c.stated)
	if iso := c.home.CountryISO; iso != "" {
		r.replace("country", iso, max(r.Scores["country"], scoreInferred))
	}
	c.hash = newHash(r.text("company_name"), c.home.CountryISO, c.home.PostalCode)

	if domain := companyDomain(r.text("email_id")); domain != "" {
		r.setIfAbsent("website", "www."+domain, scoreLikely)
	}
	r.setIfAbsent("legal_entity_type", legalForm(r.text("company_name"), c.home.CountryISO), scoreInferred)
	if r.has("company_name") {
		r.setIfAbsent("company_jurisdiction", c.home.CountryISO, scoreAssumed)
	}
}

// addressFields are the names of the fields for the parts of an address, without
// the street.
type addressFields struct{ city, state, postalCode, country string }

var (
	companyAddressFields  = addressFields{"city", "state", "postal_code", "country"}
	locationAddressFields = addressFields{"location_city", "location_state", "location_postal_code", "location_country"}
)

// mergeAddress replaces parts split from the address line with the values of their
// own fields. It sets fields that have no value to the split parts, with the given
// score.
func mergeAddress(r Record, fields addressFields, a address.Address, score float64) address.Address {
	if country := r.text(fields.country); country != "" {
		a.Country, a.CountryISO = country, ""
		if iso, name, ok := address.Country(country); ok {
			a.Country, a.CountryISO = name, iso
			r.replace(fields.country, iso, r.Scores[fields.country])
		}
	} else {
		r.setIfAbsent(fields.country, a.CountryISO, score)
	}
	if state := r.text(fields.state); state != "" {
		code, iso, ok := address.State(state)
		if ok && (a.CountryISO == "" || a.CountryISO == iso) {
			state = code
			r.replace(fields.state, code, r.Scores[fields.state])
		}
		a.State = state
	}
	r.setIfAbsent(fields.state, a.State, score)
	for _, part := range []struct {
		field string
		value *string
	}{{fields.city, &a.City}, {fields.postalCode, &a.PostalCode}} {
		if text := r.text(part.field); text != "" {
			*part.value = text
		}
		r.setIfAbsent(part.field, *part.value, score)
	}
	return a
}

// completeAddress adds the parts that follow from the stated ones.
func completeAddress(r Record, fields addressFields, a address.Address) address.Address {
	a = address.Complete(a)
	r.setIfAbsent(fields.city, a.City, scoreInferred)
	r.setIfAbsent(fields.state, a.State, scoreInferred)
	r.setIfAbsent(fields.country, a.CountryISO, scoreInferred)
	return a
}

// addCountries adds the lists of countries, from the countries of the insured and
// of its locations.
func (c *company) addCountries(locations []Location) {
	own := c.home.CountryISO
	if c.record.has("company_name") && own != "" {
		c.record.setIfAbsent("registered_in_countries", []string{own}, scoreAssumed)
	}
	assets := countriesOf(locations)
	if len(assets) > 0 {
		c.record.setIfAbsent("assets_in_countries", assets, scoreInferred)
	} else if own != "" {
		c.record.setIfAbsent("assets_in_countries", []string{own}, scoreAssumed)
	}
}

// v1Record returns the company in the shape of the version 1 inquiry.
func (c *company) v1Record() Record {
	v1 := c.record.subset(field.Report)
	delete(v1.Values, "company_id")
	delete(v1.Scores, "company_id")
	if c.home.Country != "" {
		v1.replace("country", c.home.Country, v1.Scores["country"])
	}
	return v1
}

// cleansed returns the cleansed input: the company with its resolved address. The
// confidence score is the weighted sum of the scores of name and address, plus a
// share for a known position.
func (c *company) cleansed(seed Seed) Cleansed {
	r := c.record
	out := Cleansed{
		CompanyName: r.text("company_name"), Website: r.text("website"),
		PhoneNumber: r.text("phone_number"), BureauNumber: r.text("bureau_number"),
	}
	out.Address.StreetAddr = r.text("address")
	out.Address.City = r.text("city")
	out.Address.State = r.text("state")
	out.Address.ZipOrPostalCode = r.text("postal_code")
	out.Address.Country = c.home.Country
	out.Address.CountryISOCode = c.home.CountryISO
	confidence := 0.30*r.Scores["company_name"] + 0.15*r.Scores["address"] + 0.20*r.Scores["city"] +
		0.10*r.Scores["postal_code"] + 0.10*r.Scores["country"]
	if position, ok := jitteredPosition(c.home, out.Address.StreetAddr); ok {
		out.Address.GeoPosition = GeoPosition(position)
		confidence += 0.15
	}
	out.ConfidenceScore = roundScore(min(confidence, 1))

	out.SeedInput.CompanyName = seed.CompanyName
	if seed.Address != "" {
		a := address.Parse(seed.Address)
		in := &out.SeedInput.Address
		in.StreetAddr, in.City, in.State, in.ZipOrPostalCode = a.Street, a.City, a.State, a.PostalCode
		if address.NamesCountry(seed.Address) {
			in.Country = a.Country
		}
	}
	return out
}
