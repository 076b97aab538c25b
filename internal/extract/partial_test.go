package extract

import (
	"testing"

	"understudy.example/internal/document/content"
)

// TestPartlyReadPartsScoreLess checks that values of a part that was cut off by a limit or is
// damaged have a lower score, whatever its note says.
func TestPartlyReadPartsScoreLess(t *testing.T) {
	label := func(name, note string, cause content.Cause) content.Part {
		return content.Part{Name: name, Note: note, Cause: cause, Blocks: []content.Block{
			{Text: "Foxglove Bakery LLC insures its shops.", Place: content.Place{Part: name}},
			{Table: &content.Table{Rows: [][]content.Cell{
				{{Text: "Address"}, {Text: "City"}, {Text: "State"}, {Text: "Zip"}, {Text: "Building Value"}},
				{{Text: "1 Mill Street"}, {Text: "Springfield"}, {Text: "IL"}, {Text: "62701"}, {Text: "1000000"}},
			}}, Place: content.Place{Part: name}},
		}}
	}
	scores := func(part content.Part) float64 {
		e, err := interpret(t.Context(), []content.Part{part})
		if err != nil || len(e.Facts) == 0 || len(e.Locations) != 1 {
			t.Fatalf("%+v, %v", e, err)
		}
		return e.Facts[0].Score
	}
	whole := scores(label("a", "", ""))
	for _, test := range []struct {
		note  string
		cause content.Cause
		less  bool
	}{
		{"no more", content.Limit, true},
		{"a page lost", content.Damaged, true},
		{"more than 2 rows: the rest was skipped", content.Limit, true},
		{"no filled cells", content.NoText, false},
	} {
		got := scores(label("a", test.note, test.cause))
		if less := got < whole; less != test.less || !less && got != whole {
			t.Errorf("%s: scores %v, of a whole part %v", test.cause, got, whole)
		}
	}
}
