package server_test

import (
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

const (
	ofTransaction = "Data inquiry response, company data for a transaction: "
	ofLocations   = "Data inquiry response, location data for a transaction: "
	ofReport      = "Data inquiry response, company data by report id: "
	companySubmit = "Company submit request and response: "
)

// The parts of the responses that dataFields checks.
func company(t *testing.T, c *conversation) any { return c.company.Get(t) }
func facts(t *testing.T, c *conversation) any   { return c.company.Get(t, "data", "facts") }
func options(t *testing.T, c *conversation) any { return c.company.Get(t, "data", "options") }
func locations(t *testing.T, c *conversation) any {
	return c.locations.Get(t)
}

func location(part string) func(t *testing.T, c *conversation) any {
	return func(t *testing.T, c *conversation) any {
		return c.full.Get(t, "data").([]any)[0].(map[string]any)[part]
	}
}

// dataFields are the statements about the fields of the data inquiries and of
// company submit.
var dataFields = []statement{
	hasFields(says(ofTransaction+"top level"), "tx_id, tx_start_time, tx_end_time, response_time_secs (string), data_package_id, tenant_id, user_id, c_report_id, l_report_id, doc_reference_id (the submission's tx_id; may carry trailing whitespace), seed_input {company_name, address} (the input as first extracted), cleansed_input (object), data {facts, options}, scores (object)", company),
	{says(ofTransaction + "seed_input"), func(t *testing.T, c *conversation) {
		if c.company.Text(t, "seed_input", "company_name") != "Foxglove Bakery LLC" || c.company.Text(t, "seed_input", "address") != "12 Mill Street, Springfield, IL 62701" {
			t.Error(c.company.Body)
		}
	}},
	{says(ofTransaction + "cleansed_input"), func(t *testing.T, c *conversation) {
		servertest.CheckCompanyV2(t, c.company)
	}},
	hasFields(says(ofTransaction+"facts: identity"), "company_name, website, address, city, state, postal_code, country, bureau_number, global_ultimate_bureau_number, company_number, vat_number, ern_number, legal_entity_type, company_jurisdiction, year_founded, annual_revenue, smart_company_credit_grade, company_description (array of string), subsidiary_companies (array)", facts),
	hasFields(says(ofTransaction+"facts: classification"), "primary_naics_2012 and secondary_naics_2012 (arrays of objects {code: string, desc: string})", facts),
	hasFields(says(ofTransaction+"facts: status and finance"), "bankruptcy_indicator, has_company_been_liquidated, insolvency_history, total_legal_fillings, is_non_profit_company, has_business_in_operation_for_more_than_3yrs, parent_company_revenue, parent_company_revenue_currency_code, parent_company_global_sales, bureau_rating, bureau_rating_description, bureau_review_date (date, `YYYY-MM-DD`), has_there_been_health_and_safety_breach", facts),
	hasFields(says(ofTransaction+"facts: geography"), "registered_in_countries (array), assets_in_countries (array), product_sold_in_countries (array)", facts),
	hasFields(says(ofTransaction+"facts: indicators"), "does_company_has_hosted_office_suite_exposure; does_any_employee_do_gas_exploration_work; does_any_employee_undertakes_demolition_work; does_any_employee_undertakes_work_involving_roofing_scafolding_abseiling_cradles; is_any_work_carried_out_other_than_collection_and_delivery; does_any_employee_works_with_heat_fire", facts),
	{says(ofTransaction + "facts: places of work"), func(t *testing.T, c *conversation) {
		values := facts(t, c).(map[string]any)
		places := strings.Split("airports, blast_furnaces, boat_yard, bridges, chimney_shafts, collieries, computer_rooms, docks, fences_on_motorways, hangars, harbours, marine_watercraft_hovercraft, mines, motor_vehicle_cycles, nuclear_establishments, offshore_structures, oil_gas_chemical_bulk_storage, oil_gas_chemical_production_premises, petrochemical_works, pharmaceuticals, piers, power_stations, quarries, railways, refineries, steel_structures, steeples, tanks, towers, underground, underwater, dams", ", ")
		if len(places) != 32 {
			t.Errorf("%d places", len(places))
		}
		for _, place := range places {
			if value, ok := values["does_any_employee_works_at_"+place]; !ok || !slices.Contains([]any{"Y", "N", ""}, value) {
				t.Errorf("%s is %v", place, value)
			}
		}
	}},
	hasFields(says(ofTransaction+"options"), "programme_type, product (array of string), policy_inception_date (date), field_office, exclusive_flag (Y/N), end_date, document_date (date), broker_contact_points, coverage (array), 100_pct_limit, broker_name, underwriter, broker_address, broker_city, broker_postal_code, broker_state, broker_email, estimated_premium, risk_country, business_interruption_period, decline_reason, form_submission_type (array of string), broker_contact_phone, policy_inception_effective_time, policy_end_time", options),
	{says(ofTransaction + "scores"), func(t *testing.T, c *conversation) {
		scores := c.company.Get(t, "scores").(map[string]any)
		for name := range scores {
			_, isFact := facts(t, c).(map[string]any)[name]
			_, isOption := options(t, c).(map[string]any)[name]
			if !isFact && !isOption {
				t.Errorf("score of %s", name)
			}
		}
		if len(scores) == 0 || len(scores) > 60 {
			t.Errorf("%d scores", len(scores))
		}
	}},

	hasFields(says(ofLocations+"top level, an element per location"), "tx_id, tx_start_time, tx_end_time, response_time_secs (string), data_package_id, tenant_id, user_id, c_report_id, l_report_id, doc_reference_id, data (array; one element per location)", locations),
	{says(ofLocations + "each element"), func(t *testing.T, c *conversation) {
		elements := c.full.Get(t, "data").([]any)
		if want := len(servertest.FullReport().Locations); len(elements) != want {
			t.Errorf("%d elements for %d locations", len(elements), want)
		}
		for _, element := range elements {
			servertest.CheckKeys(t, element, "facts:o options:o scores:o")
		}
	}},
	hasFields(says(ofLocations+"facts"), "location_address, location_city, location_state, location_postal_code, location_country, latitude (string), longitude (string), construction_type, location_id, flood_score, earthquake_score, wind_score, location_occupancy_code, location_have_intrusion_detectors, location_have_smoke_detectors, location_have_sprinklers", location("facts")),
	hasFields(says(ofLocations+"options"), "building_value, business_interruption_value, contents_tiv, stock_tiv, location_application_limit, 100_pct_coverage_limits, 100_pct_limit, location_pd, location_charge_value, 100_pct_bi_limit, 100_pct_pd_limit", location("options")),

	{says(companySubmit + "the request"), func(t *testing.T, c *conversation) {
		if c.submitted.Text(t, "seed_input", "company_name") != "Harbour Lane Brewery Inc" || c.submitted.Text(t, "seed_input", "address") != "5 Dock Road, Portland, ME 04101" {
			t.Error(c.submitted.Body)
		}
	}},
	hasFields(says(companySubmit+"the response"), "tx_id (string), tenant_id, user_id, tx_start_time, tx_end_time, response_time_secs (number), seed_input {company_name, address}, c_report_id, l_report_id", func(t *testing.T, c *conversation) any {
		return c.submitted.Get(t)
	}),

	hasFields(says(ofReport+"top level"), "tx_id, tenant_id, user_id, tx_start_time, tx_end_time, response_time_secs (number), seed_input {company_name, address}, data_package_id, c_report_id, l_report_id, cleansed_input (object), data (object), scores (object)", func(t *testing.T, c *conversation) any {
		return c.report.Get(t)
	}),
	{says(ofReport + "cleansed_input"), func(t *testing.T, c *conversation) {
		servertest.CheckCompanyV1(t, c.report)
		if c.report.Text(t, "cleansed_input", "seedInput", "address", "country") != "" {
			t.Error(c.report.Body)
		}
	}},
	hasFields(says(ofReport+"data"), "company_id (string, equals the report id), company_name, dba_aka (array), contact_name (array), phone_number, website, email_id, address, city, state, postal_code, fein, legal_entity_type, year_founded (string), year_in_business (integer), annual_revenue (string), annual_payroll (string), total_full_time_employees (string), primary_naics_2012 and secondary_naics_2012 (arrays of {code, desc}), country, company_description (array), ppp_loan_size", func(t *testing.T, c *conversation) any {
		return c.report.Get(t, "data")
	}),
	{says(ofReport + "company_id is the report id"), func(t *testing.T, c *conversation) {
		if c.report.Text(t, "data", "company_id") != c.submitted.Text(t, "c_report_id") {
			t.Error(c.report.Body)
		}
	}},
	{says(ofReport + "scores"), func(t *testing.T, c *conversation) {
		scores := c.report.Get(t, "scores").(map[string]any)
		for name := range scores {
			if _, ok := c.report.Get(t, "data").(map[string]any)[name]; !ok {
				t.Errorf("score of %s", name)
			}
		}
		if len(scores) == 0 {
			t.Error("no scores")
		}
	}},
}
