package journal

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
	from := 0 // what comes before is in masked
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
		case secretName(name):
			put(value, `"`+mask+`"`)
			i = valueEnd(text, value)
			from = i
		case strings.EqualFold(name, "header") && value < len(text) && text[value] == '"':
			// A subscription's own header carries a credential.
			i = stringEnd(text, value)
			put(value, maskOwnHeader(text[value:i]))
			from = i
		}
	}
	if from == 0 {
		return text
	}
	masked.WriteString(text[from:])
	return masked.String()
}

// maskOwnHeader masks the value in a string literal of the form `Name: Value`.
func maskOwnHeader(literal string) string {
	header, _, named := strings.Cut(unquote(literal), ":")
	switch {
	case literal == `""`:
		return literal
	case named:
		return quote(header + ": " + mask)
	}
	return `"` + mask + `"`
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
	quoted, _ := json.Marshal(text) // strings always can
	return string(quoted)
}
