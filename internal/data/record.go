package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// fieldsBody is a record as an answer shows it: every field, in the order of the
// vocabulary, an unknown one as its kind's empty value.
type fieldsBody struct {
	fields []field.Field
	values map[string]any
}

// MarshalJSON writes the fields in their order.
func (s fieldsBody) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, f := range s.fields {
		value, known := s.values[f.Name]
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

// scoresBody are the records' scoresBody, 0.00 to 100.00, of the fields that the package
// shows.
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
