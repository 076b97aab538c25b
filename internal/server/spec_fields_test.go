//go:build ignore

package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// companyFields are the shapes of the data inquiries and of company submit.
var companyFields = []statement{
	listing("company inquiry, top level", ": tx_id, tx_start_time, tx_end_time, response_time_secs (string), data_package_id, tenant_id, user_id, c_report_id, l_report_id, doc_reference_id (the submission's tx_id; may carry trailing whitespace), seed_input {company_name, address} (the input as first extracted), cleansed_input, data {facts, options}, scores", func(t *testing.T, s *story) any { return s.company.Get(t) }),
	{"company inquiry, seed_input", func(t *testing.T, s *story) {
		if s.company.Text(t, "seed_input", "company_name") != "Foxglove Bakery LLC" || s.company.Text(t, "seed_input", "address") != "12 Mill Street, Springfield, IL 62701" {
			t.Error(s.company.Body)
		}
	}},
	{"company inquiry, cleansed_input", func(t *testing.T, s *story) {
		checkCompanyV2(t, s.company)
	}},
	listing("facts, identity", ": company_name, website, address, city, state, postal_code, country, bureau_number, global_ultimate_bureau_number, company_number, vat_number, ern_number, legal_entity_type, company_jurisdiction, year_founded, annual_revenue, smart_company_credit_grade, company_description (array of string), subsidiary_companies (array)", func(t *testing.T, s *story) any { return s.company.Get(t, "data", "facts") }),
	listing("facts, classification", ": primary_naics_2012 and secondary_naics_2012 (arrays of objects {code: string, desc: string})", func(t *testing.T, s *story) any { return s.company.Get(t, "data", "facts") }),
	listing("facts, status and finance", ": bankruptcy_indicator, has_company_been_liquidated, insolvency_history, total_legal_fillings, is_non_profit_company, has_business_in_operation_for_more_than_3yrs, parent_company_revenue, parent_company_revenue_currency_code, parent_company_global_sales, bureau_rating, bureau_rating_description, bureau_review_date (date, `YYYY-MM-DD`), has_there_been_health_and_safety_breach", func(t *testing.T, s *story) any { return s.company.Get(t, "data", "facts") }),
	listing("facts, geography", "arrays: registered_in_countries, assets_in_countries, product_sold_in_countries", func(t *testing.T, s *story) any { return s.company.Get(t, "data", "facts") }),
	listing("facts, indicators", ": does_company_has_hosted_office_suite_exposure; does_any_employee_do_gas_exploration_work; does_any_employee_undertakes_demolition_work; does_any_employee_undertakes_work_involving_roofing_scafolding_abseiling_cradles; is_any_work_carried_out_other_than_collection_and_delivery; does_any_employee_works_with_heat_fire", func(t *testing.T, s *story) any { return s.company.Get(t, "data", "facts") }),
	{"facts, places of work", func(t *testing.T, s *story) {
		facts := s.company.Get(t, "data", "facts").(map[string]any)
		_, list, _ := strings.Cut("one of: airports, blast_furnaces, boat_yard, bridges, chimney_shafts, collieries, computer_rooms, docks, fences_on_motorways, hangars, harbours, marine_watercraft_hovercraft, mines, motor_vehicle_cycles, nuclear_establishments, offshore_structures, oil_gas_chemical_bulk_storage, oil_gas_chemical_production_premises, petrochemical_works, pharmaceuticals, piers, power_stations, quarries, railways, refineries, steel_structures, steeples, tanks, towers, underground, underwater, dams", ": ")
		places := strings.Split(list, ", ")
		for _, place := range places {
			if value, there := facts["does_any_employee_works_at_"+place]; !there || !slices.Contains([]any{"Y", "N", ""}, value) {
				t.Errorf("%s is %v", place, value)
			}
		}
		if len(places) != 32 {
			t.Errorf("%d places", len(places))
		}
	}},
	listing("options", ": programme_type, product (array of string), policy_inception_date (date), field_office, exclusive_flag (Y/N), end_date, document_date (date), broker_contact_points, coverage (array), 100_pct_limit, broker_name, underwriter, broker_address, broker_city, broker_postal_code, broker_state, broker_email, estimated_premium, risk_country, business_interruption_period, decline_reason, form_submission_type (array of string), broker_contact_phone, policy_inception_effective_time, policy_end_time", func(t *testing.T, s *story) any { return s.company.Get(t, "data", "options") }),
	{"company inquiry, scores", func(t *testing.T, s *story) {
		scores := s.company.Get(t, "scores").(map[string]any)
		for name := range scores {
			_, fact := s.company.Get(t, "data", "facts").(map[string]any)[name]
			_, option := s.company.Get(t, "data", "options").(map[string]any)[name]
			if !fact && !option {
				t.Errorf("score of %s", name)
			}
		}
		if len(scores) == 0 || len(scores) > 60 {
			t.Errorf("%d scores", len(scores))
		}
	}},
	listing("location inquiry, top level", ": tx_id, tx_start_time, tx_end_time, response_time_secs (string), data_package_id, tenant_id, user_id, c_report_id, l_report_id, doc_reference_id, data (array; one element per location)", func(t *testing.T, s *story) any { return s.sov.Get(t) }),
	{"location inquiry, elements", func(t *testing.T, s *story) {
		for _, location := range s.locations(t) {
			keys(t, location, "facts:o options:o scores:o")
		}
	}},
	listing("location facts", ": location_address, location_city, location_state, location_postal_code, location_country, latitude (string), longitude (string), construction_type, location_id, flood_score, earthquake_score, wind_score, location_occupancy_code, location_have_intrusion_detectors, location_have_smoke_detectors, location_have_sprinklers", func(t *testing.T, s *story) any { return s.locations(t)[0].(map[string]any)["facts"] }),
	listing("location options", ": building_value, business_interruption_value, contents_tiv, stock_tiv, location_application_limit, 100_pct_coverage_limits, 100_pct_limit, location_pd, location_charge_value, 100_pct_bi_limit, 100_pct_pd_limit", func(t *testing.T, s *story) any { return s.locations(t)[0].(map[string]any)["options"] }),
	listing("company submit answer", ": tx_id (string), tenant_id, user_id, tx_start_time, tx_end_time, response_time_secs (number), seed_input {company_name, address}, c_report_id, l_report_id", func(t *testing.T, s *story) any { return s.submitted.Get(t) }),
	{"company submit request", func(t *testing.T, s *story) {
		if s.submitted.Text(t, "seed_input", "company_name") != "Harbour Lane Brewery Inc" || s.submitted.Text(t, "seed_input", "address") != "5 Dock Road, Portland, ME 04101" {
			t.Error(s.submitted.Body)
		}
	}},
	listing("report inquiry, top level", ": tx_id, tenant_id, user_id, tx_start_time, tx_end_time, response_time_secs (number), seed_input {company_name, address}, data_package_id, c_report_id, l_report_id, cleansed_input (as above but without countryISOCode and bureauNumber; seedInput.address.country may be empty), data, scores", func(t *testing.T, s *story) any { return s.report.Get(t) }),
	{"report inquiry, cleansed_input", func(t *testing.T, s *story) {
		checkCompanyV1(t, s.report)
		if s.report.Text(t, "cleansed_input", "seedInput", "address", "country") != "" {
			t.Error(s.report.Body)
		}
	}},
	listing("report data", ": company_id (string, equals the report id), company_name, dba_aka (array), contact_name (array), phone_number, website, email_id, address, city, state, postal_code, fein, legal_entity_type, year_founded (string), year_in_business (integer), annual_revenue (string), annual_payroll (string), total_full_time_employees (string), primary_naics_2012 and secondary_naics_2012 (arrays of {code, desc}), country, company_description (array), ppp_loan_size", func(t *testing.T, s *story) any { return s.report.Get(t, "data") }),
	{"report data, company_id", func(t *testing.T, s *story) {
		if s.report.Text(t, "data", "company_id") != s.submitted.Text(t, "c_report_id") {
			t.Error(s.report.Body)
		}
	}},
	{"report inquiry, scores", func(t *testing.T, s *story) {
		for name := range s.report.Get(t, "scores").(map[string]any) {
			if _, there := s.report.Get(t, "data").(map[string]any)[name]; !there {
				t.Errorf("score of %s", name)
			}
		}
	}},
}

// locations asks for the locations where everything is known.
func (s *story) locations(t *testing.T) []any {
	t.Helper()
	txID := s.address.Text(t, "tx_id")
	return s.acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=sov", "").Want(t, http.StatusOK).Get(t, "data").([]any)
}
