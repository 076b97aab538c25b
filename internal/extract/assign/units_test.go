package assign

import (
	"testing"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/recognise"
)

func TestAmountsInUnitsOfTheirLabels(t *testing.T) {
	t.Parallel()
	a := New(candidate.NewSet(layout.Read(nil)))
	for _, c := range [][3]string{
		{"Annual revenue ($000's)", "4,500", "4,500,000.00"},
		{"Annual revenue (in thousands)", "$4,500", "4,500,000.00"},
		{"Annual revenue (USD millions)", "4.5", "4,500,000.00"},
		{"Annual revenue (in thousands)", "NZD 4,500", "4,500,000.00"},
		{"Umsatz (TEUR)", "48.500", "48,500,000.00"},
		{"Chiffre d'affaires (k€)", "4 500", "4,500,000.00"},
		{"Payroll (K)", "4,500", "4,500,000.00"},
		{"Annual revenue", "4,500", "4,500"},
		{"Payroll (per $000)", "9,200,000", "9,200,000"},
		{"Annual revenue ($000's)", "$4.5 million", "$4.5 million"},
		{"Annual revenue ($000's)", "$45,000,000", "$45,000,000"},
		{"Annual revenue ($000's)", "see attached", "see attached"},
	} {
		m, ok := recognise.Label(c[0])
		if got := a.withUnit(m, c[1], 0); !ok || got != c[2] {
			t.Errorf("%s: %s: got %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
