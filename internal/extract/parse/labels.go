package parse

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/lazyregexp"
)

// markedLabel matches a label and the colon or other separator after it at the beginning of a text, optionally after a
// number.
var markedLabel = lazyregexp.New(`^\W*(?:\d{1,2}[.)]\s*)?([\pL][\pL /&’'().-]{1,40}?)\s*(?:[:=?,]|\s[–—-]\s)\W*\s*`)

// withoutLabel removes a known label from the beginning of a value: "Location Address: 12 Main Street", "Broker - Birch
// Insurance".
func withoutLabel(text string) string {
	if m := markedLabel.FindStringSubmatch(text); m != nil && len(m[0]) < len(text) && isLabel(m[1]) {
		return text[len(m[0]):]
	}
	return text
}

// isLabel reports whether a text is a label.
func isLabel(text string) bool {
	m, ok := recognise.Label(strings.TrimSpace(text))
	return ok && m.Doubt == 0
}

// withoutAddressLabel removes the label from the beginning of an address: any words with a colon, an equals sign or a
// question mark, or a label before the house number.
func withoutAddressLabel(text string) string {
	if m := markedLabel.FindString(text); m != "" && strings.ContainsAny(m, ":=?") && WrittenAddress(address.Parse(text[len(m):])) {
		return text[len(m):]
	}
	text = withoutLabel(text)
	if i := strings.IndexAny(text, Digits); i > 0 && isLabel(text[:i]) {
		return text[i:] // "Location Address 12 Main Street"
	}
	return text
}
