// Package field is the vocabulary of the service's data: the fields of each
// response shape, in the order in which service.md lists them, and the kind of
// value that each field holds. It does not know documents or rows.
package field

// Kind is the form of a field's value in a response.
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

// Field is one field of a response.
type Field struct {
	Name string
	Kind Kind
}

// Code is one classification entry: a code and its title, such as a six-digit
// NAICS 2012 code.
type Code struct {
	Code string `json:"code"`
	Desc string `json:"desc"`
}

// Value is one value extracted from a document: the field that it belongs to, the
// text in the form of the field's kind, a score from 0 to 1, and the evidence:
// where in the document it was found, in words for people ("schedule.xlsx, sheet
// SOV, cell B7"). A list field (Texts, Codes) has one Value per entry.
type Value struct {
	Field    string  `json:"field"`
	Text     string  `json:"text"`
	Score    float64 `json:"score"`
	Evidence string  `json:"evidence"`
}

// Empty returns the value that stands for an unknown value of the kind in a
// response: "", [] or 0.
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

// IsList reports whether values of the kind are arrays.
func (k Kind) IsList() bool { return k == Texts || k == Codes }
