package data_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

// contentPackages are the suffixes of the ids of the seven packages, by content.
var contentPackages = map[string]string{
	"common": "us-common-c0001", "general-liability": "us-gl-c0001", "auto": "us-admitted-auto-c0001",
	"workers-compensation": "us-admitted-workers-comp-c0001", "loss-run": "us-loss-run-c0001",
	"property": "us-property-l0001", "advanced-property": "us-admitted-advanced-property-l0001",
}

// submissionMail has a schedule of two locations and states limits by name.
var submissionMail = []byte(strings.ReplaceAll(`From: Jo Farr <jo@harbour-brokers.example>
To: underwriting@carrier.example
Subject: Foxglove Bakery LLC - new business
Date: Mon, 02 Mar 2026 09:30:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain; charset=utf-8

Named Insured: Foxglove Bakery LLC
Mailing Address: 12 Mill Street, Springfield, IL 62701
Effective Date: 04/01/2026
Lines of business: Commercial Property; General Liability
Part time employees: 7
Number of vehicles: 4
Quote needed by: 03/20/2026
Expiring premium: $41,500
Each Occurrence: $1,000,000
General Aggregate: $2,000,000
Medical Expense: $5,000

--b
Content-Type: text/csv; name="schedule.csv"
Content-Disposition: attachment; filename="schedule.csv"

Loc No,Address,City,State,Zip,Occupancy,Construction,Year Built,Sq Ft,Stories,Building,Business Personal Property,Business Income
1,12 Mill Street,Springfield,IL,62701,Bakery,Joisted Masonry,1987,34000,2,"$6,216,506","$250,000","$336,000"
2,5 Dock Road,Portland,ME,04101,Warehouse,Steel frame,2004,"12,500",1,"$1,000,000",,

--b--
`, "\n", "\r\n"))

func readContent(t *testing.T, c servertest.Client, name, id string) []map[string]any {
	t.Helper()
	content, _ := field.FindContent(name)
	got := c.Do("GET /data/v5/acme-"+contentPackages[name]+"/"+id, "").Want(t, http.StatusOK)
	if got.Text(t, "data_package_id") != "acme-"+contentPackages[name] {
		t.Errorf("%s: wrong data_package_id in %s", name, got.Body)
	}
	return servertest.CheckVersion5(t, got, content)
}

// TestContents checks the fields of the seven packages of a submission.
func TestContents(t *testing.T) {
	servertest.Proves(t,
		"Chosen, data inquiry: version 5 has packages by line of business",
		"Chosen, data inquiry: version 5 has limits as objects",
		"Version 5, packages: no idType is needed",
		"Version 5, packages: the head of version 2, inputs for company packages only",
		"Version 5, packages: data is an array, additional_data an object",
		"Version 5, packages: an element has facts, options and scores",
		"Version 5, packages: one element of a company package, one for each location of a location package",
		"Version 5, packages: seven packages by line of business",
		"Version 5, forms: limits of a location are an object with one score, their sum a string",
		"Version 5, forms: limits of a company are an object, with the names of the document",
		"Version 5, forms: scores by field name, with two decimals, only for values",
		"Version 5, fields: location_id is the report's",
		"Version 5, fields: what a document states has evidence",
		"Version 5, fields: what data providers know is the same for the same address")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("submission.eml", submissionMail)
	status := acme.Status(txID)

	checkValues := func(element map[string]any, group string, want map[string]string) {
		t.Helper()
		got := map[string]string{}
		for name := range want {
			got[name] = fmt.Sprint(element[group].(map[string]any)[name])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (- want, + got):\n%s", group, diff)
		}
	}
	common := readContent(t, acme, "common", txID)[0]
	checkValues(common, "facts", map[string]string{
		"company_name": "Foxglove Bakery LLC", "address_1": "12 Mill Street", "city": "Springfield", "state": "IL", "postal_code": "62701",
		"quote_target_date": "2026-03-20", "total_part_time_employees": "7", "total_number_of_locations": "2",
		"auto": "map[total_power_units:4]", "vehicles": "[]", "employees": "[]", "address_2": "",
		"primary_sic": "[map[code:20 desc:Food and Kindred Products]]", "primary_naics_2017": "[map[code:311812 desc:Commercial Bakeries]]",
		"year_founded": fmt.Sprint(common["facts"].(map[string]any)["year_founded"]),
	})
	checkValues(common, "options", map[string]string{
		"100_pct_limit":      "map[Each Occurrence:1,000,000.00 General Aggregate:2,000,000.00 Medical Expense:5,000.00]",
		"expiring_premium":   "41,500.00",
		"normalized_product": "[Property Insurance General Liability]",
		"lob":                "Property & Casualty", "submission_received_date": s.Shown(0)[:10],
	})
	for _, name := range []string{"General Liability", "Medical Payment", "Building", "Business Interruption", "Business Personal Property"} {
		if list := common["options"].(map[string]any)["normalized_coverage"].([]any); !slices.Contains(list, any(name)) {
			t.Errorf("normalized_coverage %v, want it to contain %s", list, name)
		}
	}
	checkValues(readContent(t, acme, "general-liability", txID)[0], "facts", map[string]string{"total_part_time_employees": "7", "deductible": "map[]", "existing_insurance": "[]"})
	checkValues(readContent(t, acme, "auto", txID)[0], "facts", map[string]string{"auto": "map[total_power_units:4]", "liability_covered_auto_symbols": "[]"})
	checkValues(readContent(t, acme, "workers-compensation", txID)[0], "facts", map[string]string{"employees": "[]"})
	checkValues(readContent(t, acme, "loss-run", txID)[0], "options", map[string]string{"claim_history": "[]"})

	property := readContent(t, acme, "property", txID)
	if len(property) != 2 {
		t.Fatalf("%d locations, want 2", len(property))
	}
	checkValues(property[0], "facts", map[string]string{
		"location_address": "12 Mill Street", "location_occupancy_description": "Bakery", "year_built": "1987", "location_id": status.Text(t, "l_report_id"),
	})
	checkValues(property[0], "options", map[string]string{
		"100_pct_coverage_limits": "map[Building:6,216,506.00 Business Income:336,000.00 Business Personal Property:250,000.00]",
		"100_pct_limit":           "6,802,506.00", "location_doc_id": "1",
	})
	checkValues(property[1], "options", map[string]string{"100_pct_coverage_limits": "map[Building:1,000,000.00]", "100_pct_limit": "1,000,000.00"})

	advanced := readContent(t, acme, "advanced-property", txID)
	checkValues(advanced[0], "facts", map[string]string{
		"total_building_area_sqft": "34,000", "total_floors": "2", "year_built": "1987", "construction_type": "Joisted Masonry",
		"coast_distance_unit": "miles", "additional_interest": "map[]", "schedule_of_hazards": "[]", "roof_type": "",
	})
	checkValues(advanced[0], "options", map[string]string{
		"rms_construction_code": "2", "rms_construction_description": "Masonry", "atc_construction_code": "4", "atc_construction_description": "URM Wall with Frame",
	})
	for _, element := range advanced {
		for name, value := range element["facts"].(map[string]any) {
			if strings.HasSuffix(name, "_grade") && !regexp.MustCompile(`^[A-F]$`).MatchString(value.(string)) {
				t.Errorf("%s is %v, want a grade", name, value)
			}
		}
		if scores := element["scores"].(map[string]any); scores["wildfire_grade"] == nil || scores["location_id"] != nil {
			t.Errorf("scores %v", scores)
		}
	}
	checkEvidence(t, s.Tenant("acme").Control("GET /transactions/"+txID, "").Want(t, http.StatusOK), map[string][]string{
		"facts":   {"quote_target_date", "total_part_time_employees", "total_power_units"},
		"options": {"expiring_premium", "limits_by_name"},
	}, "year_built", "total_building_area_sqft", "total_floors", "coverage_limits_by_name")
	// The same address has the same grades, in another submission too.
	again := readContent(t, acme, "advanced-property", acme.Submit("again.eml", submissionMail))
	for i := range again {
		delete(again[i]["facts"].(map[string]any), "location_id")
		delete(advanced[i]["facts"].(map[string]any), "location_id")
	}
	if diff := cmp.Diff(advanced, again); diff != "" {
		t.Errorf("a second submission (- first, + second):\n%s", diff)
	}
}

// TestContentsWithoutValues checks that unknown values are "", [] or {}.
func TestContentsWithoutValues(t *testing.T) {
	servertest.Proves(t,
		"Chosen, data inquiry: unknown values are empty, those of numbers too",
		"Version 5, forms: unknown values")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	s.ReplaceReport(txID, enrich.Report{Locations: []enrich.Location{{}}})
	for name := range contentPackages {
		for _, element := range readContent(t, acme, name, txID) {
			facts, options := element["facts"].(map[string]any), element["options"].(map[string]any)
			for key, value := range facts {
				if key != "location_id" && !slices.Contains([]string{"", "[]", "map[]"}, fmt.Sprint(value)) {
					t.Errorf("%s: %s is %v", name, key, value)
				}
			}
			delete(options, "submission_received_date") // the server's own knowledge
			for key, value := range options {
				if !slices.Contains([]string{"", "[]", "map[]"}, fmt.Sprint(value)) {
					t.Errorf("%s: %s is %v", name, key, value)
				}
			}
		}
	}
	s.ReplaceReport(txID, enrich.Report{})
	for _, name := range []string{"property", "advanced-property"} {
		if elements := readContent(t, acme, name, txID); len(elements) != 0 {
			t.Errorf("%s: %v, want no element", name, elements)
		}
	}
}

// TestContentsInEarlierVersions checks that versions 1 to 4 show the fields of a
// package of version 5 that also exist in them, in their own format, and that the seven
// packages do not change which package a location inquiry shows.
func TestContentsInEarlierVersions(t *testing.T) {
	servertest.Proves(t,
		"Chosen, data inquiry: sov with a company package shows the oldest location package of version 2",
		"Version 5, packages: versions 1 to 4 show the fields that they know",
		"Version 5, forms: versions 2 to 4 keep strings")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	s.ReplaceReport(txID, servertest.FullReport())
	report := acme.Status(txID).Text(t, "c_report_id")
	names := func(object any) string { return strings.Join(slices.Sorted(maps.Keys(object.(map[string]any))), " ") }

	common := acme.Do("GET /data/v2/acme-us-common-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	if got := common.Get(t, "data", "options", "100_pct_limit"); got != "6,216,506.00" {
		t.Errorf("100_pct_limit in version 2 is %v, want a string", got)
	}
	servertest.KnownFields(t, common.Get(t, "data", "facts"), field.Facts)
	auto := acme.Do("GET /data/v4/acme-us-admitted-auto-c0001/"+txID, "").Want(t, http.StatusOK)
	if !strings.Contains(auto.Body, `"data":{"facts":{},"options":{}},"scores":{}}`) {
		t.Errorf("auto in version 4: %s, want no field", auto.Body)
	}
	liability := acme.Do("GET /data/v1/acme-us-gl-c0001/"+report, "").Want(t, http.StatusOK)
	if got := names(liability.Get(t, "data")); got != "total_full_time_employees" {
		t.Errorf("general liability in version 1 shows %s", got)
	}
	property := acme.Do("GET /data/v3/acme-us-property-l0001/"+txID, "").Want(t, http.StatusOK).Get(t, "data").([]any)[0].(map[string]any)
	if got := names(property["options"]); got != "100_pct_coverage_limits 100_pct_limit" || property["options"].(map[string]any)["100_pct_coverage_limits"] != "6,216,506.00" {
		t.Errorf("options of property in version 3: %v, want strings", property["options"])
	}
	for id, want := range map[string]string{
		"acme-us-c0001": "acme-us-l0001", "acme-us-common-c0001": "acme-us-l0001", "acme-us-property-l0001": "acme-us-l0001",
	} {
		got := acme.Do("GET /data/v2/"+id+"/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
		if got.Text(t, "data_package_id") != want {
			t.Errorf("sov with %s shows %s, want %s", id, got.Text(t, "data_package_id"), want)
		}
	}
}

// TestDemoTenantsHaveContents checks the packages of both demo tenants and of a new one.
func TestDemoTenantsHaveContents(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: the seeded data packages",
		"Version 5, packages: seeded for the demo tenants and made for new ones")
	s := servertest.New(t, servertest.Background)
	for _, tenant := range []string{"acme", "globex", s.NewTenant(`{}`).Name} {
		list := s.Control("GET /tenants/"+tenant+"/packages", "").Want(t, http.StatusOK)
		for name, suffix := range contentPackages {
			if !strings.Contains(list.Body, `{"id":"`+tenant+`-`+suffix+`","kind":"`) || !strings.Contains(list.Body, `"content":"`+name+`"`) {
				t.Errorf("packages of %s: %s, want %s", tenant, list.Body, suffix)
			}
		}
		for _, id := range []string{tenant + "-us-c0001", tenant + "-us-l0001"} {
			if !strings.Contains(list.Body, `{"id":"`+id+`"`) {
				t.Errorf("packages of %s: %s, want %s", tenant, list.Body, id)
			}
		}
	}
}

// checkEvidence checks that the extraction of a transaction has the values, each with
// the text that states it: those of the company and the policy by group, and those of
// the first location.
func checkEvidence(t *testing.T, transaction servertest.Response, groups map[string][]string, ofLocation ...string) {
	t.Helper()
	check := func(values any, names []string) {
		t.Helper()
		evidence := map[string]string{}
		for _, value := range values.([]any) {
			v := value.(map[string]any)
			evidence[v["field"].(string)], _ = v["evidence"].(string)
		}
		for _, name := range names {
			if evidence[name] == "" {
				t.Errorf("%s has no evidence", name)
			}
		}
	}
	for group, names := range groups {
		check(transaction.Get(t, "extraction", group), names)
	}
	check(transaction.Get(t, "extraction", "locations").([]any)[0], ofLocation)
}

// TestContentsHaveTheirFields checks the names of the facts and of the options of each
// content. The package common shows the facts of version 2 too.
func TestContentsHaveTheirFields(t *testing.T) {
	servertest.Proves(t,
		"Version 5, fields: common",
		"Version 5, fields: general-liability",
		"Version 5, fields: auto",
		"Version 5, fields: workers-compensation",
		"Version 5, fields: loss-run",
		"Version 5, fields: property",
		"Version 5, fields: advanced-property")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("submission.eml", submissionMail)
	company := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	ofVersion2 := strings.Join(slices.Collect(maps.Keys(company.Get(t, "data", "facts").(map[string]any))), " ")
	const premises = "building_number location_address location_city location_state location_postal_code location_country location_occupancy_description year_built location_id "
	for name, want := range map[string]struct{ facts, options string }{
		"common": {
			ofVersion2 + ` company_name address_1 address_2 city state postal_code website quote_target_date primary_sic primary_naics_2017 vehicles employees
				annual_revenue annual_payroll total_full_time_employees total_part_time_employees total_number_of_locations auto`,
			`broker_name broker_address broker_city broker_state broker_postal_code broker_contact_points broker_email broker_contact_phone
				submission_received_date normalized_product policy_inception_date end_date target_premium underwriter underwriter_email
				workers_comp_estimated_annual_payroll document_date expiring_premium lob 100_pct_limit normalized_coverage coverage`,
		},
		"general-liability": {
			"total_full_time_employees total_part_time_employees deductible existing_insurance additional_interest additional_insureds",
			"retroactive_date",
		},
		"auto": {
			`deductible liability_covered_auto_symbols comprehensive_covered_auto_symbols collision_covered_auto_symbols pip_covered_auto_symbols
				medical_payments_covered_auto_symbols towing_auto_covered_auto_symbols business_auto_non_owned_liability_employees
				business_auto_non_owned_liability_volunteers truckers_non_owned_liability_employees truckers_non_owned_liability_volunteers
				motor_carrier_non_owned_liability_employees motor_carrier_non_owned_liability_volunteers vehicles auto`,
			"",
		},
		"workers-compensation": {"employees", ""},
		"loss-run":             {"", "claim_history"},
		"property":             {premises, "100_pct_coverage_limits 100_pct_limit location_doc_id atc_occupancy_description"},
		"advanced-property": {
			premises + `latitude longitude total_buildings location_blanket_summary construction_type smart_construction_code total_building_area_sqft roof_type
				roof_shape fire_protection_class_code total_floors location_have_sprinklers exterior_construction_features exterior_roof_features
				roof_configuration sprinkler_pct fire_alarm_manufacturer additional_interest schedule_of_hazards wildfire_grade earthquake_grade
				flood_grade wind_grade hail_grade tornado_grade murder_grade larceny_grade crime_grade aggravated_assault_grade sinkhole_point_grade
				radon motor_vehicle_theft burglary_grade forcible_rape forcible_robbery wildfire_grade_desc fire_hydrant_distance coast_distance
				coast_distance_unit`,
			"rms_construction_code rms_construction_description atc_construction_code atc_construction_description burglar_alarm_type",
		},
	} {
		elements := readContent(t, acme, name, txID)
		for group, names := range map[string]string{"facts": want.facts, "options": want.options} {
			wanted := strings.Fields(names)
			slices.Sort(wanted)
			if diff := cmp.Diff(slices.Compact(wanted), slices.Sorted(maps.Keys(elements[0][group].(map[string]any))), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s of %s (- want, + got):\n%s", group, name, diff)
			}
		}
	}
}
