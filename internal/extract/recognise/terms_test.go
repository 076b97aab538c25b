package recognise_test

import (
	"testing"

	"understudy.example/internal/extract/recognise"
)

func TestLabels(t *testing.T) {
	for text, want := range map[string]string{
		"First Named Insured": "company_name", "NAME OF APPLICANT(S)": "company_name", "1. Proposer": "company_name",
		"Registered address / principal manufacturing": "address", "Proposed Eff. Date": "policy_inception_date",
		"Policy Expiration Date": "end_date", "Turnover (GBP)": "annual_revenue", "Company Reg. No.": "company_number",
		"Producer": "broker_name", "Agency Name": "broker_name", "Maximum Indemnity Period (months)": "business_interruption_period",
		"Holding insurer": "insurer", "Target premium": "estimated_premium", "Line(s) of Business": "product", "Covers required": "coverage",
		"E-mail": "~email", "Tel. No.": "~phone", "Building value": "", "Sprinklers": "",
	} {
		if m, _ := recognise.Label(text); m.Field != want {
			t.Errorf("recognise.Label(%q) = %q, want %q", text, m.Field, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	for text, want := range map[string]string{
		"Loc #": "location_id", "LocNumber": "location_id", "*Street Address": "location_address", "ZIP+4": "location_postal_code",
		"State/Province": "location_state", "BuildingTIV": "building_value", "2026 Building Value (USD)": "building_value",
		"Bldg. Limit": "building_value", "limits__building_value": "building_value", "Contents/BPP Values": "contents_tiv",
		"TimeElementValue": "business_interruption_value", "BI w/ EE": "business_interruption_value", "Total Insurable Value (TIV)": "100_pct_limit",
		"Plant & Machinery": "~equipment", "Stock": "stock_tiv", "% Sprinklered": "~sprinkler_percent", "Year Built": "~built",
		"Building Name": "~name", "Bldg No.": "~building", "Statement": "", "Motivation": "", "VIN": "", "Date of Loss": "",
		"Construction Class": "construction_type", "Risk Postcode": "location_postal_code", "Buildings ($000)": "building_value",
	} {
		if m, _ := recognise.Header(text); m.Field != want {
			t.Errorf("recognise.Header(%q) = %q, want %q", text, m.Field, want)
		}
	}
}
