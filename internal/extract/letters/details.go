package letters

import (
	"slices"
	"strings"

	"understudy.example/internal/lazyregexp"
)

// detailMark matches the mark between the details in a line.
var detailMark = lazyregexp.New(`\s+[|·•]\s+`)

// withoutNumbers returns the details of a line that can be parts of an address: "1 Mill Street, Reno, NV 89501" for
// "1 Mill Street · Reno, NV 89501 · (775) 555-0133".
func withoutNumbers(text string) string {
	return strings.Join(slices.DeleteFunc(detailMark.Split(text, maxDetails), func(s string) bool { return !addressLine(s) }), ", ")
}

const maxDetails = 10 // in a line
