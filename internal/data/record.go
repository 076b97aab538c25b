package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// fieldsBody holds the fields of a record in the form of responses: all of them, in
// the given order. An unknown field has the empty value of its kind.
type fieldsBody struct {
	fields []field.Field
	values map[string]any
}

// MarshalJSON implements json.Marshaler.
func (b fieldsBody) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, f := range b.fields {
		value, known := b.values[f.Name]
		if !known || value == nil {
			value = f.Kind.Empty()
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:", f.Name)
		if err := encoder.Encode(value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// scoresBody returns the records' scores of the fields that the package shows, each
// as text from 0.00 to 100.00.
func scoresBody(p Package, records ...enrich.Record) map[string]string {
	all := map[string]string{}
	for _, record := range records {
		for name, score := range record.Scores {
			if p.Fields == nil || slices.Contains(p.Fields, name) {
				all[name] = fmt.Sprintf("%.2f", 100*min(max(score, 0), 1))
			}
		}
	}
	return all
}
