package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// segmentsOf returns the text of a page: each line is "x y text", with x the left edge and y the baseline.
func segmentsOf(t *testing.T, lines string) []segment {
	t.Helper()
	var segments []segment
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		var s segment
		if _, err := fmt.Sscan(line, &s.x0, &s.y); err != nil {
			t.Fatal(err)
		}
		s.text = strings.TrimSpace(strings.SplitN(line, " ", 3)[2])
		s.size, s.x1 = 8, s.x0+4*float64(len(s.text))
		segments = append(segments, s)
	}
	return segments
}

// TestColumnsAreReadOneAfterTheOther checks the order of the lines of a page in two columns,
// with a title above and a signature below.
func TestColumnsAreReadOneAfterTheOther(t *testing.T) {
	t.Parallel()
	text := segmentsOf(t, `
50 760 A title that is as wide as the whole page, so that it crosses the space between the columns
50 720 l1
300 717 r1
50 708 l2
300 705 r2
50 696 l3
300 693 r3
50 684 l4
300 681 r4
50 672 l5
300 669 r5
50 660 l6
300 657 r6
50 600 A signature that is as wide as the whole page, so that it crosses the columns as well as the title`)
	if diff := cmp.Diff("A l1 l2 l3 l4 l5 l6 r1 r2 r3 r4 r5 r6 A", order(text)); diff != "" {
		t.Error(diff)
	}
}

// TestColumnsOfProse checks that columns of prose are read one after the other even if their lines are nearly on the same
// baselines.
func TestColumnsOfProse(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for n := range 8 {
		fmt.Fprintf(&text, "50 %d l%d the left column goes on with words\n", 720-12*n, n)
		fmt.Fprintf(&text, "300 %f r%d the right column goes on with words\n", 721.5-12.0*float64(n), n)
	}
	if diff := cmp.Diff("l0 l1 l2 l3 l4 l5 l6 l7 r0 r1 r2 r3 r4 r5 r6 r7", order(segmentsOf(t, text.String()))); diff != "" {
		t.Error(diff)
	}
}

// TestFormsAreReadAcross checks that values beside their labels stay beside them.
func TestFormsAreReadAcross(t *testing.T) {
	t.Parallel()
	text := segmentsOf(t, `
50 720 l1
300 720 r1
50 708 l2
300 708 r2
50 696 l3
300 696 r3
50 684 l4
300 684 r4
50 672 l5
300 672 r5
50 660 l6
300 660 r6`)
	if diff := cmp.Diff("l1 r1 l2 r2 l3 r3 l4 r4 l5 r5 l6 r6", order(text)); diff != "" {
		t.Error(diff)
	}
}

// order returns the first words of the segments in reading order.
func order(text []segment) string {
	var words []string
	for _, it := range inReadingOrder(nil, nil, text, nil) {
		switch {
		case it.line != nil:
			for _, s := range it.line.segments {
				words = append(words, strings.Fields(s.text)[0])
			}
		case it.table != nil:
			for _, row := range it.table.Rows {
				for _, c := range row {
					words = append(words, c.Text)
				}
			}
		}
	}
	return strings.Join(words, " ")
}

// TestNarrowGapsAreColumns checks that texts with a narrow gap are different cells if the texts of the
// lines around them begin at the same places.
func TestNarrowGapsAreColumns(t *testing.T) {
	t.Parallel()
	line := func(y float64, texts ...string) (runs []run) {
		for i, text := range texts {
			x := 50 + 16*float64(i)
			runs = append(runs, run{text: text, x0: x, x1: x + 12, y: y, size: 8})
		}
		return runs
	}
	var table []run
	for _, runs := range [][]run{line(700, "ST", "Zip"), line(690, "OR", "973"), line(680, "CA", "943")} {
		table = append(table, runs...)
	}
	list := func(y float64, text string) []run {
		return []run{{text: "1.", x0: 50, x1: 58, y: y, size: 8}, {text: text, x0: 62, x1: 90, y: y, size: 8}}
	}
	var items []run
	for _, runs := range [][]run{list(700, "Elm"), list(690, "Oak"), list(680, "Fir")} {
		items = append(items, runs...)
	}
	for _, test := range []struct {
		runs []run
		want string
	}{
		{table, "ST|Zip|OR|973|CA|943"},
		{line(700, "ST", "Zip"), "ST Zip"},
		{items, "1. Elm|1. Oak|1. Fir"},
	} {
		var texts []string
		for _, s := range joinRuns(test.runs, nil) {
			texts = append(texts, s.text)
		}
		if diff := cmp.Diff(test.want, strings.Join(texts, "|")); diff != "" {
			t.Error(diff)
		}
	}
}

// TestBrokenWordsAreJoined checks the lines of a cell that break a word.
func TestBrokenWordsAreJoined(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"Masonry Non-", "Combustible", "Masonry Non-Combustible"}, {"Betriebs-", "unterbrechung", "Betriebsunterbrechung"}, {"Elm", "Row", "Elm Row"}, {"1985 -", "1990", "1985 - 1990"}} {
		if got := joinLine(c[0], c[1]); got != c[2] {
			t.Errorf("got %q, want %q", got, c[2])
		}
	}
}

// TestCentredTexts checks that a text in the middle between two lines stands beside the first one.
func TestCentredTexts(t *testing.T) {
	t.Parallel()
	seg := func(text string, x, y float64) segment {
		return segment{text: text, x0: x, x1: x + 6*float64(len(text)), y: y, size: 12}
	}
	for _, tt := range []struct {
		name string
		in   []segment
		want string
	}{
		{
			"a label beside its value",
			[]segment{seg("Name", 40, 720), seg("Quill Ltd", 300, 720), seg("4 Mill Street", 300, 700), seg("Address", 40, 693), seg("Salem, OR 97301", 300, 686), seg("Phone", 40, 666), seg("555", 300, 666)},
			"Name|Quill Ltd\nAddress|4 Mill Street\nSalem, OR 97301\nPhone|555",
		},
		{
			"a value beside its label",
			[]segment{seg("Is there an alarm in", 40, 700), seg("Yes", 300, 693), seg("No", 340, 693), seg("the building?", 40, 686)},
			"Is there an alarm in the building?|Yes|No",
		},
		{"lines of a text", []segment{seg("one", 300, 700), seg("two", 40, 686), seg("three", 300, 672)}, "one\ntwo\nthree"},
		{"not in the middle", []segment{seg("one", 300, 700), seg("two", 40, 691), seg("three", 300, 686)}, "one\ntwo\nthree"},
	} {
		var got []string
		for _, l := range alignCentred(textLines(tt.in)) {
			got = append(got, strings.ReplaceAll(l.String(), "\t", "|"))
		}
		if g := strings.Join(got, "\n"); g != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, g, tt.want)
		}
	}
}
