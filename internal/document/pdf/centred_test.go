package pdf

import (
	"strings"
	"testing"
)

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
		{"a label beside its value", []segment{seg("Name", 40, 720), seg("Quill Ltd", 300, 720), seg("4 Mill Street", 300, 700), seg("Address", 40, 693), seg("Salem, OR 97301", 300, 686), seg("Phone", 40, 666), seg("555", 300, 666)},
			"Name|Quill Ltd\nAddress|4 Mill Street\nSalem, OR 97301\nPhone|555"},
		{"a value beside its label", []segment{seg("Is there an alarm in", 40, 700), seg("Yes", 300, 693), seg("No", 340, 693), seg("the building?", 40, 686)},
			"Is there an alarm in the building?|Yes|No"},
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
