package enrich

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// Scores of what was given or follows from what was read; estimates lie lower.
const (
	given     = 0.95 // the client's own words
	splitOff  = 0.97 // of the score of the line from which a part was split
	inferred  = 0.60 // follows from a postal code, state or name
	byDomain  = 0.50
	byCountry = 0.35
)

// company is the insured while its report is being made. Its record holds the
// fields of both company shapes.
type company struct {
	record  Record
	home    address.Address // completed
	written address.Address // only what is written
	hash    hash
}

// newCompany puts together what was read and what the client gave.
func newCompany(in Input) *company {
	c := &company{record: newRecord(64)}
	c.record.read(in.Facts)
	c.record.fill("company_name", strings.TrimSpace(in.Seed.CompanyName), given)
	c.record.fill("address", strings.TrimSpace(in.Seed.Address), given)
	return c
}

// identify splits and completes the address and adds what follows from it and
// from the name.
func (c *company) identify() {
	r := c.record
	line := r.Scores["address"]
	c.written = address.Parse(r.text("address"))
	if c.written.Street == "" && c.written.City == "" && c.written.Country == "" {
		c.written.Street = r.text("address")
	}
	if city := r.text("city"); city != "" && address.Key(city) != address.Key(c.written.City) {
		// The line holds no city, so its last part belongs to the street.
		c.written.Street = r.text("address")
	}
	r.put("address", c.written.Street, line)
	c.written = settle(r, companyParts, c.written, line*splitOff)
	c.home = complete(r, companyParts, c.written)
	if iso := c.home.CountryISO; iso != "" {
		r.put("country", iso, max(r.Scores["country"], inferred))
	}
	c.hash = newHash(r.text("company_name"), c.home.CountryISO, c.home.PostalCode)

	if domain := ownDomain(r.text("email_id")); domain != "" {
		r.fill("website", "www."+domain, byDomain)
	}
	r.fill("legal_entity_type", legalForm(r.text("company_name"), c.home.CountryISO), inferred)
	if r.has("company_name") {
		r.fill("company_jurisdiction", c.home.CountryISO, byCountry)
	}
}

// parts are the fields of an address beside its street.
type parts struct{ city, state, postalCode, country string }

var (
	companyParts  = parts{"city", "state", "postal_code", "country"}
	locationParts = parts{"location_city", "location_state", "location_postal_code", "location_country"}
)

// settle lets the parts that were read on their own win over those split off
// the address line, and shows the latter with the given score.
func settle(r Record, p parts, a address.Address, score float64) address.Address {
	if country := r.text(p.country); country != "" {
		a.Country, a.CountryISO = country, ""
		if iso, name, ok := address.Country(country); ok {
			a.Country, a.CountryISO = name, iso
			r.put(p.country, iso, r.Scores[p.country])
		}
	} else {
		r.fill(p.country, a.CountryISO, score)
	}
	if state := r.text(p.state); state != "" {
		code, iso, ok := address.State(state)
		if ok && (a.CountryISO == "" || a.CountryISO == iso) {
			state = code
			r.put(p.state, code, r.Scores[p.state])
		}
		a.State = state
	}
	r.fill(p.state, a.State, score)
	for _, part := range []struct {
		name string
		of   *string
	}{{p.city, &a.City}, {p.postalCode, &a.PostalCode}} {
		if text := r.text(part.name); text != "" {
			*part.of = text
		}
		r.fill(part.name, *part.of, score)
	}
	return a
}

// complete adds the parts that follow from the stated ones.
func complete(r Record, p parts, a address.Address) address.Address {
	a = address.Complete(a)
	r.fill(p.city, a.City, inferred)
	r.fill(p.state, a.State, inferred)
	r.fill(p.country, a.CountryISO, inferred)
	return a
}

// countries adds the arrays of countries: the insured's own, and those of its
// locations.
func (c *company) countries(locations []Location) {
	own := c.home.CountryISO
	if c.record.has("company_name") && own != "" {
		c.record.fill("registered_in_countries", []string{own}, byCountry)
	}
	assets := countriesOf(locations)
	if len(assets) > 0 {
		c.record.fill("assets_in_countries", assets, inferred)
	} else if own != "" {
		c.record.fill("assets_in_countries", []string{own}, byCountry)
	}
}

// versionOne is the company in the shape of the version 1 inquiry.
func (c *company) versionOne() Record {
	v1 := c.record.pick(field.Report)
	delete(v1.Values, "company_id")
	delete(v1.Scores, "company_id")
	if c.home.Country != "" {
		v1.put("country", c.home.Country, v1.Scores["country"])
	}
	return v1
}

// cleansed shows the company as it was resolved. The confidence is the weighted
// share of name, address and position that could be resolved.
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
	if at, ok := position(c.home, out.Address.StreetAddr); ok {
		out.Address.GeoPosition = GeoPosition(at)
		confidence += 0.15
	}
	out.ConfidenceScore = round(min(confidence, 1))

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
