package field

import (
	"slices"
	"strings"
)

// Content describes the data packages for one line of business, and their fields in
// version 5.
type Content struct {
	Name      string // "" for the packages of version 2
	Suffix    string // of the id of each tenant's package: "us-gl-c0001"
	Locations bool   // one element per location, rather than one for the company
	Facts     []Field
	Options   []Field
}

// Fields returns the facts and the options.
func (c Content) Fields() []Field { return slices.Concat(c.Facts, c.Options) }

// Contents are the contents of all packages, with their fields in version 5: first the
// company package and the location package of version 2, then the seven packages of
// version 5.
var Contents = []Content{
	{Suffix: "us-c0001", Facts: Facts, Options: withAmounts(Options, "100_pct_limit")},
	{Suffix: "us-l0001", Locations: true, Facts: LocationFacts, Options: withAmounts(LocationOptions, "100_pct_coverage_limits")},
	{
		Name: "common", Suffix: "us-common-c0001",
		Facts: union(
			of(Text, "company_name address_1 address_2 city state postal_code website"),
			of(Date, "quote_target_date"), of(Codes, "primary_sic primary_naics_2017"),
			[]Field{{"vehicles", Objects, vehicle}, {"employees", Objects, employeeClass}},
			of(Money, "annual_revenue annual_payroll"),
			of(Number, "total_full_time_employees total_part_time_employees total_number_of_locations"),
			[]Field{{"auto", Object, fleet}}, Facts),
		Options: slices.Concat(
			of(Text, "broker_name broker_address broker_city broker_state broker_postal_code broker_contact_points broker_email broker_contact_phone"),
			of(Date, "submission_received_date"), of(Texts, "normalized_product"), of(Date, "policy_inception_date end_date"),
			of(Money, "target_premium"), of(Text, "underwriter underwriter_email"), of(Money, "workers_comp_estimated_annual_payroll"),
			of(Date, "document_date"), of(Money, "expiring_premium"), of(Text, "lob"),
			of(Amounts, "100_pct_limit"), of(Texts, "normalized_coverage coverage")),
	},
	{
		Name: "general-liability", Suffix: "us-gl-c0001",
		Facts: slices.Concat(
			of(Number, "total_full_time_employees total_part_time_employees"), of(Amounts, "deductible"),
			[]Field{
				{"existing_insurance", Objects, existingInsurance},
				{"additional_interest", Objects, party},
				{"additional_insureds", Objects, of(Text, "address")},
			}),
		Options: of(Date, "retroactive_date"),
	},
	{
		Name: "auto", Suffix: "us-admitted-auto-c0001",
		Facts: slices.Concat(
			of(Amounts, "deductible"),
			autoSymbols, nonOwned,
			[]Field{{"vehicles", Objects, vehicle}, {"auto", Object, fleet}}),
	},
	{
		Name: "workers-compensation", Suffix: "us-admitted-workers-comp-c0001",
		Facts: []Field{{"employees", Objects, employeeClass}},
	},
	{
		Name: "loss-run", Suffix: "us-loss-run-c0001",
		Options: []Field{{"claim_history", Objects, claim}},
	},
	{
		Name: "property", Suffix: "us-property-l0001", Locations: true,
		Facts:   slices.Concat(premises, of(Text, "location_id")),
		Options: slices.Concat(of(Amounts, "100_pct_coverage_limits"), of(Money, "100_pct_limit"), of(Text, "location_doc_id atc_occupancy_description")),
	},
	{
		Name: "advanced-property", Suffix: "us-admitted-advanced-property-l0001", Locations: true,
		Facts: slices.Concat(
			premises, of(Number, "latitude longitude total_buildings"), of(Entries, "location_blanket_summary"),
			of(Text, "construction_type smart_construction_code"), of(Count, "total_building_area_sqft"),
			of(Text, "roof_type roof_shape fire_protection_class_code"), of(Number, "total_floors"), of(Indicator, "location_have_sprinklers"),
			of(Text, "exterior_construction_features exterior_roof_features roof_configuration"), of(Number, "sprinkler_pct"), of(Text, "fire_alarm_manufacturer"),
			[]Field{{"additional_interest", Object, interest}},
			of(Entries, "schedule_of_hazards"),
			of(Grade, `wildfire_grade earthquake_grade flood_grade wind_grade hail_grade tornado_grade murder_grade larceny_grade crime_grade
				aggravated_assault_grade sinkhole_point_grade radon motor_vehicle_theft burglary_grade forcible_rape forcible_robbery`),
			of(Text, "wildfire_grade_desc fire_hydrant_distance"), of(Number, "coast_distance"), of(Text, "coast_distance_unit location_id")),
		Options: of(Text, "rms_construction_code rms_construction_description atc_construction_code atc_construction_description burglar_alarm_type"),
	},
}

// Version2 returns the content of the location packages or company packages of
// version 2.
func Version2(locations bool) Content {
	if locations {
		return Contents[1]
	}
	return Contents[0]
}

// FindContent returns the content of version 5 with the name.
func FindContent(name string) (Content, bool) {
	i := slices.IndexFunc(Contents, func(c Content) bool { return c.Name == name })
	if i < 0 || name == "" {
		return Content{}, false
	}
	return Contents[i], true
}

// ContentNames returns the names of the contents of version 5.
func ContentNames() []string {
	var names []string
	for _, c := range Contents {
		if c.Name != "" {
			names = append(names, c.Name)
		}
	}
	return names
}

// Fields of the objects in several contents.
var (
	premises = slices.Concat(
		of(Text, `building_number location_address location_city location_state location_postal_code location_country location_occupancy_description`),
		of(Number, "year_built"))
	fleet         = of(Number, "total_power_units")
	vehicle       = slices.Concat(of(Number, "year"), of(Text, "make model vin body_type"), of(Money, "cost_new"), of(Text, "garaging_address"))
	employeeClass = slices.Concat(of(Text, "class_code class_description state"), of(Number, "number_of_employees"), of(Money, "estimated_annual_payroll"))

	existingInsurance = slices.Concat(
		of(Text, "type policy_number"), of(Date, "policy_effective_date policy_expiry_date"), of(Number, "year"), of(Money, "premium"))
	claim = slices.Concat(
		of(Text, "policy_number carrier line_of_business claim_number"), of(Date, "date_of_loss date_reported"),
		of(Text, "status description"), of(Money, "paid reserved incurred"))
	party    = of(Text, "party_name party_address")
	interest = of(Text, "interest party_name party_address rank loan_number interest_in_item_details")

	autoSymbols = of(Texts, `liability_covered_auto_symbols comprehensive_covered_auto_symbols collision_covered_auto_symbols pip_covered_auto_symbols
		medical_payments_covered_auto_symbols towing_auto_covered_auto_symbols`)
	nonOwned = of(Number, `business_auto_non_owned_liability_employees business_auto_non_owned_liability_volunteers
		truckers_non_owned_liability_employees truckers_non_owned_liability_volunteers
		motor_carrier_non_owned_liability_employees motor_carrier_non_owned_liability_volunteers`)
)

// Names of extracted values that only version 5 shows. They have other names there,
// because version 2 has fields with the same names and other kinds.
const (
	NamedLimits         = "limits_by_name"          // 100_pct_limit of a company
	NamedCoverageLimits = "coverage_limits_by_name" // 100_pct_coverage_limits of a location
	PowerUnits          = "total_power_units"       // auto.total_power_units
	LocationInterest    = "interest_in_location"    // additional_interest of a location
)

// Fields of the company, the policy and a location that only version 5 shows and that
// documents state.
var (
	MoreFacts = slices.Concat(of(Date, "quote_target_date"),
		of(Number, "total_part_time_employees total_number_of_locations "+PowerUnits), of(Codes, "primary_sic"),
		of(Amounts, "deductible"), autoSymbols, nonOwned, []Field{
			{"vehicles", Objects, vehicle},
			{"employees", Objects, employeeClass},
			{"existing_insurance", Objects, existingInsurance},
			{"additional_interest", Objects, party},
			{"additional_insureds", Objects, of(Text, "address")},
		})
	MoreOptions = slices.Concat(of(Money, "target_premium expiring_premium workers_comp_estimated_annual_payroll"), of(Text, "underwriter_email"),
		of(Date, "retroactive_date"), of(Texts, "normalized_coverage"), of(Amounts, NamedLimits), []Field{{"claim_history", Objects, claim}})
	MoreLocation = slices.Concat(of(Text, "building_number"), of(Number, "year_built total_buildings total_floors sprinkler_pct"),
		of(Count, "total_building_area_sqft"), of(Text, "roof_type roof_shape fire_protection_class_code fire_hydrant_distance burglar_alarm_type"),
		of(Text, "exterior_construction_features exterior_roof_features roof_configuration fire_alarm_manufacturer"),
		of(Number, "coast_distance"), of(Text, "coast_distance_unit"),
		of(Amounts, NamedCoverageLimits), []Field{{LocationInterest, Object, interest}})
)

// of returns fields of one kind. The names are separated by spaces.
func of(kind Kind, names string) []Field {
	var list []Field
	for name := range strings.FieldsSeq(names) {
		list = append(list, Field{Name: name, Kind: kind})
	}
	return list
}

// union returns the fields of the lists, each name once.
func union(lists ...[]Field) []Field {
	var all []Field
	for _, f := range slices.Concat(lists...) {
		if !slices.ContainsFunc(all, func(other Field) bool { return other.Name == f.Name }) {
			all = append(all, f)
		}
	}
	return all
}

// withAmounts returns the fields, in which the named field has the kind Amounts.
func withAmounts(fields []Field, name string) []Field {
	changed := slices.Clone(fields)
	for i := range changed {
		if changed[i].Name == name {
			changed[i].Kind = Amounts
		}
	}
	return changed
}
