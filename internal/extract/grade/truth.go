// Package grade compares what was read in documents with what they state, and
// counts by field what is right, wrong and missed. It does not read documents.
package grade

import (
	"encoding/json"
	"fmt"
)

// Truth is what documents state, by file name.
type Truth map[string]Document

// Document is what one document states plainly: fields by name, a text or a
// list of texts. The paths of Also and Soft are like facts.company_name,
// locations.rows[0].building_value and locations.count.
type Document struct {
	Facts     map[string]Texts `json:"facts"`
	Options   map[string]Texts `json:"options"`
	Locations struct {
		Count            *int               `json:"count"`
		Rows             []map[string]Texts `json:"rows"` // may be the first few only
		SumBuildingValue Texts              `json:"sum_building_value"`
	} `json:"locations"`
	Not  map[string]Texts `json:"not"`  // by field: values that are wrong even where the field is not stated
	Also map[string]Texts `json:"also"` // by path: values that are right too
	Soft map[string]Texts `json:"soft"` // by path: values that are no error
}

// Texts is one text, or several; a number counts as its text.
type Texts []string

// UnmarshalJSON takes a text, a number, or an array of them.
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
