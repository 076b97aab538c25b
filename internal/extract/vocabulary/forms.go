package vocabulary

import (
	_ "embed"
	"sync"
)

//go:embed forms.tsv
var formsFile string

var formFields = sync.OnceValue(func() map[string]map[string]string {
	fields := map[string]map[string]string{}
	for _, e := range entries(formsFile) {
		if fields[e.Class] == nil {
			fields[e.Class] = map[string]string{}
		}
		fields[e.Class][e.Term] = e.Meaning
	}
	return fields
})

// FormFields returns the meanings of the fields of ACORD forms by their names, for a class in
// forms.tsv.
func FormFields(class string) map[string]string { return formFields()[class] }
