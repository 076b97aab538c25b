package data

import (
	"bytes"
	"encoding/json"
	"fmt"

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
		value := b.values[f.Name]
		if value == nil {
			value = f.Kind.Empty()
		}
		value = complete(f, value)
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

// complete returns the value of a field, in which every object has all its fields.
func complete(f field.Field, value any) any {
	switch f.Kind {
	case field.Object:
		if object, ok := value.(map[string]any); ok && len(object) > 0 {
			return fieldsBody{f.Fields, object}
		}
	case field.Objects:
		if list, ok := value.([]any); ok {
			completed := make([]any, len(list))
			for i, entry := range list {
				completed[i] = complete(field.Field{Kind: field.Object, Fields: f.Fields}, entry)
			}
			return completed
		}
	}
	return value
}

// scoresBody returns the scores of the given fields that have a value in the records,
// each as text from 0.00 to 100.00.
func scoresBody(fields []field.Field, records ...enrich.Record) map[string]string {
	all := map[string]string{}
	for _, f := range fields {
		for _, record := range records {
			if score, ok := record.Scores[f.Name]; ok && enrich.Known(record.Values[f.Name]) {
				all[f.Name] = fmt.Sprintf("%.2f", 100*min(max(score, 0), 1))
			}
		}
	}
	return all
}
