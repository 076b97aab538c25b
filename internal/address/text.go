package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxText bounds what Parse looks at, in bytes: no address is longer.
const maxText = 2000

// Key returns the form in which names of places are compared: lower case,
// without accents and punctuation, with "St", "Ft" and "Mt" written out where
// they begin a name.
func Key(name string) string {
	name = letters(name)
	if !strings.Contains(name, "st ") && !strings.Contains(name, "ft ") && !strings.Contains(name, "mt ") {
		return name
	}
	words := strings.Split(name, " ")
	for i, word := range words[:len(words)-1] {
		switch word {
		case "st":
			words[i] = "saint"
		case "ft":
			words[i] = "fort"
		case "mt":
			words[i] = "mount"
		}
	}
	return strings.Join(words, " ")
}

// letters lowers and folds the name and puts one space between its words.
func letters(name string) string {
	if !ascii(name) {
		name = norm.NFD.String(name)
	}
	var b strings.Builder
	b.Grow(len(name))
	gap := false
	for _, r := range name {
		switch {
		case r == '\'' || r == '’' || r == '‘' || r == '`' || r == '.' || unicode.Is(unicode.Mn, r):
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		if r < utf8.RuneSelf {
			b.WriteRune(unicode.ToLower(r))
		} else {
			b.WriteString(plain(unicode.ToLower(r)))
		}
	}
	return b.String()
}

// plain writes the letters that Unicode does not take apart.
func plain(r rune) string {
	switch r {
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'đ', 'ð':
		return "d"
	case 'þ':
		return "th"
	case 'ı':
		return "i"
	}
	return string(r)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// split cuts an address into its parts: at commas, semicolons, bars and line
// ends. Empty parts are dropped and spaces made single.
func split(text string) []string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = strings.ToValidUTF8(text, "")
	cut := strings.FieldsFunc(text, func(r rune) bool {
		return r == ',' || r == ';' || r == '|' || r == '\n' || r == '\r' || r == '\t' || r == '、'
	})
	parts := cut[:0]
	for _, part := range cut {
		part = strings.Join(strings.Fields(part), " ")
		part = strings.Trim(part, " -–:")
		if strings.HasSuffix(part, ".") && !strings.HasSuffix(part, "t.") && !strings.Contains(part[:len(part)-1], ".") {
			part = strings.TrimSuffix(part, ".")
		}
		if letters(part) != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func digits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

func upperLetters(text string) bool {
	for i := range len(text) {
		if text[i] < 'A' || text[i] > 'Z' {
			return false
		}
	}
	return text != ""
}

// shape writes a code's form: 9 for a digit, A for a letter of either case,
// other bytes as they are.
func shape(text string) string {
	b := []byte(text)
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			b[i] = '9'
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			b[i] = 'A'
		}
	}
	return string(b)
}
