package pdf

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/document/content"
)

// TestRowsWithSeveralLines checks that a cell of several lines is in the row of the cells beside it.
func TestRowsWithSeveralLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text  string
		rules []rule
		want  string
	}{
		"in the middle, separated by space": {
			text: `
50 745 No
90 745 Property
200 745 Built
260 745 Buildings
340 745 Contents
90 720 Elm House
50 710 1
90 710 4 Elm Row
200 710 1980
260 710 500,000
340 710 80,000
90 700 Salem, OR 97301
90 670 Oak House
50 660 2
90 660 9 Oak Row
200 660 1991
260 660 700,000
340 660 90,000
90 650 Salem, OR 97302`,
			want: "No|Property|Built|Buildings|Contents\n1|Elm House/4 Elm Row/Salem, OR 97301|1980|500,000|80,000\n2|Oak House/9 Oak Row/Salem, OR 97302|1991|700,000|90,000",
		},
		"in the middle, separated by rules": {
			text: `
50 745 Nr
90 745 Strasse
200 745 Bauart
260 745 Summe
340 745 Waren
90 730 Lange
50 724 1
200 724 Holz
260 724 500
340 724 80
90 718 Gasse 4
90 704 Kurze
50 698 2
200 698 Beton
260 698 700
340 698 90
90 692 Gasse 9`,
			rules: []rule{{741, 50, 380}, {713, 50, 380}},
			want:  "Nr|Strasse|Bauart|Summe|Waren\n1|Lange Gasse 4|Holz|500|80\n2|Kurze Gasse 9|Beton|700|90",
		},
		"blocks beside each other": {
			text: `
50 745 Insured
150 745 Broker
250 745 Carrier
350 745 Lender
50 720 Acme
150 720 Brok
250 720 Carr
350 720 Lend
50 710 Street
150 710 Street
250 710 Street
350 710 Street
50 680 Phone
150 680 Phone
250 680 Phone
350 680 Phone`,
		},
		"a form with labels and answers": {
			text: `
50 745 Insured
150 745 Acme
250 745 Entity
350 745 Inc.
450 745 State
500 745 NM
50 720 Built
150 720 2007
250 720 Website
350 720 acme.example
450 720 Zip
500 720 87401
50 700 Total annual
150 700 900,000
250 700 Payroll
350 700 80,000
450 700 Staff
500 700 few
50 690 receipts`,
		},
	} {
		items, _ := bandedTables(segmentsOf(t, test.text), test.rules, nil, new(int))
		got := ""
		if len(items) > 0 {
			got = rowsOf(items[0].table)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func rowsOf(t *content.Table) string {
	var rows []string
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, strings.ReplaceAll(c.Text, "\n", "/"))
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	return strings.Join(rows, "\n")
}

// TestManyBandsCostLittle checks that few cells are examined on a page of thousands of rows in columns
// that are no table.
func TestManyBandsCostLittle(t *testing.T) {
	t.Parallel()
	var segments []segment
	for row := range 3_000 {
		for column := range 100 {
			segments = append(segments, segment{x0: float64(10 * column), x1: float64(10*column + 4), y: float64(-20 * row), size: 8, text: "1"})
		}
	}
	segments = append(segments, segment{x0: 0, x1: 4, y: -8, size: 8, text: "1"}) // a second line of the first row
	for _, pages := range []int{1, 8} {
		cells := 0
		for range pages {
			bandedTables(slices.Clone(segments[len(segments)-20_001:]), nil, nil, &cells)
		}
		if cells > maxBandCellsInAll+maxBandCells {
			t.Errorf("%d pages: examined %d cells", pages, cells)
		}
	}
}
