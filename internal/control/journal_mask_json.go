package control

import (
	"encoding/json"
	"strings"
)

// maskJSON masks the values of secret keys in text that is meant to be JSON,
// and leaves all else as it stands. The text may be cut or malformed, since
// that is what a journal must show: so it is read by its tokens alone, and
// what is in doubt is masked.
func maskJSON(text string) string {
	var masked strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '"' {
			masked.WriteByte(text[i])
			i++
			continue
		}
		end := stringEnd(text, i)
		literal := text[i:end]
		masked.WriteString(literal)
		i = end
		value := skipSpace(text, i)
		if value >= len(text) || text[value] != ':' {
			continue
		}
		value = skipSpace(text, value+1)
		name := unquote(literal)
		switch {
		case secretName(name):
			masked.WriteString(text[i:value])
			masked.WriteString(`"` + mask + `"`)
			i = valueEnd(text, value)
		case strings.EqualFold(name, "header") && value < len(text) && text[value] == '"':
			// A subscription's own header carries a credential.
			masked.WriteString(text[i:value])
			i = stringEnd(text, value)
			header, _, named := strings.Cut(unquote(text[value:i]), ":")
			switch {
			case text[value:i] == `""`:
				masked.WriteString(`""`)
			case named:
				masked.WriteString(quote(header + ": " + mask))
			default:
				masked.WriteString(`"` + mask + `"`)
			}
		}
	}
	return masked.String()
}

// stringEnd is the index after the string literal that begins at start, or the
// end of a text that is cut in it.
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

// valueEnd is the index after the value that begins at start.
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

// unquote is what the string literal says; of one that is malformed, what it
// looks like.
func unquote(literal string) string {
	var plain string
	if json.Unmarshal([]byte(literal), &plain) == nil {
		return plain
	}
	return strings.Trim(literal, `"`)
}

func quote(text string) string {
	quoted, _ := json.Marshal(text) // strings always can
	return string(quoted)
}
