package extract

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/words"
)

// TestLetterCostsLittle checks the number of allocations for a letter of one page. The number
// grows if a stage repeats the work of another one.
func TestLetterCostsLittle(t *testing.T) {
	letter, err := os.ReadFile("testdata/makers/MapleRidgeBrokers__submission_letter.docx")
	if err != nil {
		t.Fatal(err)
	}
	if allocations := testing.AllocsPerRun(3, func() {
		if _, err := Extract(t.Context(), "letter.docx", bytes.NewReader(letter), int64(len(letter))); err != nil {
			t.Error(err)
		}
	}); allocations > 7_250 {
		t.Errorf("got %.0f allocations", allocations)
	}
}

// TestFurtherValuesCostLittle checks that values beyond the limit of a field are not
// examined: a line that states one costs less than a line that states a new field.
func TestFurtherValuesCostLittle(t *testing.T) {
	allocations := func(lines int) float64 {
		var text strings.Builder
		for n := range lines {
			fmt.Fprintf(&text, "Named Insured: Quill %d and Sons Limited\n", n)
		}
		letter := text.String()
		return testing.AllocsPerRun(1, func() {
			if _, err := Extract(t.Context(), "a.txt", strings.NewReader(letter), int64(len(letter))); err != nil {
				t.Error(err)
			}
		})
	}
	below := allocations(candidate.MaxReadings) - allocations(candidate.MaxReadings/2)
	beyond := allocations(2*candidate.MaxReadings) - allocations(3*candidate.MaxReadings/2)
	if beyond > below*0.8 {
		t.Errorf("%d lines cost %v allocations below the limit and %v beyond it", candidate.MaxReadings/2, below, beyond)
	}
}

// TestAmountsAreNoPlaceholders checks that a text that starts with a digit, which most
// cells of a schedule do, is not compared with placeholders.
func TestAmountsAreNoPlaceholders(t *testing.T) {
	if allocations := testing.AllocsPerRun(10, func() {
		if words.Missing("12 Mill Street") {
			t.Error("an address is a placeholder")
		}
	}); allocations > 0 {
		t.Errorf("got %v allocations, want none", allocations)
	}
}

// TestMarksAreRemovedAtOnce checks that the marks at the beginning of a line are not removed
// one by one, and that what remains is the same.
func TestMarksAreRemovedAtOnce(t *testing.T) {
	long := strings.Repeat("# > - ", 1000) + "Insured"
	if allocated := testing.AllocsPerRun(1, func() { pairs.WithoutMarkup(long) }); allocated > 50 {
		t.Errorf("got %.0f allocations for 3,000 marks", allocated)
	}
	for given, want := range map[string]string{
		long: "Insured", "": "", "# ": "", "#": "#", "#a": "#a", " - ** # a": "a", "**a** b": "a b", "#** a": "a", "***a": "*a", "**- a": "a", "a - b": "a - b", "****": "",
	} {
		if got := pairs.WithoutMarkup(given); got != want {
			t.Errorf("%.20q: got %.20q, want %q", given, got, want)
		}
		one := given
		for pairs.Markup.MatchString(one) {
			one = pairs.Markup.ReplaceAllString(one, "")
		}
		if one != want {
			t.Errorf("%.20q: one by one: got %.20q, want %q", given, one, want)
		}
	}
}

// TestWideRowsCostLittle checks that only the first cells of the rows of a form are
// compared with labels.
func TestWideRowsCostLittle(t *testing.T) {
	allocations := func(columns int) float64 {
		row := strings.Repeat("Sea View:,", columns) + "\n"
		table := strings.Repeat(row, sov.MaxHeaderCells/columns*3) // more than are examined as headers
		return testing.AllocsPerRun(1, func() {
			if _, err := Extract(t.Context(), "a.csv", strings.NewReader(table), int64(len(table))); err != nil {
				t.Error(err)
			}
		})
	}
	if narrow, wide := allocations(layout.MaxFormCells), allocations(8*layout.MaxFormCells); wide > narrow {
		t.Errorf("a table of %d columns costs %.0f allocations, and one with as many cells in %d columns %.0f", 8*layout.MaxFormCells, wide, layout.MaxFormCells, narrow)
	}
}

// TestHeadersWithoutUnits checks that the checks that come before a pattern find every
// header that the pattern matches.
func TestHeadersWithoutUnits(t *testing.T) {
	for _, header := range []string{
		"Building", "Building $000", "TIV (000's)", "Value in thousands", "Value THOUSAND", "BI £k", "BI $ m", "BI €m", "TIV in millions", "TIV in mm", "TIV USD M", "TIV usd\tm", "Gebäude (TEUR)", "Valeur (k€)", "Valor (miles €)", "Opstal (x € 1.000)", "Wert in Tsd. EUR", "Wert Mio. €", "en milliers", "BI kusd", "BI (USD k)", "BI (in EUR k)", "BI usdk", "BI CADk", "BI NZDk", "BI CHFk",
		"BI 24m", "Gross profit (18 Months)", "12-mths", "BI 3", "bi incl ee", "bi inc extra", "bi including rents", "bi income", "stock inclusive",
	} {
		for name, pair := range map[string][2]string{
			"units":  {recognise.WithoutUnits(header), recognise.Units.ReplaceAllString(header, " ")},
			"months": {recognise.WithoutMonths(header), recognise.MonthsIn.ReplaceAllString(header, " ")},
			"other":  {recognise.WithoutIncluded(header), recognise.Including.ReplaceAllString(header, "")},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s of %q: got %q, want %q", name, header, pair[0], pair[1])
			}
		}
	}
}

// TestPrintedFormsCostLittle checks that the lines of a printed form are not read as tables:
// each of them would be compared with all lines below.
func TestPrintedFormsCostLittle(t *testing.T) {
	allocations := func(lines int) float64 {
		form := "ACORD 125 (2016/03)\n" + strings.Repeat("a;b;c;d\n", lines)
		return testing.AllocsPerRun(1, func() {
			if _, err := Extract(t.Context(), "a.txt", strings.NewReader(form), int64(len(form))); err != nil {
				t.Error(err)
			}
		})
	}
	if few, many := allocations(200), allocations(800); many > 6*few {
		t.Errorf("%v allocations for 200 lines, %v for 800", few, many)
	}
}
