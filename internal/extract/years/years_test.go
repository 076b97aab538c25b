package years_test

import (
	"strings"
	"testing"

	"understudy.example/internal/extract/years"
)

func revenue(text string) bool { return strings.Contains(strings.ToLower(text), "turnover") }

// TestColumns checks which of the amounts beside a label is chosen.
func TestColumns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		rows [][]string
		want string
	}{
		{"the latest year", [][]string{{"", "FY2024", "FY2025"}, {"Turnover", "21,340", "26,815"}, {"Profit", "900", "800"}}, "26,815"},
		{"no projection", [][]string{{"", "Last year", "Current year estimate", "Next year"}, {"Turnover", "5,870", "6,200", "6,450"}}, "5,870"},
		{"no years", [][]string{{"", "UK", "Rest of world"}, {"Turnover", "5,870", "6,200"}}, ""},
		{"another amount", [][]string{{"", "2024", "2025"}, {"Wages", "5,870", "6,200"}}, ""},
	} {
		if cell, ok := years.Columns(test.rows, revenue); ok != (test.want != "") || ok && test.rows[cell.Row][cell.Column] != test.want {
			t.Errorf("%s: got %v, %v, want %q", test.name, cell, ok, test.want)
		}
	}
}

// TestRows checks which of the amounts below a header is chosen.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		rows  [][]string
		about bool
		want  string
	}{
		{"actual before estimated", [][]string{{"Year ending 30 April", "UK"}, {"2024 (actual)", "2,604"}, {"2025 (actual)", "2,771"}, {"2026 (estimate)", "2,900"}}, true, "2,771"},
		{"a column with a header", [][]string{{"Exercice", "Effectif", "Turnover"}, {"2024", "112", "3,465"}, {"2025", "118", "3,890"}}, false, "3,890"},
		{"ends of years", [][]string{{"Year", ""}, {"Y/E 30.09.24", "£4.02m"}, {"Y/E 30.09.25", "£6.38m"}, {"Forecast y/e 30.09.26", "£8.00m"}}, true, "£6.38m"},
		{"a table about something else", [][]string{{"Year", "Claims"}, {"2024", "4,200"}, {"2025", "1,000"}}, false, ""},
	} {
		if cell, ok := years.Rows(test.rows, revenue, test.about); ok != (test.want != "") || ok && test.rows[cell.Row][cell.Column] != test.want {
			t.Errorf("%s: got %v, %v, want %q", test.name, cell, ok, test.want)
		}
	}
}

// TestSeveral checks which of the amounts in a text is chosen.
func TestSeveral(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"2025: £2.1m, 2026: £2.4m", "£2.4m"},
		{"GBP 8,100,000 (2026), GBP 7,400,000 (2025)", "GBP 8,100,000"},
		{"$4.9m (FY27 est), $4.2m (FY26)", "$4.2m"},
		{"were 7.4M in 2025 and 8.1M in 2026", "8.1M"},
		{"£8,100,000 (2026)", ""},
		{"(last FYE 12/31/2025): $4,100,000", ""},
	} {
		if got, ok := years.Several(test.text); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: got %q, %v, want %q", test.text, got, ok, test.want)
		}
	}
}
