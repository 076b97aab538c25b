package data_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// schedules are documents. Each has a list or a value that only one content of version 5
// shows.
var schedules = map[string]string{
	"fleet.csv": "Year,Make,Model,VIN,Body Type,Cost New,Garaging Address\n" +
		"2019,Ford,F-150,1FTEW1E50KFA00001,Pickup,\"$41,200\",\"4 Dock Road, Portland, ME 04101\"\n" +
		"2020,Utility,3000R,1UYVS253XLU000002,Semi-trailer,TBD,\n",
	"classes.csv": "State,Class Code,Classification,Number of Employees,Estimated Annual Payroll\nIL,2003,Bakery,14,\"512,300\"\nIL,8810,Clerical,3,\"130,000\"\nTotal,,,17,\"642,300\"\n",
	"losses.txt": "Loss run\nCarrier: Northfield Mutual\nPolicy Number: GL-445512\n\n" +
		"Claim Number | Date of Loss | Date Reported | Line of Business | Status | Description | Paid | Reserved | Incurred\n" +
		"C-1001 | 03/14/2022 | 03/18/2022 | General Liability | Open | Slip and fall | $12,500 | $2,500 | $15,000\n",
	"insurance.txt": "Named Insured: Foxglove Bakery LLC\n\nPRIOR CARRIER INFORMATION\n\n" +
		"Line of business\tCarrier\tPolicy number\tEffective date\tExpiration date\tPremium\n" +
		"General Liability\tNorthfield Mutual\tGL-1\t04/01/2024\t04/01/2025\t$12,500\n\n" +
		"Additional insured: City of Springfield, 800 Monroe Street, Springfield, IL 62701\nProperty damage deductible: $1,000\nRetroactive date: 04/01/2020\n",
	"autos.txt": "Business auto\n\nCoverage | Covered auto symbols | Limit | Deductible\nLiability | 1 | $1,000,000 |\nCollision | 7, 8 | Actual cash value | $500\n\nNon-owned auto liability - number of employees: 7\n",
	"loan.txt":  "Location 1: 12 Mill Street, Springfield, IL 62701\nBuilding value: $500,000\n\nMortgagee: First Prairie Bank, 1 Bank Plaza, Springfield, IL 62701\nLoan number: 55-120\n",
}

// TestListsOfDocuments checks the lists of each content, with their scores and evidence. The
// documents state them in different layouts.
func TestListsOfDocuments(t *testing.T) {
	servertest.Proves(t,
		"Version 5, fields: lists of vehicles, claims, employees, policies and interests are extracted",
		"Version 5, fields: what a document states has evidence")
	s := servertest.New(t)
	acme := s.Acme()
	for _, c := range []struct {
		file, content, group, field string
		want                        string
	}{
		{"fleet.csv", "auto", "facts", "vehicles", `[
			{"body_type":"Pickup","cost_new":"41,200.00","garaging_address":"4 Dock Road, Portland, ME 04101","make":"Ford","model":"F-150","vin":"1FTEW1E50KFA00001","year":"2019"},
			{"body_type":"Semi-trailer","cost_new":"","garaging_address":"","make":"Utility","model":"3000R","vin":"1UYVS253XLU000002","year":"2020"}]`},
		{"fleet.csv", "common", "facts", "auto", `{"total_power_units":"1"}`},
		{"classes.csv", "workers-compensation", "facts", "employees", `[
			{"class_code":"2003","class_description":"Bakery","estimated_annual_payroll":"512,300.00","number_of_employees":"14","state":"IL"},
			{"class_code":"8810","class_description":"Clerical","estimated_annual_payroll":"130,000.00","number_of_employees":"3","state":"IL"}]`},
		{"classes.csv", "common", "options", "workers_comp_estimated_annual_payroll", `"642,300.00"`},
		{"losses.txt", "loss-run", "options", "claim_history", `[
			{"carrier":"Northfield Mutual","claim_number":"C-1001","date_of_loss":"2022-03-14","date_reported":"2022-03-18","description":"Slip and fall","incurred":"15,000.00","line_of_business":"General Liability","paid":"12,500.00","policy_number":"GL-445512","reserved":"2,500.00","status":"Open"}]`},
		{"insurance.txt", "general-liability", "facts", "existing_insurance", `[
			{"policy_effective_date":"2024-04-01","policy_expiry_date":"2025-04-01","policy_number":"GL-1","premium":"12,500.00","type":"General Liability","year":""}]`},
		{"insurance.txt", "general-liability", "facts", "additional_interest", `[{"party_address":"800 Monroe Street, Springfield, IL 62701","party_name":"City of Springfield"}]`},
		{"insurance.txt", "general-liability", "facts", "additional_insureds", `[{"address":"800 Monroe Street, Springfield, IL 62701"}]`},
		{"insurance.txt", "general-liability", "facts", "deductible", `{"Property damage":"1,000.00"}`},
		{"insurance.txt", "general-liability", "options", "retroactive_date", `"2020-04-01"`},
		{"autos.txt", "auto", "facts", "liability_covered_auto_symbols", `["1"]`},
		{"autos.txt", "auto", "facts", "collision_covered_auto_symbols", `["7","8"]`},
		{"autos.txt", "auto", "facts", "deductible", `{"Collision":"500.00"}`},
		{"autos.txt", "auto", "facts", "business_auto_non_owned_liability_employees", `"7"`},
		{"loan.txt", "advanced-property", "facts", "additional_interest", `{"interest":"Mortgagee","interest_in_item_details":"","loan_number":"55-120","party_address":"1 Bank Plaza, Springfield, IL 62701","party_name":"First Prairie Bank","rank":""}`},
	} {
		t.Run(c.content+" "+c.field, func(t *testing.T) {
			txID := acme.Submit(c.file, []byte(schedules[c.file]))
			elements := readContent(t, acme, c.content, txID)
			if len(elements) != 1 {
				t.Fatalf("%d elements, want 1", len(elements))
			}
			got := elements[0][c.group].(map[string]any)[c.field]
			var want any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (- want, + got):\n%s", c.field, diff)
			}
			score := fmt.Sprint(elements[0]["scores"].(map[string]any)[c.field])
			if !regexp.MustCompile(`^\d{1,2}\.\d\d$`).MatchString(score) {
				t.Errorf("the score is %s", score)
			}
			name := map[string]string{"auto": "total_power_units", "advanced-property additional_interest": "interest_in_location"}[strings.TrimPrefix(c.content+" "+c.field, "common ")]
			if name == "" {
				name = c.field
			}
			extraction := s.Tenant("acme").Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
			if stated := evidenceOf(t, extraction, c.group, name); !strings.HasPrefix(stated, c.file) {
				t.Errorf("the evidence is %q", stated)
			}
		})
	}
}

// evidenceOf returns the evidence of the first value of a field, of the company or the
// policy, or of the first location.
func evidenceOf(t *testing.T, transaction servertest.Response, group, name string) string {
	t.Helper()
	values := transaction.Get(t, "extraction", group).([]any)
	if locations := transaction.Get(t, "extraction", "locations").([]any); len(locations) > 0 {
		values = append(values, locations[0].([]any)...)
	}
	for _, value := range values {
		if v := value.(map[string]any); v["field"] == name {
			return fmt.Sprint(v["evidence"])
		}
	}
	return ""
}

// TestOutcomeReplacesExtractedLists checks that the lists of an outcome replace those of
// the document, and that the export of a submission has its lists.
func TestOutcomeReplacesExtractedLists(t *testing.T) {
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	acme := s.Acme()
	txID := acme.Submit("fleet.csv", []byte(schedules["fleet.csv"]))
	exported := tenant.Control("GET /transactions/"+txID+"/outcome", "").Want(t, http.StatusOK)
	if !strings.Contains(exported.Body, "1FTEW1E50KFA00001") {
		t.Errorf("the export has no vehicle: %s", exported.Body)
	}
	tenant.Control("PUT /outcomes", `{"match":{"filename":"fleet.csv"},"packages":{"auto":{"vehicles":[{"make":"Quill","year":"2001"}],"auto":{}}}}`).Want(t, http.StatusOK)
	facts := readContent(t, acme, "auto", acme.Submit("fleet.csv", []byte(schedules["fleet.csv"])))[0]["facts"].(map[string]any)
	if got := fmt.Sprint(facts["vehicles"]); !strings.Contains(got, "make:Quill") || strings.Contains(got, "Ford") {
		t.Errorf("vehicles are %s, want those of the outcome", got)
	}
}
