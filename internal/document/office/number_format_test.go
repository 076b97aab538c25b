package office

import (
	"testing"
)

func TestShowNumber(t *testing.T) {
	tests := []struct {
		n    float64
		code string
		want string
	}{
		{1234.5, "", "1234.5"},
		{1234.5, "General", "1234.5"},
		{1e15, "", "1000000000000000"},
		{1234.5, "#,##0", "1,234"},
		{0.125, "0.0%", "12.5%"},
		{7, "00000", "00007"},
		{-5, "0.00", "-5.00"},
		{1500000, `#,##0.0,,"m"`, "1.5m"},
		{12, `[$€-407] #,##0`, "€ 12"},
		{-1234, "#,##0_);(#,##0)", "(1,234)"},
		{1.5, "0.##", "1.5"},
	}
	for _, tt := range tests {
		if got := showNumber(tt.n, numberFormat{code: tt.code}); got != tt.want {
			t.Errorf("%v as %q: got %q, want %q", tt.n, tt.code, got, tt.want)
		}
	}
}

func TestDateFormats(t *testing.T) {
	tests := []struct {
		code string
		date bool
	}{
		{"dd/mm/yyyy", true},
		{"d-mmm-yy", true},
		{"[$-409]mmmm d, yyyy;@", true},
		{"h:mm", true},
		{"#,##0", false},
		{`"days" 0`, false},
		{"General", false},
		{"[Red]0.00", false},
		{`yyyy"年"m"月"`, true},
		{"", false},
	}
	for _, tt := range tests {
		if got := isDateFormat(tt.code); got != tt.date {
			t.Errorf("%q: got %v", tt.code, got)
		}
	}
	if _, day, _ := showDate(44286, numberFormat{code: "yyyy-mm-dd"}, false); day != "2021-03-31" {
		t.Errorf("1900 system: %s", day)
	}
	if _, day, _ := showDate(42824, numberFormat{code: "yyyy-mm-dd"}, true); day != "2021-03-31" {
		t.Errorf("1904 system: %s", day)
	}
}
