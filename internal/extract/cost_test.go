package extract

import (
	"strings"
	"testing"
)

// TestFurtherValuesCostLittle checks that values beyond the limit of a field are not
// examined: a line that states one costs less than a line that states a new field.
func TestFurtherValuesCostLittle(t *testing.T) {
	allocations := func(lines int) float64 {
		letter := strings.Repeat("Named Insured: Quill and Sons Limited\n", lines)
		return testing.AllocsPerRun(1, func() {
			if _, err := Extract(t.Context(), "a.txt", strings.NewReader(letter), int64(len(letter))); err != nil {
				t.Error(err)
			}
		})
	}
	below := allocations(maxReadings) - allocations(maxReadings/2)
	beyond := allocations(2*maxReadings) - allocations(3*maxReadings/2)
	if beyond > below*0.7 {
		t.Errorf("%d lines cost %v allocations below the limit and %v beyond it", maxReadings/2, below, beyond)
	}
}

// TestAmountsAreNoPlaceholders checks that a text that starts with a digit, which most
// cells of a schedule do, is not compared with placeholders.
func TestAmountsAreNoPlaceholders(t *testing.T) {
	if allocations := testing.AllocsPerRun(10, func() {
		if missing("12 Mill Street") {
			t.Error("an address is a placeholder")
		}
	}); allocations > 0 {
		t.Errorf("got %v allocations, want none", allocations)
	}
}
