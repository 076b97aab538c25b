package pdf

import (
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"understudy.example/internal/document/decode"
)

// value returns the value of a field as text; empty for a checkbox that is not
// checked.
func (p *formParser) value(from inherited) string {
	switch v := p.reader.object(from.value).(type) {
	case types.Name:
		if v.Value() == "Off" {
			return ""
		}
		return p.option(string(decode.Hex([]byte(v.Value()), '#')), from)
	case types.Array:
		var texts []string
		for _, item := range v {
			if s := p.reader.text(item); s != "" && len(texts) < 1000 {
				texts = append(texts, p.option(s, from))
			}
		}
		return strings.Join(texts, ", ")
	default:
		if from.kind == "Sig" || from.kind == "Btn" && p.reader.text(v) == "Off" {
			return ""
		}
		return p.option(p.reader.text(v), from)
	}
}

// option returns the text shown for the value of a choice. The options of a list
// are pairs of a value and a text; buttons refer to theirs by number.
func (p *formParser) option(value string, from inherited) string {
	if from.kind == "Btn" {
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < len(from.options) {
			if shown := p.reader.text(from.options[n]); shown != "" {
				return shown
			}
		}
		return value
	}
	for _, o := range from.options[:min(len(from.options), 2000)] {
		if pair := p.reader.array(o); len(pair) == 2 && value != "" && p.reader.text(pair[0]) == value {
			return p.reader.text(pair[1])
		}
	}
	return value
}
