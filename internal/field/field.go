// Package field is the vocabulary of the service's data: which fields each
// shape of answer has, in the order in which service.md lists them, and what
// kind of value each one holds. It knows neither documents nor rows.
package field

// Kind is the form of a field's value in an answer.
type Kind int

const (
	Text      Kind = iota // string
	Date                  // string, YYYY-MM-DD
	Money                 // string, thousands separators and two decimals: "6,216,506.00"
	Indicator             // string, "Y" or "N"
	Number                // string holding a plain number: "1987", "41.8781"
	Integer               // JSON integer
	Texts                 // array of strings
	Codes                 // array of Code
)

// Field is one named place in an answer.
type Field struct {
	Name string
	Kind Kind
}

// Code is one classification entry, such as a NAICS 2012 code of six digits
// with its title.
type Code struct {
	Code string `json:"code"`
	Desc string `json:"desc"`
}

// Value is one thing read in a document: the field that it fills, the text as
// the field's kind wants it, a score from 0 to 1, and the place where it was
// found, in words for people ("schedule.xlsx, sheet SOV, cell B7"). A list
// field (Texts, Codes) has one Value per entry.
type Value struct {
	Field    string  `json:"field"`
	Text     string  `json:"text"`
	Score    float64 `json:"score"`
	Evidence string  `json:"evidence"`
}

// Empty returns what an unknown value of the kind looks like in an answer:
// "", [] or 0.
func (k Kind) Empty() any {
	switch k {
	case Texts, Codes:
		return []string{}
	case Integer:
		return 0
	default:
		return ""
	}
}

// List tells whether the kind holds an array.
func (k Kind) List() bool { return k == Texts || k == Codes }
