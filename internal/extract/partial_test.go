package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/document/content"
)

// TestTrust: what a limit or damage cut short is worth less, once and whatever
// the words of its note; that something beside it was left out changes nothing.
func TestTrust(t *testing.T) {
	label := func(name, note string, cause content.Cause) content.Part {
		return content.Part{Name: name, Note: note, Cause: cause, Blocks: []content.Block{
			{Label: "Named Insured", Value: "Foxglove Bakery LLC", Place: content.Place{Part: name}},
			{Table: &content.Table{Rows: [][]content.Cell{
				{{Text: "Address"}, {Text: "City"}, {Text: "State"}, {Text: "Zip"}, {Text: "Building Value"}},
				{{Text: "1 Mill Street"}, {Text: "Springfield"}, {Text: "IL"}, {Text: "62701"}, {Text: "1000000"}},
			}}, Place: content.Place{Part: name}},
		}}
	}
	scores := func(part content.Part) [2]float64 {
		e, err := interpret(t.Context(), []content.Part{part})
		if err != nil || len(e.Facts) == 0 || len(e.Locations) != 1 {
			t.Fatalf("%+v, %v", e, err)
		}
		return [2]float64{e.Facts[0].Score, e.Locations[0][0].Score}
	}
	whole := scores(label("a", "", ""))
	cut := [2]float64{rounded(whole[0] * partial), rounded(whole[1] * partial)}
	for _, test := range []struct {
		note  string
		cause content.Cause
		want  [2]float64
	}{
		{"no more", content.Limit, cut},
		{"a page lost", content.Damaged, cut},
		{"more than 2 rows: the rest was skipped", content.Limit, cut},
		{"no filled cells", content.NoText, whole},
	} {
		if diff := cmp.Diff(test.want, scores(label("a", test.note, test.cause))); diff != "" {
			t.Errorf("%s: %s", test.cause, diff)
		}
	}
}
