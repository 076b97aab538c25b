package vocabulary

import "testing"

// TestColumn checks that headers are recognised whatever the order, number and
// abbreviation of their words, and that other words do not mislead.
func TestColumn(t *testing.T) {
	for _, c := range []struct{ class, header, want string }{
		{"vehicles", "VIN #", "vin"},
		{"vehicles", "Ye ar", "year"},
		{"vehicles", "Model Yr.", "year"},
		{"vehicles", "COST NEW ($)", "cost_new"},
		{"vehicles", "Fahrgestell-Nr.", "vin"},
		{"vehicles", "Numéro de châssis", "vin"},
		{"vehicles", "Driver Name", "~other"},
		{"vehicles", "Favourite Colour Scheme", ""},
		{"claim_history", "Loss Date", "date_of_loss"},
		{"claim_history", "Date of Loss (MM/DD/YYYY)", "date_of_loss"},
		{"claim_history", "Clm No", "claim_number"},
		{"claim_history", "Claim Numbers", "claim_number"},
		{"claim_history", "Number of claims", "~many"},
		{"claim_history", "Total Amount Paid", "paid"},
		{"claim_history", "Northfield Paid", "paid"},
		{"claim_history", "Paid Date", "~other"},
		{"claim_history", "Paid to date", "paid"},
		{"claim_history", "Net Loss Reserve", "reserved"},
		{"claim_history", "O/S", "reserved"},
		{"claim_history", "Third Party Damage", ""},
		{"claim_history", "Schadentag", "date_of_loss"},
		{"claim_history", "N° sinistre", "claim_number"},
		{"employees", "# Full Time", "~full_time"},
		{"employees", "Projected Annual Remuneration", "estimated_annual_payroll"},
		{"existing_insurance", "Exp. Date", "policy_expiry_date"},
		{"existing_insurance", "Policy No(s).", "policy_number"},
		{"existing_insurance", "Layer Limit", "~layer"},
		{"additional_interest", "Loan No.", "loan_number"},
		{"additional_interest", "", ""},
	} {
		got, ok := Schedule(c.class).Column(NewPhrase(c.header))
		if got.Meaning != c.want || ok != (c.want != "") || ok && (got.Fit <= 0 || got.Fit > 1) {
			t.Errorf("%s: %q is %+v, want %q", c.class, c.header, got, c.want)
		}
	}
}

// TestTitles checks headings and labels.
func TestTitles(t *testing.T) {
	for _, c := range []struct {
		class, text string
		want        bool
	}{
		{"claim_history", "LOSS RUN SUMMARY", true},
		{"claim_history", "Claims", true},
		{"claim_history", "Claims made policy form applies", false},
		{"vehicles", "Schedule of covered autos", true},
		{"existing_insurance", "Prior Carrier Information (continued)", true},
		{"existing_insurance", "Policy information", false},
	} {
		if got := Schedule(c.class).Is("title", NewPhrase(c.text)); got != c.want {
			t.Errorf("%s: %q is a title: %v, want %v", c.class, c.text, got, c.want)
		}
	}
	for text, want := range map[string]bool{"Mortgagee": true, "Mortgagee 2": true, "Loss payee #1": true, "Mortgagee clause": false} {
		if got := Schedule("additional_interest").Equals("label", NewPhrase(text)); got != want {
			t.Errorf("%q is a label: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"TO TA L": true, "Totals:": true, "Grand total (5 years)": true, "Summe": true, "Summit Trucking": false, "1": false} {
		if IsTotal(text) != want {
			t.Errorf("%q is a total: %v, want %v", text, !want, want)
		}
	}
	for text, want := range map[string]bool{"No claims": true, "None": true, "keine Schäden": true, "N": false, "Fire": false} {
		if IsNone(text) != want {
			t.Errorf("%q says that there is nothing: %v, want %v", text, !want, want)
		}
	}
}
