// Package resolve is the last stage of extraction: it decides which of the values that were
// found for a field are given, and how probable they are. The weights of the evidence are
// fitted to labelled documents (internal/extract/fit) and stored in model.tsv. The package
// does not depend on documents or on insurance.
package resolve

import (
	"fmt"
	"strings"
)

// Feature is one property of a reading or of a value that makes it more or less probable.
type Feature int

// The features of a reading.
const (
	Always Feature = iota // 1 for every reading

	// The kind of place where it was found; one of them is 1.
	Guess
	Subject
	Prose
	Sum
	Signature
	Similar
	Composed // a label that is composed of known words
	Synonym
	Label
	Header
	Form

	Match    // doubt about the place, from 0 to 1
	Type     // doubt about the form of the text, from 0 to 1
	Derived  // it follows from another value
	Quoted   // in an older mail
	Printed  // in a printed form
	Partial  // in a part that was only partly read
	Attached // not in the first part
	Assumed  // no heading says whose it is
	Agrees   // a stated total, or another date of the policy, confirms it
	Conflict // it contradicts another value
	Above    // it is a detail of the insured and stands above the insured's name

	// Properties of its text.
	Legal      // has a legal form such as Ltd
	Person     // looks like the name of a person, but the field is for a firm
	Broking    // has a word of a broker's name
	Insuring   // has a word of an insurer's name
	ManyWords  // more than six words
	readingEnd // number of features of a reading
)

// The features of a value, which can have several readings.
const (
	Again      = readingEnd + iota // logarithm of the number of places with it, at most 3
	Parts                          // further parts with a reading, at most 2
	Places                         // further kinds of places, at most 2
	First                          // the field has no earlier reading
	Others                         // logarithm of the number of other values, at most 3
	Superseded                     // found only in older mails, and the newest one has another value
	Extends                        // it contains another value of the field
	Within                         // another value of the field contains it
	count
)

// Contextual are the features that depend on the text and on other readings, and not on the
// place.
var Contextual = []Feature{Legal, Person, Broking, Insuring, ManyWords, Again, Parts, Places, First, Others, Superseded, Extends, Within}

// names are the names of the features in model.tsv.
var names = [count]string{
	"always", "guess", "subject", "prose", "sum", "signature", "similar", "composed", "synonym", "label", "header", "form",
	"match", "type", "derived", "quoted", "printed", "partial", "attached", "assumed", "agrees", "conflict", "above",
	"legal", "person", "broking", "insuring", "many words",
	"again", "parts", "places", "first", "others", "superseded", "extends", "within",
}

func (f Feature) String() string { return names[f] }

// Features holds the features of a reading or a value.
type Features [count]float64

// Set sets a feature to 1 if it holds.
func (f *Features) Set(feature Feature, holds bool) {
	if holds {
		f[feature] = 1
	}
}

// String returns the features that are not zero, without Always.
func (f Features) String() string {
	var text strings.Builder
	for i, x := range f {
		switch {
		case x == 0 || Feature(i) == Always:
		case x == 1:
			text.WriteString(", " + names[i])
		default:
			text.WriteString(fmt.Sprintf(", %s %.2g", names[i], x))
		}
	}
	if text.String() == "" {
		return text.String()
	}
	return text.String()[2:]
}

// Dot returns the sum of the products of features and weights.
func (f *Features) Dot(weights *Features) (sum float64) {
	for i, x := range f {
		if x != 0 {
			sum += x * weights[i]
		}
	}
	return sum
}
