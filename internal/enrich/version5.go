package enrich

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/field"
)

// Version5 returns the values of the company and the policy for every content, with the
// names and in the format of version 5. They are derived from the report, so they are
// not stored. received is the day on which the submission was received.
func (r Report) Version5(received time.Time) Record {
	v := merged(r.V1, r.Facts, r.Options, r.More)
	v.copy("address_1", "address", 1)
	v.setIfAbsent("submission_received_date", received.UTC().Format(time.DateOnly), scoreGiven)

	// Most codes are the same in both editions of NAICS.
	v.copy("primary_naics_2017", "primary_naics_2012", splitFactor)
	if codes, _ := v.Values["primary_naics_2012"].([]field.Code); len(codes) > 0 && len(codes[0].Code) >= 2 {
		if sic, ok := sicGroups[codes[0].Code[:2]]; ok {
			v.setIfAbsent("primary_sic", []field.Code{sic}, min(v.Scores["primary_naics_2012"], scoreLikely))
		}
	}
	if units := v.text(field.PowerUnits); units != "" {
		v.Values["auto"], v.Scores["auto"] = map[string]any{field.PowerUnits: units}, v.Scores[field.PowerUnits]
	}
	if v.text("estimated_premium") != v.text("expiring_premium") {
		v.copy("target_premium", "estimated_premium", splitFactor)
	}
	v.setLimits()
	v.normalise()
	if products, _ := v.Values["normalized_product"].([]string); slices.Contains(products, "Workers Compensation") {
		v.copy("workers_comp_estimated_annual_payroll", "annual_payroll", splitFactor)
	}
	return v
}

// copy sets a field that has no value to the value of another field. Its score is the
// score of the other field times the factor.
func (r Record) copy(name, from string, factor float64) {
	if value, ok := r.Values[from]; ok {
		r.setIfAbsent(name, value, r.Scores[from]*factor)
	}
}

// setLimits sets 100_pct_limit to the limits by name. A limit without a name in the
// document gets the name of the coverage if there is only one, and otherwise "Limit".
func (r Record) setLimits() {
	limit, score := r.text("100_pct_limit"), r.Scores["100_pct_limit"]
	delete(r.Values, "100_pct_limit")
	delete(r.Scores, "100_pct_limit")
	r.copy("100_pct_limit", field.NamedLimits, 1)
	if amount, ok := parseNumber(limit); ok && amount > 0 {
		name := "Limit"
		if coverages, _ := r.Values["coverage"].([]string); len(coverages) == 1 {
			name = coverages[0]
		}
		r.setIfAbsent("100_pct_limit", map[string]string{name: formatMoney(amount)}, score)
	}
}

// rule maps text that matches a pattern to the normal name of a product or coverage.
type rule struct {
	form *regexp.Regexp
	name string
}

func rules(pairs ...string) []rule {
	var list []rule
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, rule{regexp.MustCompile(`(?i)\b(?:` + pairs[i] + `)`), pairs[i+1]})
	}
	return list
}

var products = rules(
	`propert(?:y|ies)|buildings?\b|statement of values|material damage`, "Property Insurance",
	`(?:commercial|business|hired|non.?owned)? ?autos?\b|motor|vehicles?|fleet`, "Commercial Auto",
	`workers.{0,3} ?comp|employers.{0,3} liab|wc\b`, "Workers Compensation",
	`umbrella|excess`, "Umbrella",
	`inland marine|cargo|transit`, "Inland Marine",
	`cyber`, "Cyber", `crime|fidelity`, "Crime",
	`professional|errors|e&o`, "Professional Liability",
	`general (?:liab|aggregate)|each occurrence|commercial general|cgl\b|gl\b|liability\b`, "General Liability",
)

var coverages = rules(
	`products?\b.{0,25}(?:liab|completed|aggregate)`, "Product Liability",
	`general (?:liab|aggregate)|each occurrence|commercial general|cgl\b|public liab`, "General Liability",
	`personal (?:&|and) adv`, "Personal And Advertising Injury",
	`medical (?:pay|exp)|med exp`, "Medical Payment",
	`rented to you|fire damage legal|tenants? legal`, "Damage To Rented Premises",
	`buildings?\b|real property|material damage|property damage`, "Building",
	`business (?:interruption|income)|gross profit|loss of (?:income|profits)`, "Business Interruption",
	`contents|personal property|bpp\b|stock\b`, "Business Personal Property",
	`autos?\b|motor|combined single`, "Commercial Auto",
	`workers.{0,3} ?comp|employers.{0,3} liab`, "Workers Compensation",
	`umbrella|excess`, "Umbrella", `flood`, "Flood", `earth ?quake`, "Earthquake", `wind|hail|named storm`, "Windstorm",
	`equipment breakdown|boiler`, "Equipment Breakdown", `cyber`, "Cyber", `crime|theft|fidelity`, "Crime", `terror`, "Terrorism",
)

// normalise adds the normal names of products and coverages, and the line of business.
func (r Record) normalise() {
	named := slices.Clone(r.texts("coverage"))
	limits, _ := r.Values["100_pct_limit"].(map[string]string)
	for name := range limits {
		named = append(named, name)
	}
	slices.Sort(named[len(named)-len(limits):])
	stated := r.texts("product")
	score := max(r.Scores["product"], r.Scores["coverage"], r.Scores["100_pct_limit"]) * splitFactor
	covered := r.texts("normalized_coverage")
	if found := normal(products, slices.Concat(stated, named, covered)); len(found) > 0 {
		r.setIfAbsent("normalized_product", found, max(score, r.Scores["normalized_coverage"]*splitFactor))
	}
	if found := normal(coverages, named); len(found) > 0 {
		for _, name := range covered {
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		r.Values["normalized_coverage"], r.Scores["normalized_coverage"] = found, roundScore(max(score, r.Scores["normalized_coverage"]))
	}
	if len(stated)+len(named)+len(covered) > 0 {
		r.setIfAbsent("lob", "Property & Casualty", scoreInferred)
	}
}

func (r Record) texts(name string) []string {
	list, _ := r.Values[name].([]string)
	return list
}

// Limits of the texts in which names of products and coverages are searched for. An outcome
// can set longer texts, and more of them, than documents state.
const (
	maxNames = 100
	maxName  = 300 // bytes
)

// normal returns the normal names of the products or coverages that the texts name,
// without duplicates.
func normal(rules []rule, texts []string) []string {
	var found []string
	for _, text := range texts[:min(len(texts), maxNames)] {
		text = text[:min(len(text), maxName)]
		for _, rule := range rules {
			if rule.form.MatchString(text) {
				if !slices.Contains(found, rule.name) {
					found = append(found, rule.name)
				}
				break
			}
		}
	}
	return found
}

// locationCoverages returns the normal names of the coverages for which the locations
// have values.
func locationCoverages(locations []Location) []string {
	var found []string
	for _, value := range coverageValues {
		if slices.ContainsFunc(locations, func(l Location) bool {
			return slices.ContainsFunc(value.fields, func(name string) bool { return l.Options.has(name) })
		}) {
			found = append(found, value.name)
		}
	}
	return found
}

// addLocationTotals adds the number of locations.
func (c *company) addLocationTotals(locations []Location) {
	if len(locations) > 0 {
		c.record.setIfAbsent("total_number_of_locations", strconv.Itoa(len(locations)), scoreInferred)
	}
}

// sicGroups are the major groups of the Standard Industrial Classification that come
// closest to the sectors of NAICS 2012.
var sicGroups = sicTable(`
	11 01 Agricultural Production - Crops
	21 14 Mining and Quarrying of Nonmetallic Minerals, Except Fuels
	22 49 Electric, Gas and Sanitary Services
	23 15 Building Construction - General Contractors and Operative Builders
	31 20 Food and Kindred Products
	32 28 Chemicals and Allied Products
	33 34 Fabricated Metal Products
	42 50 Wholesale Trade - Durable Goods
	44 54 Food Stores
	45 59 Miscellaneous Retail
	48 42 Motor Freight Transportation
	49 42 Motor Freight Transportation and Warehousing
	51 73 Business Services
	52 64 Insurance Agents, Brokers and Service
	53 65 Real Estate
	54 87 Engineering, Accounting, Research, Management and Related Services
	55 67 Holding and Other Investment Offices
	56 73 Business Services
	61 82 Educational Services
	62 80 Health Services
	71 79 Amusement and Recreation Services
	72 58 Eating and Drinking Places
	81 76 Miscellaneous Repair Services
	92 91 Executive, Legislative and General Government`)

func sicTable(text string) map[string]field.Code {
	table := map[string]field.Code{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), " ", 3)
		table[parts[0]] = field.Code{Code: parts[1], Desc: parts[2]}
	}
	return table
}
