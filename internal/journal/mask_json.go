package journal

import (
	"encoding/json"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks"
)

// maskJSON masks the values of secret keys in JSON and leaves everything else as it
// is. The text may be cut off or malformed, since a journal must show such bodies
// too: so it is only split into tokens, and masked where it is ambiguous.
func maskJSON(text string) string {
	var masked strings.Builder
	from := 0 // text before it is in masked already
	put := func(i int, value string) {
		masked.WriteString(text[from:i])
		masked.WriteString(value)
	}
	for i := 0; i < len(text); {
		open := strings.IndexByte(text[i:], '"')
		if open < 0 {
			break
		}
		start := i + open
		i = stringEnd(text, start)
		value := skipSpace(text, i)
		if value >= len(text) || text[value] != ':' {
			continue
		}
		value = skipSpace(text, value+1)
		name := unquote(text[start:i])
		switch {
		case isSecretName(name):
			put(value, `"`+mask+`"`)
			i = valueEnd(text, value)
			from = i
		case isHeaderName(name):
			i = valueEnd(text, value)
			put(value, maskHookHeaders(text[value:i]))
			from = i
		}
	}
	if from == 0 {
		return text
	}
	masked.WriteString(text[from:])
	return masked.String()
}

// IsClean reports whether the part of a JSON text contains nothing that the journal masks.
func IsClean(part []byte) bool {
	text := string(part)
	return api.Mask(maskJSON(text)) == text
}

// maskHookHeaders masks the secrets in a value that holds headers: strings of the form
// `Name: Value`, and all values in arrays and objects.
func maskHookHeaders(value string) string {
	var masked strings.Builder
	for i := 0; i < len(value); {
		end := i + 1
		switch c := value[i]; {
		case c == '"':
			end = stringEnd(value, i)
			if after := skipSpace(value, end); after < len(value) && value[after] == ':' && !strings.ContainsAny(value[i:end], ": ") {
				masked.WriteString(value[i:end]) // the name of a header
				break
			}
			masked.WriteString(maskHookHeader(value[i:end]))
		case strings.IndexByte("[]{}:, \t\r\n", c) >= 0:
			masked.WriteByte(c)
		default: // a number, or a string without quotes
			for end < len(value) && strings.IndexByte("\"[]{}:, \t\r\n", value[end]) < 0 {
				end++
			}
			if literal := value[i:end]; literal == "null" {
				masked.WriteString(literal)
				break
			}
			masked.WriteString(`"` + mask + `"`)
		}
		i = end
	}
	return masked.String()
}

// maskHookHeader masks the value in a string literal of the form `Name: Value`. The error
// about an invalid header is not one.
func maskHookHeader(literal string) string {
	header, _, named := strings.Cut(unquote(literal), ":")
	switch {
	case literal == `""` || unquote(literal) == hooks.InvalidHeader:
		return literal
	case named && !strings.Contains(header, " "):
		return quote(header + ": " + mask)
	}
	return `"` + mask + `"`
}

// stringEnd returns the index after the string literal that begins at start; the end
// of the text if the literal is cut off.
func stringEnd(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// valueEnd returns the index after the value that begins at start.
func valueEnd(text string, start int) int {
	depth := 0
	for i := start; i < len(text); {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); depth == 0 {
				return i
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(text)
}

func skipSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// unquote returns the text of the string literal; of a malformed one, the text
// between its quotes.
func unquote(literal string) string {
	if !strings.Contains(literal, `\`) {
		return strings.Trim(literal, `"`)
	}
	var plain string
	if json.Unmarshal([]byte(literal), &plain) == nil {
		return plain
	}
	return strings.Trim(literal, `"`)
}

func quote(text string) string {
	quoted, _ := json.Marshal(text) // cannot fail for a string
	return string(quoted)
}
