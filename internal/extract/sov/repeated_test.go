package sov

import (
	"slices"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
)

func TestRepeatedHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ header, upper, want []string }{
		{[]string{"Site", "Replacement", "Replacement", "Total"}, []string{"Building", "Contents"}, []string{"Site", "Building Replacement", "Contents Replacement", "Total"}},
		{[]string{"Site", "Replacement", "Replacement"}, []string{"Building"}, []string{"Site", "Replacement", "Replacement"}},
		{[]string{"Site", "Building", "Contents"}, []string{"Schedule", "2027"}, []string{"Site", "Building", "Contents"}},
	} {
		row := rowOf(tt.header)
		completeRepeated(row, tt.upper)
		if got := layout.Texts([][]content.Cell{row})[0]; !slices.Equal(got, tt.want) {
			t.Errorf("%v under %v: got %v, want %v", tt.header, tt.upper, got, tt.want)
		}
	}
}
