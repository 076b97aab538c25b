package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxText is the number of bytes that Parse reads; no real address is longer.
const maxText = 2000

// Key returns the form in which names of cities, states, countries and companies
// are compared: lower case, without accents or punctuation, one space between
// words, and with "St", "Ft" and "Mt" before another word written in full.
func Key(name string) string {
	name = fold(name)
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

// fold returns the name in lower case, without accents or punctuation, with one
// space between words.
func fold(name string) string {
	if isASCII(name) {
		return foldASCII(name)
	}
	name = norm.NFD.String(name)
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
			b.WriteString(foldRune(unicode.ToLower(r)))
		}
	}
	return b.String()
}

// foldASCII is a faster fold for ASCII text. Nearly all names are ASCII.
func foldASCII(name string) string {
	var space [64]byte
	out := space[:0]
	gap := false
	for i := range len(name) {
		switch c := name[i]; {
		case c == '\'' || c == '`' || c == '.':
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= 'A' && c <= 'Z':
			if gap && len(out) > 0 {
				out = append(out, ' ')
			}
			gap = false
			if c <= 'Z' && c >= 'A' {
				c += 'a' - 'A'
			}
			out = append(out, c)
		default:
			gap = true
		}
	}
	if string(out) == name {
		return name
	}
	return string(out)
}

// foldRune replaces letters that Unicode does not decompose into a base letter
// and an accent.
func foldRune(r rune) string {
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

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// splitParts splits an address at commas, semicolons, vertical bars, tabs and
// line ends. It drops empty parts and collapses spaces.
func splitParts(text string) []string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = strings.ToValidUTF8(text, "")
	fields := strings.FieldsFunc(text, func(r rune) bool {
		return r == ',' || r == ';' || r == '|' || r == '\n' || r == '\r' || r == '\t' || r == '、'
	})
	parts := fields[:0]
	for _, part := range fields {
		part = strings.Join(strings.Fields(part), " ")
		part = strings.Trim(withoutLabels(part), " -–:")
		if strings.HasSuffix(part, ".") && !strings.HasSuffix(part, "t.") && !strings.Contains(part[:len(part)-1], ".") {
			part = strings.TrimSuffix(part, ".")
		}
		if fold(part) != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// withoutLabels removes the labels of the postal code and of other parts of an address: "Bath
// Postcode BA1 5AN", "Town: Bath".
func withoutLabels(part string) string {
	if label, rest, ok := strings.Cut(part, ":"); ok && len(label) <= maxPartLabel && rest != "" && partLabels[Key(label)] {
		part = strings.TrimSpace(rest)
	}
	words := strings.Split(part, " ")
	if len(words) < 2 {
		return part
	}
	for i := 0; i+1 < len(words) && i < 8; i++ {
		for n := min(2, len(words)-i-1); n > 0; n-- {
			code := words[i+n:]
			if len(code) > 2 && !isDigits(code[0]) || !hasDigit(code[0]) || !codeLabels[Key(strings.Join(words[i:i+n], " "))] {
				continue
			}
			return strings.Join(append(words[:i:i], code...), " ")
		}
	}
	return part
}

const maxPartLabel = 20 // bytes

var (
	codeLabels = keySet("postcode, post code, postal code, zip, zip code, zipcode, eircode, plz, postleitzahl, code postal, cp, código postal")
	partLabels = keySet(`street, street address, address, town, city, town city, city town, county, state, province, country, postcode, post code,
		postal code, zip, zip code, eircode, straße, strasse, ort, stadt, plz, postleitzahl, land, adresse, rue, ville, pays, code postal, calle,
		dirección, ciudad, población, localidad, provincia, país, código postal, straat, adres, plaats, stad, postcode en plaats, plz ort`)
)

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

func isUpper(text string) bool {
	for i := range len(text) {
		if text[i] < 'A' || text[i] > 'Z' {
			return false
		}
	}
	return text != ""
}

// shapeOf replaces each digit with 9 and each letter of either case with A; other
// bytes stay as they are.
func shapeOf(text string) string {
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
