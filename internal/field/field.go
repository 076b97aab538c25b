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
	Integer               // JSON integer, or "" if unknown
	Texts                 // array of strings
	Codes                 // array of Code

	// Kinds of version 5 alone.
	Count   // string, a whole number with thousands separators: "34,000"
	Grade   // string, "A" (the best) to "F"
	Amounts // object of Money by name: {"Building": "6,216,506.00"}
	Object  // object with the field's own fields, or {} if none of them is known
	Objects // array of such objects
	Entries // array whose elements have no documented form
)

// Field is one field of a response.
type Field struct {
	Name   string
	Kind   Kind
	Fields []Field // of an Object, and of each element of Objects
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
// SOV, cell B7"). A list field (Texts, Codes, Amounts, Objects) has one Value per entry.
// The text of an amount is its name, ": " and the amount; that of an object is JSON, with
// a string for each known field.
type Value struct {
	Field    string  `json:"field"`
	Text     string  `json:"text"`
	Score    float64 `json:"score"`
	Evidence string  `json:"evidence"`
}

// Empty returns the value that stands for an unknown value of the kind in a
// response: "", [] or {}.
func (k Kind) Empty() any {
	switch k {
	case Texts, Codes, Objects, Entries:
		return []string{}
	case Amounts, Object:
		return map[string]string{}
	default:
		return ""
	}
}

// IsList reports whether a field of the kind can have several extracted values:
// whether it is an array or an object of amounts by name.
func (k Kind) IsList() bool { return k == Texts || k == Codes || k == Amounts || k == Objects }
