package vocabulary

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed indicators.tsv
var indicatorsFile string

// Indicator is a question that is answered with yes or no.
type Indicator struct {
	Field string
	Place bool // it asks for a place of work
	all   [][]string
}

// Indicators are the questions that are answered with yes or no.
var Indicators = sync.OnceValue(func() []Indicator {
	var list []Indicator
	for _, e := range entries(indicatorsFile) {
		i := Indicator{Field: e.Meaning, Place: e.Class == "place"}
		for group := range strings.SplitSeq(e.Term, " + ") {
			var forms []string
			for form := range strings.SplitSeq(group, "/") {
				stem, open := strings.CutSuffix(form, "*")
				if !open {
					stem += " "
				}
				forms = append(forms, " "+stem)
			}
			i.all = append(i.all, forms)
		}
		list = append(list, i)
	}
	return list
})

// Asked reports whether a question, as lower-case words separated by single spaces, contains
// the words of the indicator.
func (i Indicator) Asked(key string) bool {
	key = " " + key + " "
	for _, group := range i.all {
		hit := false
		for _, form := range group {
			if hit = strings.Contains(key, form); hit {
				break
			}
		}
		if !hit {
			return false
		}
	}
	return true
}
