package office

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
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
		{1234567.5, "#,##0.00", "1,234,567.50"},
		{5, "0 [", "5"},
		{5, "0 [$EUR", "5 EUR"},
	}
	for _, tt := range tests {
		if got := showNumber(tt.n, newNumberFormat(tt.code)); got != tt.want {
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
	if _, day, _ := showDate(44286, newNumberFormat("yyyy-mm-dd"), false); day != "2021-03-31" {
		t.Errorf("1900 system: %s", day)
	}
	if _, day, _ := showDate(42824, newNumberFormat("yyyy-mm-dd"), true); day != "2021-03-31" {
		t.Errorf("1904 system: %s", day)
	}
}

// TestLongFormats checks that the code of a format is read once, and only up to the length that
// Excel allows.
func TestLongFormats(t *testing.T) {
	for _, code := range []string{strings.Repeat("0 ", 500_000), strings.Repeat("é0", 500_000), strings.Repeat(";", 500_000), strings.Repeat("#,", 500_000)} {
		var format numberFormat
		if allocated := testing.AllocsPerRun(1, func() { format = newNumberFormat(code) }); allocated > 1000 {
			t.Errorf("reading the code %.4q… takes %v allocations, want at most 1000", code, allocated)
		}
		text := ""
		if allocated := testing.AllocsPerRun(10, func() { text = showNumber(1234, format) }); allocated > 5 || len(text) > 2*maxFormatCode {
			t.Errorf("a number in the format %.4q… has %d bytes and takes %v allocations, want at most 5", code, len(text), allocated)
		}
	}
	codes := formatCodes{codes: map[int]string{200: strings.Repeat("0 ", 100)}}
	codes.format(200)
	if allocated := testing.AllocsPerRun(10, func() { codes.format(200) }); allocated > 0 {
		t.Errorf("a format that was read takes %v allocations, want none", allocated)
	}
}

// TestTextOfNumbers checks that the texts that formats add to numbers count as text.
func TestTextOfNumbers(t *testing.T) {
	t.Parallel()
	left := maxTextInAll
	b := workbook{file: &content.File{Part: &content.Part{}}, textLeft: &left}
	s := sheet{workbook: &b}
	long := newNumberFormat(`0"` + strings.Repeat("x", 240) + `"`)
	n := 0
	for ; n < content.MaxCells && s.set(n, 0, b.shownNumber(7, long)) == nil; n++ {
	}
	if most := maxWorkbookText/200 + 1; n > most || b.file.Cause != content.Limit {
		t.Errorf("%d cells of 241 bytes were kept, want at most %d", n, most)
	}
}
