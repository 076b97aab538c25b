package pdf

import (
	"strconv"
	"strings"

	"understudy.example/internal/document/decode"
	"understudy.example/internal/document/pdf/object"
)

// fieldValue is the value of a field. A field inherits what it does not state
// from the field above it.
type fieldValue struct {
	kind    object.Name
	object  object.Object
	options object.Array
}

// text returns the value as text; empty for a checkbox that is not checked.
func (f fieldValue) text(d objects) string {
	switch v := d.resolve(f.object).(type) {
	case object.Name:
		if v == "Off" {
			return ""
		}
		return f.option(d, string(decode.Hex([]byte(v), '#'))) // some writers escape names twice
	case object.Array:
		var texts []string
		for _, item := range v {
			if s := d.text(item); s != "" && len(texts) < 1000 {
				texts = append(texts, f.option(d, s))
			}
		}
		return strings.Join(texts, ", ")
	default:
		if f.kind == "Sig" || f.kind == "Btn" && d.text(v) == "Off" {
			return ""
		}
		return f.option(d, d.text(v))
	}
}

// option returns the text shown for the value of a choice. The options of a list
// are pairs of a value and a text; buttons refer to theirs by number.
func (f fieldValue) option(d objects, value string) string {
	if f.kind == "Btn" {
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < len(f.options) {
			if shown := d.text(f.options[n]); shown != "" {
				return shown
			}
		}
		return value
	}
	for _, o := range f.options[:min(len(f.options), 2000)] {
		if pair := d.array(o); len(pair) == 2 && value != "" && d.text(pair[0]) == value {
			return d.text(pair[1])
		}
	}
	return value
}
