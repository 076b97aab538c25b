// Package words has the forms in which the stages of the extraction compare texts.
package words

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

var (
	tagged = lazyregexp.New(`</?[a-zA-Z]{1,6}>`)
	// Bracketed matches text in brackets.
	Bracketed = lazyregexp.New(`[(\[][^)\]]*[)\]]`)
	// Numbering matches the number of a question or heading at the beginning of a line.
	Numbering = lazyregexp.New(`^\s*(?:(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}\s+[–-]|[A-H]\d{1,2}[.)]?)\s+|(?:\(?(?:\d{1,2}[.)]|[a-hA-H](?:\)|\.(?:\s|$)))\s*)+(?:\d{1,2}\s+)?)`)
	// Calendar matches a calendar or financial year in the form that Key returns.
	Calendar = lazyregexp.New(`^(?:fye?)?(?:19|20)\d\d$|^fye?\d\d$`)
)

// Unnumbered returns a text without the number of a question or an item at its beginning.
func Unnumbered(text string) string {
	if !canBeNumbered(text) {
		return text
	}
	if m := Numbering.FindStringIndex(text); m != nil {
		return text[m[1]:]
	}
	return text
}

// canBeNumbered reports whether a text can begin with a number. Most texts cannot, and this check is
// faster than the pattern.
func canBeNumbered(text string) bool {
	text = strings.TrimLeft(text, "\t\n\f\r ")
	if len(text) < 2 {
		return false
	}
	first, second := text[0], text[1]
	return first == '(' || first >= '0' && first <= '9' ||
		(first >= 'a' && first <= 'h' || first >= 'A' && first <= 'H') && (second == '.' || second == ')' || second >= '0' && second <= '9')
}

// Key returns the form in which labels and headers are compared: lower-case words
// separated by single spaces, with CamelCase split, "#" and "no." as "number", and
// without brackets, years, currencies and punctuation.
func Key(text string) string { return keys.Of(text) }

var keys = memo.New(key)

func key(text string) string {
	if len(text) > 400 {
		return ""
	}
	// The checks of single characters are faster than the patterns.
	if strings.Contains(text, "<") {
		text = tagged.ReplaceAllString(text, " ")
	}
	text = withoutReference(text)
	bare := text
	if strings.ContainsAny(text, "([") {
		if bare = Bracketed.ReplaceAllString(text, " "); strings.TrimSpace(bare) == "" {
			bare = text
		}
	}
	// All words are written to one buffer, because this function is called more often than others.
	var space [2 * usualText]byte
	spread := appendSpread(space[:0:usualText], bare)
	kept := space[usualText:usualText]
	first := true
	for len(spread) > 0 {
		w := spread
		if end := bytes.IndexByte(spread, ' '); end >= 0 {
			w, spread = spread[:end], spread[end+1:]
		} else {
			spread = nil
		}
		if len(w) == 0 {
			continue
		}
		// Alone it is an answer, not a label.
		if !first && numbers()[string(w)] {
			w = wordNumber
		}
		first = false
		if canBeYear(w) && Calendar.MatchString(string(w)) || currencies()[string(w)] {
			continue
		}
		if len(kept) > 0 {
			kept = append(kept, ' ')
		}
		kept = append(kept, w...)
	}
	return string(kept)
}

// canBeYear reports whether Calendar can match a word. Most words that end in a digit are other numbers,
// and this check is faster than the pattern.
func canBeYear(word []byte) bool {
	return endsInDigit(word) && (len(word) == len("2026") || word[0] == 'f')
}

// noted matches the reference to a note after a label: "Construction, see note 4".
var noted = vocabulary.Pattern(`(?i)\s[(\[]?{{fillers.reference}}\s*\d{1,2}\W*$`)

// withoutReference removes a reference to a note. The check of the last character is faster than the
// pattern.
func withoutReference(text string) string {
	if bare := strings.TrimRight(text, " )].*"); bare == "" || !endsInDigit(bare) {
		return text
	}
	return noted.ReplaceAllString(text, "")
}

// joinsWords reports whether a dot between two texts separates words, as in the key "insured.name".
func joinsWords(before, after string) bool {
	return letters(before, len(before)-minJoined, minJoined) && letters(after, 0, minJoined)
}

const minJoined = 3 // letters of a word before or after a dot

// letters reports whether n bytes of a text are small letters or capitals without accents.
func letters(text string, from, n int) bool {
	if from < 0 || from+n > len(text) {
		return false
	}
	for _, b := range []byte(text[from : from+n]) {
		if b|0x20 < 'a' || b|0x20 > 'z' {
			return false
		}
	}
	return true
}

const usualText = 200 // bytes of the texts for which key does not allocate buffers

var wordNumber = []byte("number")

func endsInDigit[T string | []byte](word T) bool {
	last := word[len(word)-1]
	return '0' <= last && last <= '9'
}

// Spread replaces symbols by words, splits CamelCase, and replaces everything but
// letters and digits by spaces.
func Spread(text string) string {
	return string(appendSpread(make([]byte, 0, len(text)+len(text)/4), text))
}

func appendSpread(out []byte, text string) []byte {
	if strings.Contains(text, "w/") || strings.Contains(text, "W/") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "w/", "with "), "W/", "with ")
	}
	before := ' '
	next, width := utf8.DecodeRuneInString(text)
	for width > 0 {
		r := next
		text = text[width:]
		next, width = utf8.DecodeRuneInString(text)
		last := width == 0
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			out = append(out, byte(r))
		case r == ' ':
			out = append(out, ' ')
		case r == '&':
			out = append(out, " and "...)
		case r == '#' || r == '№':
			out = append(out, " number "...)
		case r == '%':
			out = append(out, " percent "...)
		case r == '\'' || r == '’' || r == '.' && !last && unicode.IsLetter(next) && !joinsWords(string(out[max(0, len(out)-minJoined):]), text):
			// "insured's" and "S.I." remain one word.
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && !last && unicode.IsLower(next) && next != 's') {
				out = append(out, ' ')
			}
			out = utf8.AppendRune(out, unicode.ToLower(r))
		default:
			out = append(out, ' ')
		}
		before = r
	}
	return out
}

// BareKey is the form in which values are compared: lower-case letters and
// digits only.
func BareKey(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// OneLine joins lines with commas and single spaces.
func OneLine(text string) string {
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, l := range lines {
		if l = strings.Trim(strings.Join(strings.Fields(l), " "), " ,;"); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, ", ")
}

// Set returns the words as a set.
func Set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

var emptyStart = vocabulary.Pattern(`(?i)^\s*(?:{{placeholders.begins}}\b|\[[^\]]*\]\s*$|<[^>@]*>\s*$|\{[^}]*\}\s*$|[_.\-–—*?/ ]+$)`)

// numbers are the abbreviations of the word "number".
var numbers = sync.OnceValue(func() map[string]bool { return vocabulary.Set("fillers.number") })

// currencies are the codes of currencies in lower case.
var currencies = sync.OnceValue(func() map[string]bool {
	codes := map[string]bool{}
	for _, name := range []string{"money.code", "money.other code"} {
		for code := range vocabulary.Set(name) {
			codes[strings.ToLower(code)] = true
		}
	}
	return codes
})

// Missing reports whether a value is only a placeholder.
func Missing(text string) bool { return missing.Of(text) }

var missing = memo.New(func(text string) bool {
	text = strings.TrimSpace(text)
	if text != "" && '0' <= text[0] && text[0] <= '9' {
		return false // amounts and addresses: no placeholder starts with a digit
	}
	return text == "" || BareKey(text) == "" || emptyStart.MatchString(text) ||
		vocabulary.Set("placeholders.value")[strings.Join(strings.Fields(strings.TrimSpace(Spread(strings.ToLower(text)))), " ")]
})

// Count returns the number of words in a text, which are separated by spaces.
func Count(text string) (n int) {
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// Cut shortens text to at most n bytes, without cutting a character.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// Capital reports whether text begins with a capital letter.
func Capital(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}
