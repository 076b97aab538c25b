package assign

import (
	"strings"

	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
)

// MaxLabel is the maximum length in bytes of a label in a line or a box.
const MaxLabel = 60

// MaxClearLabel is the maximum length in bytes of a label above its value.
const MaxClearLabel = 110

// MaxLabelWords is the maximum number of words of a label before its value.
const MaxLabelWords = 8

// ClearLabel finds the field of a text that consists of a label and nothing else.
func ClearLabel(text string) (recognise.Match, bool) {
	if len(text) > MaxClearLabel {
		return recognise.Match{}, false
	}
	m, ok := recognise.Label(strings.TrimRight(text, ": "))
	return m, ok && m.Doubt == 0
}

// SeveralLines are the fields whose values occupy several lines.
var SeveralLines = words.Set("company_name", "broker_name", "address", "~address", "broker_address", "company_description")
