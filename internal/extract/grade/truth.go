// Package grade compares the values extracted from documents with the values that
// the documents state, and counts right, wrong and missed values by field. It
// does not read documents.
package grade

import (
	"encoding/json"
	"fmt"
)

// Truth holds the values that documents state, by file name.
type Truth map[string]Document

// Document holds the values that one document states plainly: fields by name,
// each with one text or several. Also and Soft are keyed by paths such as
// facts.company_name, locations.rows[0].building_value and locations.count.
type Document struct {
	Facts     map[string]Texts `json:"facts"`
	Options   map[string]Texts `json:"options"`
	Locations struct {
		Count            *int               `json:"count"`
		Rows             []map[string]Texts `json:"rows"` // all rows, or the first few only
		SumBuildingValue Texts              `json:"sum_building_value"`
	} `json:"locations"`
	Not  map[string]Texts `json:"not"`  // by field: known mistakes, wrong even if the field is not stated
	Also map[string]Texts `json:"also"` // by path: further values that are right
	Soft map[string]Texts `json:"soft"` // by path: values that count as neither right nor wrong
}

// Texts holds one text or several. A number in the JSON becomes its text.
type Texts []string

// UnmarshalJSON accepts a string, a number, or an array of them.
func (t *Texts) UnmarshalJSON(data []byte) error {
	var several []json.RawMessage
	if json.Unmarshal(data, &several) != nil {
		several = []json.RawMessage{data}
	}
	*t = nil
	for _, one := range several {
		var text string
		var number json.Number
		switch {
		case string(one) == "null":
			continue
		case json.Unmarshal(one, &text) == nil:
		case json.Unmarshal(one, &number) == nil:
			text = number.String()
		default:
			return fmt.Errorf("want texts or numbers, got %s", one)
		}
		*t = append(*t, text)
	}
	return nil
}
