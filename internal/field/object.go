package field

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// EntryFields returns the fields of each entry of an extracted list of objects, or of an
// extracted object; nil if the name is not that of one.
func EntryFields(name string) []Field { return entryFields[name] }

var entryFields = func() map[string][]Field {
	m := map[string][]Field{}
	for _, f := range slices.Concat(MoreFacts, MoreOptions, MoreLocation) {
		if f.Fields != nil {
			m[f.Name] = f.Fields
		}
	}
	return m
}()

// ObjectText returns the text of an extracted object with the values: JSON, in the order
// of the fields. Empty values are left out.
func ObjectText(fields []Field, values map[string]string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	write := func(text string) {
		encoder.Encode(text) // a string cannot fail
		out.Truncate(out.Len() - 1)
	}
	out.WriteByte('{')
	for _, f := range fields {
		if values[f.Name] == "" {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		write(f.Name)
		out.WriteByte(':')
		write(values[f.Name])
	}
	out.WriteByte('}')
	return out.String()
}

// ParseObject returns the values in the text of an extracted object. It leaves out values
// of other fields, and removes NUL characters.
func ParseObject(fields []Field, text string) map[string]string {
	var all map[string]string
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	values := map[string]string{}
	for _, f := range fields {
		if value := strings.ReplaceAll(all[f.Name], "\x00", ""); value != "" {
			values[f.Name] = value
		}
	}
	return values
}
