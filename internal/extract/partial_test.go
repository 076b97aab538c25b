package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/field"
)

func TestWeaken(t *testing.T) {
	value := func(evidence string) field.Value { return field.Value{Score: 0.9, Evidence: evidence} }
	e := Extraction{
		Facts:     []field.Value{value("a"), value("a, line 1"), value("a.xlsx, sheet S"), value("b, line 3")},
		Locations: [][]field.Value{{value("c, page 2")}},
		Parts: []Part{
			{Name: "a", Note: "more than 2 rows: the rest left out"},
			{Name: "a.xlsx", Note: "attachment is an image"},
			{Name: "b"},
			{Name: "c", Note: "damaged Word document: read in part"},
		},
	}
	e.weaken()
	var got []float64
	for _, v := range append(e.Facts, e.Locations[0]...) {
		got = append(got, v.Score)
	}
	if diff := cmp.Diff([]float64{0.72, 0.72, 0.9, 0.9, 0.72}, got); diff != "" {
		t.Error(diff)
	}
}
