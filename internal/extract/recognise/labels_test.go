package recognise

import (
	"strings"
	"testing"
	"unicode"
)

// TestAmountsAreNoLabels checks that each label has a letter: find skips texts without one.
func TestAmountsAreNoLabels(t *testing.T) {
	t.Parallel()
	for _, forms := range []map[string]Match{LabelForms(), needlessForms()} {
		for key := range forms {
			if key != "" && !strings.ContainsFunc(key, unicode.IsLetter) {
				t.Errorf("the label %q has no letter", key)
			}
		}
	}
	for _, text := range []string{"$3,900,000", "1600", "12/31", "613-555-0100"} {
		if m, ok := Label(text); ok {
			t.Errorf("%s is a label of %s", text, m.Field)
		}
	}
}

// TestFurtherInsureds checks which labels with words for further insureds are for the first named insured.
func TestFurtherInsureds(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"Full name of proposer (including any joint insured)": "company_name",
		"Name of insured (and any additional insureds)":       "company_name",
		"Named insured (list all additional insureds below)":  "company_name",
		"Proposer, including joint insureds":                  "company_name",
		"Named insured and other insureds":                    "company_name",
		"Joint insured name":                                  "",
		"Name of additional insured":                          "",
		"Name (additional insured)":                           "",
		"Named insured (joint insured)":                       "",
		"Other named insureds":                                "",
		"Additional named insured and address":                "",
		"Name and address of joint insured":                   "",
		"Weitere Versicherungsnehmer":                         "",
	} {
		m, _ := Label(label)
		if got := m.Field == "company_name"; got != (want != "") {
			t.Errorf("%s: got %q", label, m.Field)
		}
	}
}

// TestScaleOf checks the units of amounts in headers.
func TestScaleOf(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]int64{
		"Building Value (USD k)": 1000, "Contents (in EUR k)": 1000, "BI (GBPk)": 1000, "Stock £k": 1000, "TIV (USD m)": 1_000_000, "Building Value (USD)": 1, "Dock (A)": 1,
	} {
		if got := ScaleOf(header); got != want {
			t.Errorf("%s: got %d, want %d", header, got, want)
		}
	}
}
