// Package generate makes labelled documents: submissions, forms, schedules and other
// papers of invented companies, in many layouts, formats and languages, with the values that
// each states. Half of the documents draw their labels from the vocabulary alone. In the other
// half, about every second label is one that the vocabulary does not have. The package is for
// tests and for fitting. It does not know how documents are read.
package generate

import (
	"fmt"
	"math/rand/v2"

	"understudy.example/internal/extract/grade"
)

// Document is a generated document.
type Document struct {
	Name    string // "letter__0012-uk.docx": the family, the index and the market
	Family  string // the layout
	HeldOut bool   // whether some labels are not in the vocabulary
	Content string
	Truth   grade.Document
	Shown   []string // the stated values as the document shows them
}

// family makes the documents of one layout.
type family struct {
	name string
	make func(*paper) (extension, content string)
}

var families = []family{
	{"mail", mail},
	{"letter", letter},
	{"boxes", boxes},
	{"lines", lines},
	{"fields", fields},
	{"declarations", declarations},
	{"keyvalue", keyValue},
	{"schedule", schedule},
	{"transposed", transposed},
	{"workbook", workbook},
	{"export", export},
	{"slip", slip},
	{"lossrun", lossRun},
	{"vehicles", vehicles},
}

// Families returns the names of the families.
func Families() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// New returns the document with the index in the sequence of the seed: the same
// document for the same arguments. The families take turns.
func New(seed uint64, index int) Document {
	f := families[index%len(families)]
	heldOut := index/len(families)%2 == 1
	p := newPaper(rand.New(rand.NewPCG(seed, uint64(index))), heldOut)
	extension, content := f.make(p)
	return Document{
		Name:   fmt.Sprintf("%s__%04d-%s.%s", f.name, index, p.market, extension),
		Family: f.name, HeldOut: heldOut, Content: content, Truth: p.truth, Shown: p.shown,
	}
}
